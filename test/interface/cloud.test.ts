import t from 'tap';
import { CLOUD_AREAS } from '../../src/interface/cloud.js';

/** As in the interface. */
const TABLE = `
alibaba-cloud | cn-beijing, cn-hangzhou, cn-shanghai, cn-shenzhen, ap-southeast-1
google-cloud | asia-east1, asia-east2, asia-northeast1, asia-south1, asia-southeast1, australia-southeast1, europe-north1, europe-west1, europe-west2, europe-west3, europe-west4, northamerica-northeast1, southamerica-east1, us-central1, us-east1, us-east4, us-west1, us-west2
aws | us-east1, us-east2, us-west1, us-west2, ap-southeast-1, ap-southeast-2, ap-northeast-1, eu-central-1, eu-west-1, eu-west-2, eu-west-3, eu-north-1, sa-east-1
azure | us-central, us-east2, fr-central, eu-north, ap-southeast-1, eu-west, us-west2
ovh | global`;

t.test('the providers and areas are those of the interface', (t) => {
  const expected = TABLE.trim()
    .split('\n')
    .map((line) => line.split(' | '))
    .map(([provider, areas]) => [provider, areas.split(', ')]);
  t.strictSame([...CLOUD_AREAS], expected);
  t.end();
});
