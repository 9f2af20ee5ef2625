/** IN: whether a value is one of some constants. */
import type { BooleanVector, ExactVector, TextVector, Value, Vector } from '../vector/index.js';
import { isSafe } from '../vector/index.js';
import { bigintAt } from './kinds.js';
import { isValid, writableValid } from './validity.js';

/** Of constants this close together each integer has a bit of its own. */
const SPAN_MAX = 65_536;

/** `values` are of the vector's type. A missing value among them makes what is not found missing. */
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

/** Missing where nothing was found. */
function whereFound(found: Uint8Array, valid: Uint8Array | null, count: number): Uint8Array {
  const sure = writableValid(valid, count);
  for (let row = 0; row < count; row++) sure[row] &= found[row];
  return sure;
}

/** 1 where a row that has a value has one of `values`. */
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
  // Not by spreading, which takes only so many arguments.
  const low = numbers.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = numbers.reduce((greatest, value) => Math.max(greatest, value), Number.NEGATIVE_INFINITY);
  if (numbers.length > 0 && high - low < SPAN_MAX && numbers.every(Number.isInteger)) {
    const marked = new Uint8Array(high - low + 1);
    for (const value of numbers) marked[value - low] = 1;
    return (given, found) => findMarked(marked, low, given, found);
  }
  const set = new Set(numbers);
  return (given, found) => {
    for (let row = 0; row < found.length; row++) found[row] = set.has(given[row]) ? 1 : 0;
  };
}

function findMarked(marked: Uint8Array, low: number, given: Float64Array, found: Uint8Array): void {
  const span = marked.length;
  for (let row = 0; row < found.length; row++) {
    const place = given[row] - low;
    // A fraction has no place of its own.
    found[row] = place >= 0 && place < span && Number.isInteger(place) ? marked[place] : 0;
  }
}
