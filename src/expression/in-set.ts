/** IN with a list of constants. */
import type { BooleanVector, ExactVector, TextVector, Value, Vector } from '../vector/index.js';
import { isSafe } from '../vector/index.js';
import { bigintAt } from './kinds.js';
import { isValid, writableValid } from './validity.js';

/** Constants within a span of this many integers are looked up in a table. */
const SPAN_MAX = 65_536;

/** `values` have the vector's type. If one of them is missing, the result is missing for values that are not found. */
export function inSet(values: readonly Value[], not: boolean): (vector: Vector) => BooleanVector {
  const present = values.filter((value) => value !== null);
  const unsure = present.length < values.length;
  const find = finder(present);
  return (vector) => {
    const { count } = vector;
    const found = find(vector);
    const valid = unsure ? whereFound(found, vector.valid, count) : vector.valid;
    if (not) for (let row = 0; row < count; row++) found[row] ^= 1;
    return { kind: 'boolean', count, valid, bits: found };
  };
}

/** The validity in which rows without a match are missing. */
function whereFound(found: Uint8Array, valid: Uint8Array | null, count: number): Uint8Array {
  const sure = writableValid(valid, count);
  for (let row = 0; row < count; row++) sure[row] &= found[row];
  return sure;
}

/** Returns a function that marks the rows whose value is one of `values` with 1. */
function finder(values: readonly NonNullable<Value>[]): (vector: Vector) => Uint8Array {
  const set = new Set<Value>(values);
  const numbers = numberFinder(values);
  return (vector) => {
    const found = new Uint8Array(vector.count);
    switch (vector.kind) {
      case 'exact':
        if (vector.numbers === null) findWide(set, vector, found);
        else numbers(vector.numbers, found);
        break;
      case 'float':
        numbers(vector.numbers, found);
        break;
      case 'boolean':
        for (let row = 0; row < vector.count; row++) found[row] = set.has(vector.bits[row] === 1) ? 1 : 0;
        break;
      case 'text':
        findTexts(set, vector, found);
    }
    return found;
  };
}

function findTexts(
  set: ReadonlySet<Value>,
  { codes, texts, valid, count }: TextVector,
  found: Uint8Array,
): void {
  for (let row = 0; row < count; row++) {
    if (isValid(valid, row)) found[row] = set.has(texts.text(codes === null ? row : codes[row])) ? 1 : 0;
  }
}

function findWide(set: ReadonlySet<Value>, vector: ExactVector, found: Uint8Array): void {
  for (let row = 0; row < vector.count; row++) found[row] = set.has(bigintAt(vector, row)) ? 1 : 0;
}

type NumberFinder = (numbers: Float64Array, found: Uint8Array) => void;

function numberFinder(values: readonly NonNullable<Value>[]): NumberFinder {
  const numbers = values.flatMap((value) => {
    if (typeof value === 'bigint') return isSafe(value) ? [Number(value)] : [];
    return typeof value === 'number' ? [value] : [];
  });
  // Spreading into Math.min would exceed the limit on arguments.
  const low = numbers.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = numbers.reduce((greatest, value) => Math.max(greatest, value), Number.NEGATIVE_INFINITY);
  if (numbers.length > 0 && high - low < SPAN_MAX && numbers.every(Number.isInteger)) {
    const marked = new Uint8Array(high - low + 1);
    for (const value of numbers) marked[value - low] = 1;
    return (values, found) => findMarked(marked, low, values, found);
  }
  const set = new Set(numbers);
  return (values, found) => {
    for (let row = 0; row < found.length; row++) found[row] = set.has(values[row]) ? 1 : 0;
  };
}

function findMarked(marked: Uint8Array, low: number, values: Float64Array, found: Uint8Array): void {
  const span = marked.length;
  for (let row = 0; row < found.length; row++) {
    const index = values[row] - low;
    // Fractions have no table entry.
    found[row] = index >= 0 && index < span && Number.isInteger(index) ? marked[index] : 0;
  }
}
