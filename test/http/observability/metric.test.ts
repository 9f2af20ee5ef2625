import t from 'tap';
import { Histogram } from '../../../src/base/index.js';
import { metricLinesOf } from '../../../src/http/observability/metric.js';

t.test('a histogram has a line per bound with the count of values up to it, a sum and a count', (t) => {
  const distribution = new Histogram([1, 10]);
  for (const value of [1, 2, 3, 30]) distribution.observe(value);
  const labels = { endpoint: 'a' };
  const read = () => [{ labels, stats: distribution.stats }];
  t.strictSame(metricLinesOf({ name: 'm', help: '', type: 'histogram', read }), [
    { metricName: 'm_bucket', labels: { le: 1, ...labels }, value: 1 },
    { metricName: 'm_bucket', labels: { le: 10, ...labels }, value: 3 },
    { metricName: 'm_bucket', labels: { le: '+Inf', ...labels }, value: 4 },
    { metricName: 'm_sum', labels, value: 36 },
    { metricName: 'm_count', labels, value: 4 },
  ]);
  t.end();
});

t.test('a counter has a line per value', (t) => {
  const values = [{ value: 1 }, { labels: { of: 'x' }, value: 2 }];
  t.strictSame(metricLinesOf({ name: 'm', help: '', type: 'counter', read: () => values }), values);
  t.end();
});
