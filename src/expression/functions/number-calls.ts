/** Number functions on vectors. */
import type { ScalarFunction } from '../../ir/index.js';
import { FLOAT } from '../../ir/index.js';
import { type SqlType, scaleOf, type Vector } from '../../vector/index.js';
import { castVector, toFloat } from '../cast/cast.js';
import { halfAway } from '../cast/cast-number.js';
import { type Rounding, rescaled, roundedTo } from '../cast/scale.js';
import { wideRows } from '../exact.js';
import { mapFloats } from '../float.js';
import { bigintAt, exactOf, floatOf, powerOfTen } from '../kinds.js';
import { FLOAT_FUNCTIONS } from './float-calls.js';

const ROUNDINGS: Partial<Readonly<Record<ScalarFunction, Rounding>>> = {
  floor: 'down',
  ceiling: 'up',
  round: 'half-away',
  truncate: 'toward-zero',
};

/** Functions whose result can have too many digits if it has a greater scale. */
export const mayRescale = (name: ScalarFunction): boolean =>
  ROUNDINGS[name] !== undefined || name === 'negate' || name === 'abs' || name === 'sign';

/**
 * Returns the implementation of a function of one number; `digits` applies to round and truncate. Returns null if `name` is
 * not such a function.
 */
export function numberFunction(
  name: ScalarFunction,
  from: SqlType,
  to: SqlType,
  digits: number,
): ((vector: Vector) => Vector) | null {
  const rounding = ROUNDINGS[name];
  if (rounding !== undefined) return (vector) => round(vector, from, to, digits, rounding);
  const ofFloat = FLOAT_FUNCTIONS[name];
  if (ofFloat !== undefined) return (vector) => mapFloats(floatOf(toFloat(vector, from)), ofFloat);
  switch (name) {
    case 'negate':
      return (vector) =>
        signed(
          vector,
          from,
          to,
          (value) => -value,
          (value) => -value,
        );
    case 'abs':
      return (vector) => signed(vector, from, to, Math.abs, (value) => (value < 0n ? -value : value));
    case 'sign':
      return (vector) => signs(vector, to);
    default:
      return null;
  }
}

function signed(
  vector: Vector,
  from: SqlType,
  to: SqlType,
  ofNumber: (value: number) => number,
  ofBigint: (value: bigint) => bigint,
): Vector {
  if (vector.kind === 'float') return castVector(mapFloats(vector, ofNumber), FLOAT, to);
  const exact = exactOf(vector);
  const { count, valid } = exact;
  const places = scaleOf(to) - scaleOf(from);
  if (exact.numbers === null) {
    return rescaled(
      wideRows(count, valid, (row) => ofBigint(bigintAt(exact, row))),
      places,
    );
  }
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) numbers[row] = ofNumber(exact.numbers[row]) + 0;
  return rescaled({ kind: 'exact', count, valid, numbers, wide: null }, places);
}

/** -1, 0 or 1. */
function signs(vector: Vector, to: SqlType): Vector {
  const { count, valid } = vector;
  const numbers = new Float64Array(count);
  if (vector.kind === 'float')
    for (let row = 0; row < count; row++) numbers[row] = Math.sign(vector.numbers[row]) + 0;
  else {
    const exact = exactOf(vector);
    const values = exact.numbers ?? exact.wide ?? [];
    for (let row = 0; row < count; row++) numbers[row] = values[row] > 0 ? 1 : values[row] < 0 ? -1 : 0;
  }
  if (to.type === 'float') return { kind: 'float', count, valid, numbers };
  return rescaled({ kind: 'exact', count, valid, numbers, wide: null }, scaleOf(to));
}

function round(vector: Vector, from: SqlType, to: SqlType, digits: number, rounding: Rounding): Vector {
  if (vector.kind !== 'float') {
    return roundedTo(exactOf(vector), scaleOf(from), digits, rounding, scaleOf(to));
  }
  return castVector(mapFloats(vector, floatRounding(digits, FLOAT_STEPS[rounding])), FLOAT, to);
}

const FLOAT_STEPS: Readonly<Record<Rounding, (value: number) => number>> = {
  'half-away': halfAway,
  down: Math.floor,
  up: Math.ceil,
  'toward-zero': Math.trunc,
};

/** Rounds as DuckDB does: rounds the double x 10^digits and divides again. */
function floatRounding(digits: number, step: (value: number) => number): (value: number) => number {
  if (digits === 0) return step;
  const power = powerOfTen(Math.abs(digits));
  if (digits < 0) {
    return (value) => {
      const rounded = step(value / power) * power;
      return Number.isFinite(rounded) ? rounded : 0;
    };
  }
  return (value) => {
    const rounded = step(value * power) / power;
    return Number.isFinite(rounded) ? rounded : value;
  };
}
