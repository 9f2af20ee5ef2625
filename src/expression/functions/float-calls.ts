/** Functions of floats on vectors; results that are not finite are missing. */

import type { ScalarFunction } from '../../ir/index.js';
import type { FloatVector, SqlType, Vector } from '../../vector/index.js';
import { toFloat } from '../cast/cast.js';
import { halfToEven } from '../cast/cast-number.js';
import { finite } from '../float.js';
import { floatOf } from '../kinds.js';
import { bothValid } from '../validity.js';

const DEGREES_PER_RADIAN = 180 / Math.PI;

export const FLOAT_FUNCTIONS: Partial<Readonly<Record<ScalarFunction, (value: number) => number>>> = {
  'round-even': halfToEven,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  exp: Math.exp,
  ln: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  degrees: (radians) => radians * DEGREES_PER_RADIAN,
  radians: (degrees) => degrees / DEGREES_PER_RADIAN,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  cot: (value) => 1 / Math.tan(value),
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
};

/** Integral logarithms are exact: the logarithm of 1000 to base 10 is 3, although the computed quotient is below 3. */
function logarithm(base: number, value: number): number {
  const quotient = Math.log(value) / Math.log(base);
  const whole = Math.round(quotient);
  return base ** whole === value ? whole : quotient;
}

const OF_TWO: Partial<Readonly<Record<ScalarFunction, (a: number, b: number) => number>>> = {
  power: (base, exponent) => base ** exponent,
  atan2: Math.atan2,
  'log-base': logarithm,
};

/** Returns the implementation of a function of two floats, or null if `name` is not one. */
export function floatPairFunction(
  name: ScalarFunction,
  types: readonly SqlType[],
): ((args: readonly Vector[]) => FloatVector) | null {
  const of = OF_TWO[name];
  if (of === undefined) return null;
  return (args) => {
    const [a, b] = args.map((vector, index) => floatOf(toFloat(vector, types[index])));
    const { count } = a;
    const numbers = new Float64Array(count);
    for (let row = 0; row < count; row++) numbers[row] = of(a.numbers[row], b.numbers[row]) + 0;
    return finite(numbers, bothValid(a.valid, b.valid, count), count);
  };
}
