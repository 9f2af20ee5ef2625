/** Vectors made of rows of other vectors. Results may share arrays and texts with their sources. */
import { joinTexts } from './join-texts.js';
import { Texts } from './texts.js';
import type { ExactVector, SqlType, Vector, VectorKind, WideIntegers } from './vector.js';
import { vectorKindOf } from './vector.js';
import { gatherIntegers, join64, putIntegers, sliceIntegers } from './wide-integers.js';

/** Returns a vector whose row i is row rows[i] of `vector`, for i below `count`. Texts are shared. */
export function gather(vector: Vector, rows: Uint32Array, count: number): Vector {
  const valid = vector.valid && gatherBytes(vector.valid, rows, count);
  switch (vector.kind) {
    case 'exact': {
      const numbers = vector.numbers && gatherNumbers(vector.numbers, rows, count);
      return {
        kind: 'exact',
        count,
        valid,
        numbers,
        wide: vector.wide && gatherIntegers(vector.wide, rows, count),
      };
    }
    case 'float':
      return { kind: 'float', count, valid, numbers: gatherNumbers(vector.numbers, rows, count) };
    case 'boolean':
      return { kind: 'boolean', count, valid, bits: gatherBytes(vector.bits, rows, count) };
    case 'text': {
      const codes = vector.codes === null ? rows.slice(0, count) : gatherCodes(vector.codes, rows, count);
      return { kind: 'text', count, valid, codes, texts: vector.texts };
    }
  }
}

/**
 * Row `at` of the result is row rows[at], or missing if rows[at] is negative; `vector` may then be empty. Rows may
 * repeat.
 */
export function gatherOrMissing(vector: Vector, rows: Int32Array, count: number): Vector {
  const valid = new Uint8Array(count);
  const positions = new Uint32Array(count);
  let all = true;
  for (let at = 0; at < count; at++) {
    const row = rows[at];
    const has = row >= 0 && (vector.valid === null || vector.valid[row] === 1);
    valid[at] = has ? 1 : 0;
    if (has) positions[at] = row;
    else all = false;
  }
  if (vector.count === 0)
    return missingRows(vector.kind, count, vector.kind === 'text' ? vector.texts : null);
  return { ...gather({ ...vector, valid: null }, positions, count), valid: all ? null : valid };
}

/** A vector of missing values; `texts` are those of the column, none of which is read; null = they are not known. */
export function missingRows(kind: VectorKind, count: number, texts: Texts | null): Vector {
  const valid = new Uint8Array(count);
  switch (kind) {
    case 'exact':
      return { kind, count, valid, numbers: new Float64Array(count), wide: null };
    case 'float':
      return { kind, count, valid, numbers: new Float64Array(count) };
    case 'boolean':
      return { kind, count, valid, bits: new Uint8Array(count) };
    case 'text':
      return { kind, count, valid, codes: new Uint32Array(count), texts: texts ?? Texts.ofStrings(['']) };
  }
}

/** Element `at` of `out` becomes values[rows[at]], for all of `out`. */
export function gatherArray<A extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
  values: A,
  rows: Uint32Array,
  out: A,
): A {
  for (let at = 0; at < out.length; at++) out[at] = values[rows[at]];
  return out;
}

/** Returns rows [from, to) of `vector`. Texts are shared. */
export function slice(vector: Vector, from: number, to: number): Vector {
  const count = to - from;
  const valid = vector.valid?.subarray(from, to) ?? null;
  switch (vector.kind) {
    case 'exact': {
      const numbers = vector.numbers?.subarray(from, to) ?? null;
      return {
        kind: 'exact',
        count,
        valid,
        numbers,
        wide: vector.wide === null ? null : sliceIntegers(vector.wide, from, to),
      };
    }
    case 'float':
      return { kind: 'float', count, valid, numbers: vector.numbers.subarray(from, to) };
    case 'boolean':
      return { kind: 'boolean', count, valid, bits: vector.bits.subarray(from, to) };
    case 'text': {
      const { texts } = vector;
      if (vector.codes !== null) {
        return { kind: 'text', count, valid, codes: vector.codes.subarray(from, to), texts };
      }
      const codes = from === 0 ? null : Uint32Array.from({ length: count }, (_, row) => from + row);
      return { kind: 'text', count, valid, codes, texts };
    }
  }
}

