/**
 * Variances, correlation and linear regression from exact sums. All results are exact rationals or their square roots,
 * rounded once, so they do not depend on the order of the rows.
 */
import type { ScalarFunction } from '../../ir/index.js';
import { nearest, nearestRootOfUnits, type SqlType, scaleOf, type Vector } from '../../vector/index.js';
import { finite } from '../float.js';
import { bigintAt, exactOf } from '../kinds.js';
import { isValid, writableValid } from '../validity.js';
import { allValid } from './read-rows.js';

/**
 * `xx` is n sum(x^2) - sum(x)^2, likewise `yy` and `xy`, in stored form: a value of x is stored times `xUnit`, a value of y
 * times `yUnit`.
 */
interface Moments {
  readonly n: bigint;
  readonly x: bigint;
  readonly y: bigint;
  readonly xx: bigint;
  readonly yy: bigint;
  readonly xy: bigint;
  readonly xUnit: bigint;
  readonly yUnit: bigint;
}

/** null = missing. */
type Measure = (moments: Moments) => number | null;

const FUNCTIONS: Partial<Readonly<Record<ScalarFunction, Measure>>> = {
  'var-pop': ({ n, xx, xUnit }) => nearest(xx, n * n * xUnit ** 2n),
  'var-samp': ({ n, xx, xUnit }) => (n < 2n ? null : nearest(xx, n * (n - 1n) * xUnit ** 2n)),
  'stddev-pop': ({ n, xx, xUnit }) => nearestRootOfUnits(xx, n * n * xUnit ** 2n),
  'stddev-samp': ({ n, xx, xUnit }) => (n < 2n ? null : nearestRootOfUnits(xx, n * (n - 1n) * xUnit ** 2n)),
  'covar-pop': ({ n, xy, xUnit, yUnit }) => nearest(xy, n * n * xUnit * yUnit),
  'covar-samp': ({ n, xy, xUnit, yUnit }) => (n < 2n ? null : nearest(xy, n * (n - 1n) * xUnit * yUnit)),
  corr: ({ xx, yy, xy }) => {
    if (xx === 0n || yy === 0n) return null;
    const root = nearestRootOfUnits(xy * xy, xx * yy);
    return xy < 0n ? -root : root;
  },
  'regr-slope': ({ xx, xy, xUnit, yUnit }) => (xx === 0n ? null : nearest(xy * xUnit, xx * yUnit)),
  'regr-intercept': ({ n, x, y, xx, xy, yUnit }) =>
    xx === 0n ? null : nearest(y * xx - x * xy, n * xx * yUnit),
  'regr-r2': ({ xx, yy, xy }) => {
    if (xx === 0n) return null;
    return yy === 0n ? 1 : nearest(xy * xy, xx * yy);
  },
  'regr-avgx': ({ n, x, xUnit }) => nearest(x, n * xUnit),
  'regr-avgy': ({ n, y, yUnit }) => nearest(y, n * yUnit),
  'regr-sxx': ({ n, xx, xUnit }) => nearest(xx, n * xUnit ** 2n),
  'regr-syy': ({ n, yy, yUnit }) => nearest(yy, n * yUnit ** 2n),
  'regr-sxy': ({ n, xy, xUnit, yUnit }) => nearest(xy, n * xUnit * yUnit),
};

/** `types` are those of the arguments. Returns null if `name` is not such a function. */
export function regressionFunction(
  name: ScalarFunction,
  types: readonly SqlType[],
): ((args: readonly Vector[]) => Vector) | null {
  const measure = FUNCTIONS[name];
  if (measure === undefined) return null;
  const [, xUnit, yUnit] = types.map((type) => 10n ** BigInt(scaleOf(type)));
  return (args) => {
    const sums = args.map(exactOf);
    const { count } = sums[0];
    const operands = allValid(args, count);
    const valid = writableValid(operands, count);
    const numbers = new Float64Array(count);
    for (let row = 0; row < count; row++) {
      if (!isValid(operands, row)) continue;
      const [n, x, y, xx, yy, xy] = sums.map((sum) => bigintAt(sum, row));
      const products = { xx: n * xx - x * x, yy: n * yy - y * y, xy: n * xy - x * y };
      const value = n < 1n ? null : measure({ n, x, y, ...products, xUnit, yUnit });
      if (value === null) valid[row] = 0;
      else numbers[row] = value;
    }
    return finite(numbers, valid, count);
  };
}
