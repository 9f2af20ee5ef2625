/** Joins and gathers whole columns in slices, as src/vector does at once for batches. */
import { inSlices, type MemoryAccount, QuarryError, SLICE_ENTRIES, type Task } from '../../base/index.js';
import {
  constantVector,
  gather,
  join64,
  putIntegers,
  type SqlType,
  Texts,
  type TextVector,
  type Vector,
  vectorKindOf,
  type WideIntegers,
} from '../../vector/index.js';

/** Approximate bytes of a bigint of at most 38 digits, including its place in a list. */
export const BIGINT_BYTES = 40;
/** Bytes of texts that are copied at once. */
const SLICE_BYTES = 2 ** 20;
/** Offsets are u32. */
const TEXT_BYTES_MAX = 2 ** 32 - 1;

type OfKind<Kind extends Vector['kind']> = Extract<Vector, { kind: Kind }>;

/**
 * Concatenates the rows of all vectors; a single vector is returned as it is. Texts are concatenated without
 * deduplication, but the texts of one Texts object are copied once. Throws 9006.
 */
export function* joinColumns(vectors: readonly Vector[], type: SqlType, budget: MemoryAccount): Task<Vector> {
  if (vectors.length === 1) return vectors[0];
  const count = vectors.reduce((sum, vector) => sum + vector.count, 0);
  const valid = yield* joinValid(vectors, count, budget);
  switch (vectorKindOf(type)) {
    case 'exact':
      return yield* joinExact(vectors as readonly OfKind<'exact'>[], count, valid, budget);
    case 'float': {
      const parts = (vectors as readonly OfKind<'float'>[]).map(({ numbers }) => numbers);
      budget.reserve(count * 8);
      const numbers = yield* joinArrays(parts, vectors, new Float64Array(count));
      return { kind: 'float', count, valid, numbers };
    }
    case 'boolean': {
      const parts = (vectors as readonly OfKind<'boolean'>[]).map(({ bits }) => bits);
      budget.reserve(count);
      const bits = yield* joinArrays(parts, vectors, new Uint8Array(count));
      return { kind: 'boolean', count, valid, bits };
    }
    case 'text':
      return yield* joinTextColumns(vectors as readonly TextVector[], count, valid, budget);
  }
}

function* joinArrays<T extends Float64Array | Uint8Array | Uint32Array>(
  parts: readonly T[],
  lengths: readonly { readonly count: number }[],
  joined: T,
): Task<T> {
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const { count } = lengths[index];
    yield* inSlices(count, (from, to) => joined.set(part.subarray(from, to), at + from));
    at += count;
  }
  return joined;
}

function* joinValid(
  vectors: readonly Vector[],
  count: number,
  budget: MemoryAccount,
): Task<Uint8Array | null> {
  if (vectors.every(({ valid }) => valid === null)) return null;
  budget.reserve(count);
  const joined = new Uint8Array(count).fill(1);
  let at = 0;
  for (const { valid, count: length } of vectors) {
    if (valid !== null) {
      yield* inSlices(length, (from, to) => joined.set(valid.subarray(from, to), at + from));
    }
    at += length;
  }
  return joined;
}

function* joinExact(
  vectors: readonly OfKind<'exact'>[],
  count: number,
  valid: Uint8Array | null,
  budget: MemoryAccount,
): Task<Vector> {
  if (vectors.every(({ numbers }) => numbers !== null)) {
    budget.reserve(count * 8);
    const parts = vectors.map(({ numbers }) => numbers as Float64Array);
    const numbers = yield* joinArrays(parts, vectors, new Float64Array(count));
    return { kind: 'exact', count, valid, numbers, wide: null };
  }
  if (join64(vectors)) {
    budget.reserve(count * 8);
    const joined = new BigInt64Array(count);
    let at = 0;
    for (const vector of vectors) {
      const first = at;
      yield* inSlices(vector.count, (from, to) => putIntegers(vector, from, to, joined, first));
      at += vector.count;
    }
    return { kind: 'exact', count, valid, numbers: null, wide: joined };
  }
  budget.reserve(count * BIGINT_BYTES);
  const wide: bigint[] = [];
  for (const vector of vectors) {
    yield* inSlices(vector.count, (from, to) => appendWide(vector, from, to, wide));
  }
  return { kind: 'exact', count, valid, numbers: null, wide };
}

