/** Arithmetic on floats. Results that are not finite are missing, and -0 becomes 0. */
import type { FloatVector } from '../vector/index.js';
import { bothValid, writableValid } from './validity.js';

export type FloatOperator = '+' | '-' | '*' | '/' | '%';

type Loop = (a: Float64Array, b: Float64Array, out: Float64Array, count: number) => void;

const LOOPS: Readonly<Record<FloatOperator, Loop>> = {
  '+': (a, b, out, count) => {
    for (let row = 0; row < count; row++) out[row] = a[row] + b[row] + 0;
  },
  '-': (a, b, out, count) => {
    for (let row = 0; row < count; row++) out[row] = a[row] - b[row] + 0;
  },
  '*': (a, b, out, count) => {
    for (let row = 0; row < count; row++) out[row] = a[row] * b[row] + 0;
  },
  '/': (a, b, out, count) => {
    for (let row = 0; row < count; row++) out[row] = a[row] / b[row] + 0;
  },
  '%': (a, b, out, count) => {
    for (let row = 0; row < count; row++) out[row] = (a[row] % b[row]) + 0;
  },
};

export function floatArithmetic(operator: FloatOperator, a: FloatVector, b: FloatVector): FloatVector {
  const numbers = new Float64Array(a.count);
  LOOPS[operator](a.numbers, b.numbers, numbers, a.count);
  return finite(numbers, bothValid(a.valid, b.valid, a.count), a.count);
}

/** Computes each row with `of`. */
export function mapFloats(
  { numbers, valid, count }: FloatVector,
  of: (value: number) => number,
): FloatVector {
  const results = new Float64Array(count);
  for (let row = 0; row < count; row++) results[row] = of(numbers[row]) + 0;
  return finite(results, valid, count);
}

/** Wraps `numbers`, which the vector takes over, with non-finite values missing. */
export function finite(numbers: Float64Array, valid: Uint8Array | null, count: number): FloatVector {
  if (allFinite(numbers, count)) return { kind: 'float', count, valid, numbers };
  const finiteValid = writableValid(valid, count);
  for (let row = 0; row < count; row++) {
    if (!Number.isFinite(numbers[row])) {
      finiteValid[row] = 0;
      numbers[row] = 0;
    }
  }
  return { kind: 'float', count, valid: finiteValid, numbers };
}

function allFinite(numbers: Float64Array, count: number): boolean {
  let all = true;
  // x - x is 0 only for finite numbers.
  for (let row = 0; row < count; row++) if (numbers[row] - numbers[row] !== 0) all = false;
  return all;
}
