/**
 * Functions of exact numbers on vectors, computed in doubles as long as operands and results are safe integers, otherwise in
 * bigints.
 */
import type { ScalarFunction } from '../../ir/index.js';
import type { ExactVector, SqlType, Vector } from '../../vector/index.js';
import { expressionError } from '../error.js';
import { checked, wideRows } from '../exact.js';
import { finite } from '../float.js';
import { bigintAt, exactOf, floatOf } from '../kinds.js';
import { isValid, simplified, writableValid } from '../validity.js';
import { allValid } from './read-rows.js';

/** NaN = the result is missing; an infinity = it must be computed in bigints. */
type OfNumbers = (a: number, b: number, c: number, d: number) => number;
/** null = the result is missing. */
type OfBigints = (a: bigint, b: bigint, c: bigint, d: bigint) => bigint | null;

interface WholeFunction {
  readonly numbers: OfNumbers;
  readonly bigints: OfBigints;
  readonly mayFail: boolean;
}

const WIDE = Number.POSITIVE_INFINITY;
const FACTORIAL_MAX = 33;
const SHIFT_MAX = 63;
const INT64_END = 2n ** 63n;

const isSmall = (value: number): boolean => (value | 0) === value;

function greatestDivisor(a: number, b: number): number {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

function greatestWideDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [magnitude(a), magnitude(b)];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

function factorial(value: bigint): bigint {
  if (value < 0n) throw expressionError('FACTORIAL takes no negative number');
  if (value > FACTORIAL_MAX) throw expressionError(`FACTORIAL takes numbers up to ${FACTORIAL_MAX}`);
  let product = 1n;
  for (let factor = 2n; factor <= value; factor++) product *= factor;
  return product;
}

function shiftCount(count: bigint): bigint {
  if (count >= 0n && count <= SHIFT_MAX) return count;
  throw expressionError(`bits are shifted by 0 to ${SHIFT_MAX}, not by ${count}`);
}

/** Throws 6000 if the value has more than 64 bits. */
function within64(value: bigint): bigint {
  if (value < INT64_END && value >= -INT64_END) return value;
  throw expressionError('the result of << has more than 64 bits');
}

/**
 * The bucket of `value` among `count` buckets of equal width from `low` to `high`: 0 before the first, count + 1 after the
 * last. If low > high, buckets descend.
 */
function widthBucket(value: bigint, low: bigint, high: bigint, count: bigint): bigint {
  checkBuckets(Number(count), low === high);
  const [distance, width] = low < high ? [value - low, high - low] : [low - value, low - high];
  if (distance < 0n) return 0n;
  return distance >= width ? count + 1n : (distance * count) / width + 1n;
}

function floatBucket(value: number, low: number, high: number, count: number): number {
  checkBuckets(count, low === high);
  const position = (value - low) / (high - low);
  if (position < 0) return 0;
  return position >= 1 ? count + 1 : Math.min(Math.floor(position * count), count - 1) + 1;
}

function checkBuckets(count: number, isEmpty: boolean): void {
  if (count <= 0) throw expressionError('the number of buckets of WIDTH_BUCKET must be greater than 0');
  if (isEmpty) throw expressionError('the bounds of WIDTH_BUCKET must differ');
}

const FUNCTIONS: Partial<Readonly<Record<ScalarFunction, WholeFunction>>> = {
  'divide-whole': {
    // a - a % b is a multiple of b, so that the division is exact.
    numbers: (a, b) => (b === 0 ? Number.NaN : (a - (a % b)) / b),
    bigints: (a, b) => (b === 0n ? null : a / b),
    mayFail: false,
  },
  gcd: { numbers: greatestDivisor, bigints: greatestWideDivisor, mayFail: false },
  lcm: {
    numbers: (a, b) => (a === 0 || b === 0 ? 0 : Math.abs((a / greatestDivisor(a, b)) * b)),
    bigints: (a, b) => (a === 0n || b === 0n ? 0n : magnitude((a / greatestWideDivisor(a, b)) * b)),
    mayFail: true,
  },
  factorial: { numbers: () => WIDE, bigints: factorial, mayFail: true },
  'bit-and': {
    numbers: (a, b) => (isSmall(a) && isSmall(b) ? a & b : WIDE),
    bigints: (a, b) => a & b,
    mayFail: false,
  },
  'bit-or': {
    numbers: (a, b) => (isSmall(a) && isSmall(b) ? a | b : WIDE),
    bigints: (a, b) => a | b,
    mayFail: true,
  },
  'bit-xor': {
    numbers: (a, b) => (isSmall(a) && isSmall(b) ? a ^ b : WIDE),
    bigints: (a, b) => a ^ b,
    mayFail: true,
  },
  'bit-not': { numbers: (a) => -a - 1, bigints: (a) => -a - 1n, mayFail: true },
  'shift-left': {
    numbers: (a, count) => (count >= 0 && count <= SHIFT_MAX ? a * 2 ** count : WIDE),
    bigints: (a, count) => within64(a << shiftCount(count)),
    mayFail: true,
  },
  'shift-right': {
    numbers: (a, count) => (count >= 0 && count <= SHIFT_MAX ? Math.floor(a / 2 ** count) : WIDE),
    bigints: (a, count) => a >> shiftCount(count),
    mayFail: true,
  },
  'width-bucket': { numbers: () => WIDE, bigints: widthBucket, mayFail: true },
};

export const wholeMayFail = (name: ScalarFunction): boolean => FUNCTIONS[name]?.mayFail === true;

/** `types` are those of the arguments. Returns null if `name` is not a function of whole numbers. */
export function wholeFunction(
  name: ScalarFunction,
  types: readonly SqlType[],
): ((args: readonly Vector[]) => Vector) | null {
  const of = FUNCTIONS[name];
  if (of === undefined) return null;
  if (types[0].type !== 'float') return (args) => wholeRows(of, args.map(exactOf));
  return name === 'width-bucket' ? floatBuckets : floatQuotients;
}

function wholeRows(of: WholeFunction, args: readonly ExactVector[]): ExactVector {
  const { count } = args[0];
  const valid = allValid(args, count);
  return smallRows(of.numbers, args, valid) ?? wideRowsOf(of.bigints, args, valid);
}

/** Returns null if a row must be computed in bigints. */
function smallRows(
  of: OfNumbers,
  args: readonly ExactVector[],
  operands: Uint8Array | null,
): ExactVector | null {
  const [a, b = a, c = a, d = a] = args.map(({ numbers }) => numbers);
  if (a === null || b === null || c === null || d === null) return null;
  const { count } = args[0];
  const numbers = new Float64Array(count);
  let valid = operands;
  for (let row = 0; row < count; row++) {
    if (!isValid(operands, row)) continue;
    const result = of(a[row], b[row], c[row], d[row]) + 0;
    if (Number.isSafeInteger(result)) numbers[row] = result;
    else if (Number.isNaN(result)) {
      if (valid === operands) valid = writableValid(operands, count);
      (valid as Uint8Array)[row] = 0;
    } else return null;
  }
  return { kind: 'exact', count, valid, numbers, wide: null };
}

function wideRowsOf(of: OfBigints, args: readonly ExactVector[], operands: Uint8Array | null): ExactVector {
  const { count } = args[0];
  const valid = writableValid(operands, count);
  const [a, b = a, c = a, d = a] = args;
  const results = wideRows(count, operands, (row) => {
    const result = of(bigintAt(a, row), bigintAt(b, row), bigintAt(c, row), bigintAt(d, row));
    if (result === null) valid[row] = 0;
    return checked(result ?? 0n);
  });
  return { ...results, valid: simplified(valid, count) };
}

function floatQuotients(args: readonly Vector[]): Vector {
  const [a, b] = args.map(floatOf);
  const { count } = a;
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) numbers[row] = Math.trunc(a.numbers[row] / b.numbers[row]) + 0;
  return finite(numbers, allValid(args, count), count);
}

function floatBuckets(args: readonly Vector[]): Vector {
  const [value, low, high] = args.slice(0, 3).map((vector) => floatOf(vector).numbers);
  const counts = exactOf(args[3]);
  const { count } = counts;
  const valid = allValid(args, count);
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    if (!isValid(valid, row)) continue;
    numbers[row] = floatBucket(value[row], low[row], high[row], Number(bigintAt(counts, row)));
  }
  return { kind: 'exact', count, valid, numbers, wide: null };
}