function appendWide(vector: OfKind<'exact'>, from: number, to: number, wide: bigint[]): void {
  const { numbers, valid } = vector;
  for (let row = from; row < to; row++) {
    if (valid !== null && valid[row] === 0) wide.push(0n);
    else wide.push(numbers === null ? (vector.wide as WideIntegers)[row] : BigInt(numbers[row]));
  }
}

function* joinTextColumns(
  vectors: readonly TextVector[],
  count: number,
  valid: Uint8Array | null,
  budget: MemoryAccount,
): Task<Vector> {
  // Lists of texts are identified by their array of offsets, which vectors of one list share even after they were sent.
  const lists = new Map<Uint32Array, Texts>();
  for (const { texts } of vectors) lists.set(texts.utf8.offsets, texts);
  const bases = new Map<Uint32Array, number>();
  let size = 0;
  for (const [offsets, texts] of lists) {
    bases.set(offsets, size);
    size += texts.size;
  }
  const [first] = lists.values();
  const texts = lists.size === 1 ? first : yield* joinTexts([...lists.values()], size, budget);
  budget.reserve(count * 4);
  const codes = new Uint32Array(count);
  let at = 0;
  for (const vector of vectors) {
    const base = bases.get(vector.texts.utf8.offsets) ?? 0;
    yield* inSlices(vector.count, (from, to) => putCodes(vector.codes, base, from, to, codes, at));
    at += vector.count;
  }
  return { kind: 'text', count, valid, codes, texts };
}

function putCodes(
  codes: Uint32Array | null,
  base: number,
  from: number,
  to: number,
  joined: Uint32Array,
  at: number,
): void {
  if (codes === null) for (let row = from; row < to; row++) joined[at + row] = base + row;
  else for (let row = from; row < to; row++) joined[at + row] = base + codes[row];
}

function* joinTexts(lists: readonly Texts[], size: number, budget: MemoryAccount): Task<Texts> {
  const byteCount = lists.reduce((sum, { utf8, size }) => sum + utf8.offsets[size] - utf8.offsets[0], 0);
  if (byteCount > TEXT_BYTES_MAX) {
    throw new QuarryError(
      9006,
      `a column of the query has ${byteCount} bytes of text, which is too much to merge`,
    );
  }
  budget.reserve(size * 4 + byteCount);
  const offsets = new Uint32Array(size + 1);
  const bytes = new Uint8Array(byteCount);
  let at = 0;
  let text = 0;
  for (const list of lists) {
    const { offsets: own, bytes: ownBytes } = list.utf8;
    const start = own[0];
    const length = own[list.size] - start;
    const moved = at - start;
    const first = text;
    yield* inSlices(
      length,
      (from, to) => bytes.set(ownBytes.subarray(start + from, start + to), start + from + moved),
      SLICE_BYTES,
    );
    yield* inSlices(list.size, (from, to) => moveOffsets(own, from, to, offsets, first, moved));
    at += length;
    text += list.size;
  }
  return Texts.ofBytes({ offsets, bytes }, size, false, yield* joinHashes(lists, size, budget));
}

/** null unless all lists have hashes. */
function* joinHashes(lists: readonly Texts[], size: number, budget: MemoryAccount): Task<Uint32Array | null> {
  const parts: Uint32Array[] = [];
  for (const { hashes } of lists) {
    if (hashes === null) return null;
    parts.push(hashes);
  }
  budget.reserve(size * 4);
  return yield* joinArrays(
    parts,
    lists.map((list) => ({ count: list.size })),
    new Uint32Array(size),
  );
}

function moveOffsets(
  own: Uint32Array,
  from: number,
  to: number,
  joined: Uint32Array,
  first: number,
  moved: number,
): void {
  for (let text = from + 1; text <= to; text++) joined[first + text] = own[text] + moved;
}

