import t from 'tap';
import { readMetric } from '../../../src/api/query/metric.js';
import { METRICS } from '../../../src/ir/index.js';
import { columnOf, THERE } from '../aggregates.js';
import { assertAllRefusals } from '../refusals.js';

/** Columns that each metric fits, by api-name. */
const NUMBERS = ['int', 'dec', 'enum', 'ints', 'ie', 'de', 'contains', 'minfreq', 'bypass-cache'];
const ALL = [...THERE.columns.keys()];
const FITS: Readonly<Record<string, readonly string[]>> = {
  min: [...NUMBERS, 'date', 'time'],
  max: [...NUMBERS, 'date', 'time'],
  avg: NUMBERS,
  sum: NUMBERS,
  median: NUMBERS,
  p95: NUMBERS,
  p99: NUMBERS,
  stddev: NUMBERS,
  count: ALL,
  'count-distinct': ALL,
  'count-events': ['te', 'ie', 'de', 'ge'],
};

t.test('each metric is accepted for the columns whose type it fits', async (t) => {
  t.strictSame(Object.keys(FITS).sort(), [...METRICS].sort(), 'all metrics are in the table');
  for (const [metric, columns] of Object.entries(FITS)) {
    for (const name of ALL) {
      const read = () => readMetric(metric, columnOf(name), 'here');
      if (columns.includes(name)) t.equal(read(), metric, `${metric} of ${name}`);
      else assertAllRefusals(t, read, [[4046, `"${metric}"`]]);
    }
  }
});

t.test('an unknown metric is refused before the column is resolved', async (t) => {
  for (const name of ['mode', 'MIN', '', '10', '__proto__']) {
    assertAllRefusals(t, () => readMetric(name, columnOf('text'), 'here'), [[4045, `not "${name}"`]]);
  }
});
