import t from 'tap';
import { formatOf } from '../../../src/http/transport/accept.js';

const ARROW = 'application/vnd.apache.arrow.stream';

t.test('the answer has the format that Accept prefers; of equal preferences, the first format', async (t) => {
  const cases: readonly (readonly [header: string, format: string])[] = [
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['text/csv', 'csv'],
    ['Text/CSV; charset=utf-8', 'csv'],
    ['application/x-ndjson', 'ndjson'],
    [ARROW, 'arrow'],
    [`${ARROW};q=0.5, text/csv;q=0.9`, 'csv'],
    [`${ARROW}, text/csv`, 'arrow'],
    [`text/csv ,${ARROW}`, 'csv'],
    ['text/html, text/csv;q=0.1', 'csv'],
    ['text/csv;q=0.9, */*', 'json'],
    ['text/csv, */*', 'csv'],
    ['application/json, text/csv', 'json'],
    ['application/json;q=0.8, text/csv', 'csv'],
    ['text/csv;q=0', 'json'],
    ['text/csv;q=0.000', 'json'],
    ['text/csv; header=present; q = 0.3, application/x-ndjson;q=0.2', 'csv'],
  ];
  for (const [header, format] of cases) t.equal(formatOf(header), format, header);
});

t.test(
  'an Accept header without a supported format selects JSON, or the first format that the endpoint can write',
  async (t) => {
    for (const header of [
      'text/html',
      'text/*',
      ',,;',
      'q=1',
      ';q=',
      'text/csvx',
      'application/parquet',
      '\u00ff',
    ]) {
      t.equal(formatOf(header), 'json', header);
    }
    for (const header of ['text/csv;q=', 'text/csv;q=x', 'text/csv;q=7', 'text/csv;;', ',text/csv,']) {
      t.equal(formatOf(header), 'csv', header);
    }
  },
);