/** Replaces -0 with 0, because they are one group and must not depend on the shard. Throws 9006. */
export function* withoutSignedZeros(vector: Vector, budget: MemoryAccount): Task<Vector> {
  if (vector.kind !== 'float') return vector;
  const { numbers, count } = vector;
  let signed = 0;
  yield* inSlices(count, (from, to) => {
    for (let row = from; row < to; row++) if (numbers[row] === 0 && 1 / numbers[row] < 0) signed++;
  });
  if (signed === 0) return vector;
  budget.reserve(count * 8);
  const unsigned = new Float64Array(count);
  yield* inSlices(count, (from, to) => {
    for (let row = from; row < to; row++) unsigned[row] = numbers[row] + 0;
  });
  return { ...vector, numbers: unsigned };
}

/** If at most this fraction (1 / USED_PART) of a list's texts is used, the used ones are copied. */
const USED_PART = 4;

/** Row i of the result is row rows[i] of `vector`. Throws 9006. */
export function* gatherRows(vector: Vector, rows: Uint32Array, budget: MemoryAccount): Task<Vector> {
  const count = rows.length;
  budget.reserve(count * bytesPerRow(vector));
  if (vector.kind === 'text' && count * USED_PART < vector.texts.size) {
    return copyTexts(vector, rows, budget);
  }
  if (count <= SLICE_ENTRIES) return gather(vector, rows, count);
  const parts: Vector[] = [];
  yield* inSlices(count, (from, to) => {
    parts.push(gather(vector, rows.subarray(from, to), to - from));
  });
  return yield* joinColumns(parts, typeOfKind(vector), budget);
}

const bytesPerRow = (vector: Vector): number => {
  const own = { exact: 8, float: 8, boolean: 1, text: 4 }[vector.kind];
  return own + (vector.valid === null ? 0 : 1);
};

/** A type whose vectors are of the vector's kind. */
const typeOfKind = ({ kind }: Vector): SqlType => ({ type: kind === 'exact' ? 'integer' : kind });

/** Copies one text per row, for few rows. */
function copyTexts({ codes, valid, texts }: TextVector, rows: Uint32Array, budget: MemoryAccount): Vector {
  const { offsets, bytes } = texts.utf8;
  const count = rows.length;
  const own = new Uint32Array(count + 1);
  const ownValid = valid === null ? null : new Uint8Array(count);
  for (let index = 0; index < count; index++) {
    const row = rows[index];
    if (ownValid !== null) ownValid[index] = valid?.[row] ?? 1;
    const code = codes === null ? row : codes[row];
    own[index + 1] = own[index] + offsets[code + 1] - offsets[code];
  }
  budget.reserve(own[count]);
  const ownBytes = new Uint8Array(own[count]);
  for (let index = 0; index < count; index++) {
    const code = codes === null ? rows[index] : codes[rows[index]];
    ownBytes.set(bytes.subarray(offsets[code], offsets[code + 1]), own[index]);
  }
  const copied = Texts.ofBytes({ offsets: own, bytes: ownBytes }, count, false);
  return { kind: 'text', count, valid: ownValid, codes: null, texts: copied };
}

/** Row rows[i] - 1 of `values`, or missing if rows[i] is 0; overwrites `rows`. */
export function* rowsOrMissing(values: Vector, rows: Uint32Array, budget: MemoryAccount): Task<Vector> {
  const valid = new Uint8Array(rows.length);
  let missing = 0;
  yield* inSlices(rows.length, (from, to) => {
    for (let index = from; index < to; index++) {
      if (rows[index] === 0) missing++;
      else {
        valid[index] = 1;
        rows[index]--;
      }
    }
  });
  // Row 0 must exist, although its value is not read.
  const source = values.count === 0 ? withOneMissing(values) : values;
  const gathered = yield* gatherRows(source, rows, budget);
  return { ...gathered, valid: missing === 0 ? null : valid };
}

const withOneMissing = ({ kind }: Vector): Vector =>
  constantVector({ type: kind === 'exact' ? 'integer' : kind }, null, 1);
