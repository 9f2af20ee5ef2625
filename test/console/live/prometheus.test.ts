/** Statistics of the live view, from two readings of /metrics. */
import t from 'tap';
import { parseMetrics } from '../../../src/console/live/prometheus.js';
import { statsBetween } from '../../../src/console/live/watch.js';

const text = (queries: number, slow: number, values: number): string =>
  [
    '# HELP quarry_http_requests_total requests',
    `quarry_http_requests_total{endpoint="POST /v1/query/count/entity",database="1",status="200"} ${queries}`,
    'quarry_http_requests_total{endpoint="GET /metrics",database="none",status="200"} 99',
    `quarry_http_request_seconds_bucket{le="0.001",endpoint="POST /v1/sql",database="1"} ${queries - slow}`,
    `quarry_http_request_seconds_bucket{le="0.1",endpoint="POST /v1/sql",database="1"} ${queries}`,
    `quarry_http_request_seconds_bucket{le="+Inf",endpoint="POST /v1/sql",database="1"} ${queries}`,
    `quarry_inserted_values_total{database="1"} ${values}`,
    `quarry_inserted_values_total{database="a \\"b\\""} 5`,
    'quarry_memory_used_bytes 1.5e6',
  ].join('\n');

const reading = (at: number, ...counters: Parameters<typeof text>) => ({
  at,
  samples: parseMetrics(text(...counters)),
});

t.test(
  'rates are differences over time, and percentiles are those of the requests between two readings',
  async (t) => {
    t.strictSame(statsBetween(reading(100, 10, 0, 50), reading(104, 50, 4, 250)), {
      ...{ at: 104, entities: 0, values: 50, queries: 10 },
      ...{ medianSeconds: 0.001, p95Seconds: 0.1, memoryBytes: 1.5e6 },
    });
  },
);

t.test('there is no percentile without queries, and no negative rate after a restart', async (t) => {
  const { medianSeconds, queries, values } = statsBetween(reading(100, 10, 0, 50), reading(102, 10, 0, 0));
  t.strictSame([medianSeconds, queries, values], [null, 0, 0]);
});

t.test('labels are read exactly as they were written', async (t) => {
  t.strictSame(parseMetrics(text(1, 0, 2))[6], {
    name: 'quarry_inserted_values_total',
    labels: { database: 'a "b"' },
    value: 5,
  });
});