/** Concatenates vectors of `type`. An empty list gives a vector without rows. A Texts that all vectors share stays shared. */
export function concat(vectors: readonly Vector[], type: SqlType): Vector {
  if (vectors.length === 1) return vectors[0];
  const count = vectors.reduce((sum, vector) => sum + vector.count, 0);
  const valid = concatValid(vectors, count);
  const kind = vectorKindOf(type);
  switch (kind) {
    case 'exact':
      return concatExact(vectors.filter(isOf('exact')), valid, count);
    case 'float':
      return { kind, count, valid, numbers: concatNumbers(vectors.filter(isOf('float')), count) };
    case 'boolean':
      return { kind, count, valid, bits: concatBits(vectors.filter(isOf('boolean')), count) };
    case 'text':
      return joinTexts(vectors.filter(isOf('text')), valid, count);
  }
}

const isOf =
  <K extends VectorKind>(kind: K) =>
  (vector: Vector): vector is Extract<Vector, { kind: K }> =>
    vector.kind === kind;

function concatExact(vectors: readonly ExactVector[], valid: Uint8Array | null, count: number): ExactVector {
  if (vectors.every(({ numbers }) => numbers !== null)) {
    const parts = vectors.map((vector) => ({ count: vector.count, numbers: vector.numbers as Float64Array }));
    return { kind: 'exact', count, valid, numbers: concatNumbers(parts, count), wide: null };
  }
  if (join64(vectors)) {
    const joined = new BigInt64Array(count);
    let at = 0;
    for (const vector of vectors) {
      putIntegers(vector, 0, vector.count, joined, at);
      at += vector.count;
    }
    return { kind: 'exact', count, valid, numbers: null, wide: joined };
  }
  const wide: bigint[] = [];
  for (const vector of vectors) {
    for (let row = 0; row < vector.count; row++) {
      wide.push(vector.numbers === null ? (vector.wide as WideIntegers)[row] : BigInt(vector.numbers[row]));
    }
  }
  return { kind: 'exact', count, valid, numbers: null, wide };
}

interface Numbers {
  readonly count: number;
  readonly numbers: Float64Array;
}

function concatNumbers(parts: readonly Numbers[], count: number): Float64Array {
  const numbers = new Float64Array(count);
  let at = 0;
  for (const part of parts) {
    numbers.set(part.numbers.subarray(0, part.count), at);
    at += part.count;
  }
  return numbers;
}

function concatBits(vectors: readonly (Vector & { kind: 'boolean' })[], count: number): Uint8Array {
  const bits = new Uint8Array(count);
  let at = 0;
  for (const vector of vectors) {
    bits.set(vector.bits.subarray(0, vector.count), at);
    at += vector.count;
  }
  return bits;
}

function concatValid(vectors: readonly Vector[], count: number): Uint8Array | null {
  if (vectors.every(({ valid }) => valid === null)) return null;
  const all = new Uint8Array(count).fill(1);
  let at = 0;
  for (const { valid, count: rows } of vectors) {
    if (valid !== null) all.set(valid.subarray(0, rows), at);
    at += rows;
  }
  return all;
}

function gatherNumbers(source: Float64Array, rows: Uint32Array, count: number): Float64Array {
  const gathered = new Float64Array(count);
  for (let index = 0; index < count; index++) gathered[index] = source[rows[index]];
  return gathered;
}

function gatherCodes(source: Uint32Array, rows: Uint32Array, count: number): Uint32Array {
  const gathered = new Uint32Array(count);
  for (let index = 0; index < count; index++) gathered[index] = source[rows[index]];
  return gathered;
}

function gatherBytes(source: Uint8Array, rows: Uint32Array, count: number): Uint8Array {
  const gathered = new Uint8Array(count);
  for (let index = 0; index < count; index++) gathered[index] = source[rows[index]];
  return gathered;
}
