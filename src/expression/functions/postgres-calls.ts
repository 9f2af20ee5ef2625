/**
 * Functions of PostgreSQL's dialect: the quotient of integers is an integer, truncated towards zero, and a divisor of 0 is an
 * error. Both operands have one type. A cast to DECIMAL(p, s) refuses more than p digits.
 */
import type { ScalarFunction } from '../../ir/index.js';
import { type ExactVector, roundedQuotient, type SqlType, type Vector } from '../../vector/index.js';
import { expressionError } from '../error.js';
import { exactArithmetic, wideRows } from '../exact.js';
import { floatArithmetic } from '../float.js';
import { bigintAt, booleanOf, exactOf, floatOf } from '../kinds.js';
import { bothValid, isValid } from '../validity.js';

export const dividesStrictly = (name: ScalarFunction): boolean => name === 'divide' || name === 'modulo';

/** Both vectors are of `type`. Throws 6000 if a row with a dividend has the divisor 0, or for more than DIGITS_MAX digits. */
export function strictDivision(name: ScalarFunction, type: SqlType, left: Vector, right: Vector): Vector {
  refuseZeros(left, right);
  if (left.kind === 'float') return floatArithmetic(name === 'divide' ? '/' : '%', left, floatOf(right));
  const [a, b] = [exactOf(left), exactOf(right)];
  if (name === 'modulo') return exactArithmetic('%', a, b);
  return type.type === 'decimal' ? decimalQuotients(a, b, type.scale) : quotients(a, b);
}

/** Throws 6000 if a value, without its decimal point, has more than `digits` digits. */
export function limitDigits(vector: ExactVector, digits: number): ExactVector {
  const end = 10n ** BigInt(digits);
  const isSafe = vector.numbers !== null && end > BigInt(Number.MAX_SAFE_INTEGER);
  for (let row = 0; row < vector.count && !isSafe; row++) {
    if (!isValid(vector.valid, row)) continue;
    const value = vector.numbers === null ? bigintAt(vector, row) : vector.numbers[row];
    if (value >= end || value <= -end)
      throw expressionError(`numeric field overflow: a value has more than ${digits} digits`);
  }
  return vector;
}

/** Throws 6000 with the message if a row has the condition false. */
export function checkRows(value: Vector, condition: Vector, message: string): Vector {
  const { bits, valid, count } = booleanOf(condition);
  for (let row = 0; row < count; row++) {
    if (isValid(valid, row) && !isValid(bits, row)) throw expressionError(message);
  }
  return value;
}

function refuseZeros(left: Vector, right: Vector): void {
  const values =
    right.kind === 'float' ? right.numbers : (exactOf(right).numbers ?? exactOf(right).wide ?? []);
  for (let row = 0; row < right.count; row++) {
    // 0n == 0, as -0 == 0.
    if (Number(values[row]) !== 0 || !isValid(right.valid, row) || !isValid(left.valid, row)) continue;
    throw expressionError('division by zero');
  }
}

/** The quotients with `scale` decimal places, which the operands have too; halves away from zero. */
function decimalQuotients(a: ExactVector, b: ExactVector, scale: number): ExactVector {
  const factor = 10n ** BigInt(scale);
  const valid = bothValid(a.valid, b.valid, a.count);
  return wideRows(a.count, valid, (row) => {
    const divisor = bigintAt(b, row);
    const dividend = bigintAt(a, row) * factor;
    return divisor < 0n ? roundedQuotient(-dividend, -divisor) : roundedQuotient(dividend, divisor);
  });
}

/**
 * The double nearest to the quotient of two safe integers is an integer only if the quotient is, because the distance of
 * another quotient from an integer is more than half a unit in its last place.
 */
function quotients(a: ExactVector, b: ExactVector): ExactVector {
  const { count } = a;
  const valid = bothValid(a.valid, b.valid, count);
  if (a.numbers === null || b.numbers === null)
    return wideRows(count, valid, (row) => bigintAt(a, row) / bigintAt(b, row));
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    numbers[row] = b.numbers[row] === 0 ? 0 : Math.trunc(a.numbers[row] / b.numbers[row]) + 0;
  }
  return { kind: 'exact', count, valid, numbers, wide: null };
}
