/** The text of /metrics. */
import t from 'tap';
import { parseMetrics, sumOf } from '../../../src/console/live/prometheus.js';

const TEXT = [
  '# HELP quarry_inserted_values_total values',
  'quarry_inserted_values_total{database="1"} 2',
  'quarry_inserted_values_total{database="a \\"b\\""} 5',
  'quarry_http_request_seconds_bucket{le="+Inf",endpoint="POST /v1/sql"} 3',
  'quarry_memory_used_bytes 1.5e6',
].join('\n');

t.test('names, labels and values are read exactly as they were written', async (t) => {
  const name = 'quarry_inserted_values_total';
  t.strictSame(parseMetrics(TEXT), [
    { name, labels: { database: '1' }, value: 2 },
    { name, labels: { database: 'a "b"' }, value: 5 },
    {
      name: 'quarry_http_request_seconds_bucket',
      labels: { le: '+Inf', endpoint: 'POST /v1/sql' },
      value: 3,
    },
    { name: 'quarry_memory_used_bytes', labels: {}, value: 1.5e6 },
  ]);
});

t.test('a sum is that of all labels; a name that is absent adds nothing', async (t) => {
  const samples = parseMetrics(TEXT);
  t.strictSame([sumOf(samples, 'quarry_inserted_values_total'), sumOf(samples, 'quarry_lanes')], [7, 0]);
});
