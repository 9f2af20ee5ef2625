/** Where a database may be said to lie: kept and told, without any effect on a server of one process. */
import { FieldReader, oneOf } from './field-reader.js';

/** Areas by provider; the first one is where a database lies of which only the provider was said. */
export const CLOUD_AREAS = {
  'alibaba-cloud': ['cn-beijing', 'cn-hangzhou', 'cn-shanghai', 'cn-shenzhen', 'ap-southeast-1'],
  'google-cloud': [
    'asia-east1',
    'asia-east2',
    'asia-northeast1',
    'asia-south1',
    'asia-southeast1',
    'australia-southeast1',
    'europe-north1',
    'europe-west1',
    'europe-west2',
    'europe-west3',
    'europe-west4',
    'northamerica-northeast1',
    'southamerica-east1',
    'us-central1',
    'us-east1',
    'us-east4',
    'us-west1',
    'us-west2',
  ],
  aws: [
    'us-east1',
    'us-east2',
    'us-west1',
    'us-west2',
    'ap-southeast-1',
    'ap-southeast-2',
    'ap-northeast-1',
    'eu-central-1',
    'eu-west-1',
    'eu-west-2',
    'eu-west-3',
    'eu-north-1',
    'sa-east-1',
  ],
  azure: ['us-central', 'us-east2', 'fr-central', 'eu-north', 'ap-southeast-1', 'eu-west', 'us-west2'],
  ovh: ['global'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const PROVIDERS = Object.keys(CLOUD_AREAS) as (keyof typeof CLOUD_AREAS)[];

export interface CloudPlace {
  readonly cloudProvider: string;
  readonly cloudArea: string;
}

/**
 * The place that `cloud_provider` and `cloud_area` name. What is absent is as in `before`; an area that the provider
 * has not is then its first one. An area that is given must be the provider's.
 */
export function readCloud(fields: FieldReader, before: CloudPlace): CloudPlace {
  const provider = fields.get('cloud_provider', oneOf(PROVIDERS)) ?? before.cloudProvider;
  const areas: readonly string[] = CLOUD_AREAS[provider as keyof typeof CLOUD_AREAS];
  const kept = areas.includes(before.cloudArea) ? before.cloudArea : areas[0];
  return { cloudProvider: provider, cloudArea: fields.get('cloud_area', oneOf(areas)) ?? kept };
}
