import t from 'tap';
import { METRICS, type Metric } from '../../src/ir/index.js';
import {
  betweenToken,
  quantilePosition,
  tokenOfMoments,
  tokenOfNothing,
} from '../../src/plan/metric-token.js';
import type { ColumnType, ValueForm } from '../../src/schema/index.js';

const formOf = (type: ColumnType, decimalPlaces: number | null = null): ValueForm => ({
  type,
  decimalPlaces,
});
const INTEGER = formOf('integer');
const DECIMAL = formOf('decimal-event', 3);

function momentsOf(values: readonly bigint[]) {
  const sorted = values.toSorted((a, b) => Number(a - b));
  return {
    count: values.length,
    sum: values.reduce((sum, value) => sum + value, 0n),
    squares: values.reduce((sum, value) => sum + value * value, 0n),
    least: sorted[0],
    greatest: sorted[sorted.length - 1],
  };
}

const over = (metric: Metric, form: ValueForm, values: readonly bigint[]): string =>
  tokenOfMoments(metric, form, momentsOf(values));

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
});

t.test(
  'extremes and sums are exact, without a fraction for integers and with one for decimals',
  async (t) => {
    const large = [2n ** 63n - 1n, 2n ** 63n - 1n, -5n];
    t.equal(over('min', INTEGER, large), '-5');
    t.equal(over('max', formOf('enumerated'), large), '9223372036854775807');
    t.equal(over('sum', formOf('integer-event'), large), '18446744073709551609');
    t.equal(over('max', DECIMAL, large), '9223372036854775.807');
    t.equal(over('sum', DECIMAL, large), '18446744073709551.609');
    t.equal(over('sum', DECIMAL, [450_000_000_000n, 330_000n]), '450000330.0');
    t.equal(over('min', DECIMAL, [1_000_001_100n]), '1000001.1');
  },
);

t.test('extremes of dates are JSON strings', async (t) => {
  t.equal(over('min', formOf('date'), [16_801n, 16_802n]), '"2016-01-01"');
  t.equal(over('max', formOf('datetime'), [0n, 1_451_606_400n]), '"2016-01-01T00:00:00Z"');
});

t.test('counts are integers', async (t) => {
  t.equal(over('count', INTEGER, [1n, 1n]), '2');
  t.equal(over('count-events', formOf('geolocation-event'), [0n, 0n, 0n]), '3');
});

t.test('a mean has a fraction and is rounded once', async (t) => {
  t.equal(over('avg', INTEGER, [19n]), '19.0');
  t.equal(over('avg', INTEGER, [1n, 2n]), '1.5');
  t.equal(over('avg', INTEGER, [-1n, -1n, 0n]), '-0.6666666666666666');
  t.equal(over('avg', DECIMAL, [1_000n, 2_000n]), '1.5');
  // Halfway between two doubles: rounded to the even one.
  t.equal(over('avg', INTEGER, [2n ** 53n, 2n ** 53n + 2n]), '9007199254740992.0');
  t.equal(over('avg', INTEGER, [2n ** 53n + 1n, 2n ** 53n + 1n, 2n ** 53n + 2n]), '9007199254740994.0');
  t.equal(over('avg', INTEGER, [2n ** 63n - 1n, 2n ** 63n - 1n]), '9223372036854776000.0');
  t.equal(over('avg', formOf('decimal', 20), [1n]), '0.00000000000000000001');
});

t.test('a deviation is the sample deviation, and null for one value', async (t) => {
  t.equal(over('stddev', INTEGER, [7n]), 'null');
  t.equal(over('stddev', INTEGER, [7n, 7n, 7n]), '0.0');
  t.equal(over('stddev', INTEGER, [1n, 2n]), '0.7071067811865476');
  t.equal(over('stddev', INTEGER, [2n, 4n, 4n, 4n, 5n, 5n, 7n, 9n]), '2.138089935299395');
  t.equal(over('stddev', DECIMAL, [1_000n, 3_000n, 5_000n]), '2.0');
  const far = 2n ** 62n;
  t.equal(over('stddev', INTEGER, [far, far + 2n, far + 4n]), '2.0', 'doubles would lose this difference');
  t.equal(over('stddev', INTEGER, [-(2n ** 63n), 2n ** 63n - 1n]), '13043817825332783000.0');
});

t.test('quantiles are interpolated linearly between ranks', async (t) => {
  const half = { parts: 1n, of: 2n };
  t.strictSame(quantilePosition(half, 1), { rank: 0, parts: 0n, of: 2n });
  t.strictSame(quantilePosition(half, 4), { rank: 1, parts: 1n, of: 2n });
  t.strictSame(quantilePosition({ parts: 19n, of: 20n }, 12), { rank: 10, parts: 9n, of: 20n });
  t.strictSame(quantilePosition({ parts: 99n, of: 100n }, 2 ** 52), {
    rank: Number((99n * (2n ** 52n - 1n)) / 100n),
    parts: (99n * (2n ** 52n - 1n)) % 100n,
    of: 100n,
  });
  t.equal(betweenToken(INTEGER, 1n, 2n, half), '1.5');
  t.equal(betweenToken(INTEGER, -3n, -3n, half), '-3.0');
  t.equal(betweenToken(DECIMAL, 1_000n, 2_000n, { parts: 9n, of: 20n }), '1.45');
  t.equal(betweenToken(INTEGER, 2n ** 53n, 2n ** 53n + 1n, half), '9007199254740992.0');
  t.equal(
    betweenToken(INTEGER, -(2n ** 63n), 2n ** 63n - 1n, half),
    '-0.5',
    'their difference exceeds 64 bits',
  );
});
