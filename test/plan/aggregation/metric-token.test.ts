import t from 'tap';
import { METRICS, type Metric } from '../../../src/ir/index.js';
import { tokenOf, tokenOfNothing } from '../../../src/plan/aggregation/metric-token.js';
import type { ColumnType, ValueForm } from '../../../src/schema/index.js';
import { type Value, vectorOf } from '../../../src/vector/index.js';

const formOf = (type: ColumnType, decimalPlaces: number | null = null): ValueForm => ({
  type,
  decimalPlaces,
});
const INTEGER = formOf('integer');
const DECIMAL = formOf('decimal-event', 3);

/** The token of exact aggregates. */
const over = (metric: Metric, form: ValueForm, ...values: readonly Value[]): string =>
  tokenOf(
    metric,
    form,
    values.map((value) => vectorOf({ type: 'integer' }, [value])),
    0,
  );

t.test('without values there are no extremes and no mean, and the sum and the count are 0', async (t) => {
  const found = METRICS.map((metric) => [
    metric,
    tokenOfNothing(metric, INTEGER),
    tokenOfNothing(metric, DECIMAL),
  ]);
  t.strictSame(found, [
    ['min', 'null', 'null'],
    ['max', 'null', 'null'],
    ['avg', 'null', 'null'],
    ['sum', '0', '0.0'],
    ['count-events', '0', '0'],
    ['count', '0', '0'],
    ['count-distinct', '0', '0'],
    ['median', 'null', 'null'],
    ['p95', 'null', 'null'],
    ['p99', 'null', 'null'],
    ['stddev', 'null', 'null'],
  ]);
  for (const metric of METRICS) t.equal(over(metric, DECIMAL, null, 0n), tokenOfNothing(metric, DECIMAL));
});

t.test(
  'extremes and sums are exact, without a fraction for integers and with one for decimals',
  async (t) => {
    t.equal(over('min', INTEGER, -5n), '-5');
    t.equal(over('max', formOf('enumerated'), 2n ** 63n - 1n), '9223372036854775807');
    t.equal(over('sum', formOf('integer-event'), 2n ** 64n - 7n), '18446744073709551609');
    t.equal(over('max', DECIMAL, 2n ** 63n - 1n), '9223372036854775.807');
    t.equal(over('sum', DECIMAL, 2n ** 64n - 7n), '18446744073709551.609');
    t.equal(over('sum', DECIMAL, 450_000_330_000n), '450000330.0');
    t.equal(over('min', DECIMAL, 1_000_001_100n), '1000001.1');
  },
);

t.test('extremes of dates are JSON strings', async (t) => {
  t.equal(over('min', formOf('date'), 16_801n), '"2016-01-01"');
  t.equal(over('max', formOf('datetime'), 1_451_606_400n), '"2016-01-01T00:00:00Z"');
});

t.test('counts are integers', async (t) => {
  t.equal(over('count', INTEGER, 2n), '2');
  t.equal(over('count-events', formOf('geolocation-event'), 3n), '3');
  t.equal(over('count-distinct', formOf('string'), 4n), '4');
});

t.test('a mean, given as sum and count, has a fraction and is rounded once', async (t) => {
  t.equal(over('avg', INTEGER, 19n, 1n), '19.0');
  t.equal(over('avg', INTEGER, 3n, 2n), '1.5');
  t.equal(over('avg', INTEGER, -2n, 3n), '-0.6666666666666666');
  t.equal(over('avg', DECIMAL, 3_000n, 2n), '1.5');
  // Halfway between two doubles: rounded to the even one.
  t.equal(over('avg', INTEGER, 2n ** 54n + 2n, 2n), '9007199254740992.0');
  t.equal(over('avg', INTEGER, 3n * 2n ** 53n + 4n, 3n), '9007199254740994.0');
  t.equal(over('avg', INTEGER, 2n ** 64n - 2n, 2n), '9223372036854776000.0');
  t.equal(over('avg', formOf('decimal', 20), 1n, 1n), '0.00000000000000000001');
});

t.test('other metrics are doubles with a fraction', async (t) => {
  const float = (metric: Metric, value: number): string =>
    tokenOf(metric, INTEGER, [vectorOf({ type: 'float' }, [value])], 0);
  t.equal(float('stddev', 2), '2.0');
  t.equal(float('median', -0.5), '-0.5');
  t.equal(float('p99', 1.3043817825332783e19), '13043817825332783000.0');
  t.equal(float('p95', 0), '0.0');
});
