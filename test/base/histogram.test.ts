import t from 'tap';
import { Histogram } from '../../src/base/index.js';

t.test('a value counts in the first bucket whose bound is at least the value', (t) => {
  const distribution = new Histogram([1, 10, 100]);
  for (const value of [0, 1, 1.01, 10, 99, 100, 101, 1e9]) distribution.observe(value);
  const { bounds, counts, count, sum } = distribution.stats;
  t.strictSame([bounds, counts, count], [[1, 10, 100], [2, 2, 2, 2], 8]);
  t.equal(sum, 0 + 1 + 1.01 + 10 + 99 + 100 + 101 + 1e9);
  t.end();
});

t.test('stats do not change once they are read, and bounds that do not ascend are an InvariantError', (t) => {
  const distribution = new Histogram([0.5]);
  distribution.observe(0.25);
  const before = distribution.stats;
  distribution.observe(1);
  t.strictSame(before, { bounds: [0.5], counts: [1, 0], count: 1, sum: 0.25 });
  t.strictSame(distribution.stats, { bounds: [0.5], counts: [1, 1], count: 2, sum: 1.25 });
  t.throws(() => new Histogram([1, 1]), /ascend/);
  t.strictSame(new Histogram([]).stats, { bounds: [], counts: [0], count: 0, sum: 0 });
  t.end();
});
