/** The comparisons = <> < <= > >= on values of the same type. */
import type { Comparison } from '../ir/index.js';
import type { BooleanVector, ExactVector, TextVector, Vector } from '../vector/index.js';
import { booleanOf, exactOf, floatOf, textOf } from './kinds.js';
import { bothValid } from './validity.js';

/** The comparisons that have loops; the others swap the sides or negate the result. */
type Basic = '=' | '<' | '<=';

const FORMS: Readonly<Record<Comparison, { basic: Basic; swapped: boolean; negated: boolean }>> = {
  '=': { basic: '=', swapped: false, negated: false },
  '<>': { basic: '=', swapped: false, negated: true },
  '<': { basic: '<', swapped: false, negated: false },
  '<=': { basic: '<=', swapped: false, negated: false },
  '>': { basic: '<', swapped: true, negated: false },
  '>=': { basic: '<=', swapped: true, negated: false },
};

/** Compares row by row; missing if either side is missing. */
export function compareVectors(comparison: Comparison, left: Vector, right: Vector): BooleanVector {
  const { basic, swapped, negated } = FORMS[comparison];
  const [a, b] = swapped ? [right, left] : [left, right];
  const { count } = a;
  const bits = new Uint8Array(count);
  switch (a.kind) {
    case 'exact':
      compareExact(basic, a, exactOf(b), bits);
      break;
    case 'float':
      NUMBER_LOOPS[basic](a.numbers, floatOf(b).numbers, bits, count);
      break;
    case 'boolean':
      NUMBER_LOOPS[basic](a.bits, booleanOf(b).bits, bits, count);
      break;
    case 'text':
      compareTexts(basic, a, textOf(b), bits);
  }
  if (negated) for (let row = 0; row < count; row++) bits[row] ^= 1;
  return { kind: 'boolean', count, valid: bothValid(a.valid, b.valid, count), bits };
}

type Numbers = Float64Array | Uint8Array;
type Loop = (a: Numbers, b: Numbers, bits: Uint8Array, count: number) => void;

/** Number(...) instead of ? 1 : 0, which would compile to an unpredictable branch. */
const NUMBER_LOOPS: Readonly<Record<Basic, Loop>> = {
  '=': (a, b, bits, count) => {
    for (let row = 0; row < count; row++) bits[row] = Number(a[row] === b[row]);
  },
  '<': (a, b, bits, count) => {
    for (let row = 0; row < count; row++) bits[row] = Number(a[row] < b[row]);
  },
  '<=': (a, b, bits, count) => {
    for (let row = 0; row < count; row++) bits[row] = Number(a[row] <= b[row]);
  },
};

function compareExact(basic: Basic, a: ExactVector, b: ExactVector, bits: Uint8Array): void {
  if (a.numbers !== null && b.numbers !== null) {
    NUMBER_LOOPS[basic](a.numbers, b.numbers, bits, a.count);
    return;
  }
  const left = a.numbers ?? a.wide ?? [];
  const right = b.numbers ?? b.wide ?? [];
  for (let row = 0; row < a.count; row++) {
    // JavaScript compares a number with a bigint exactly.
    const [x, y] = [left[row], right[row]];
    const isTrue = basic === '<' ? x < y : basic === '<=' ? x <= y : !(x < y) && !(y < x);
    bits[row] = isTrue ? 1 : 0;
  }
}

function compareTexts(basic: Basic, a: TextVector, b: TextVector, bits: Uint8Array): void {
  const valid = bothValid(a.valid, b.valid, a.count);
  const [texts, others] = [a.texts, b.texts];
  const byCode = basic === '=' && texts === others && texts.distinct;
  for (let row = 0; row < a.count; row++) {
    if (valid !== null && valid[row] === 0) continue;
    const code = a.codes === null ? row : a.codes[row];
    const other = b.codes === null ? row : b.codes[row];
    if (byCode) bits[row] = code === other ? 1 : 0;
    else {
      const order = texts.compare(code, others, other);
      bits[row] = order < 0 ? (basic === '=' ? 0 : 1) : order === 0 && basic !== '<' ? 1 : 0;
    }
  }
}
