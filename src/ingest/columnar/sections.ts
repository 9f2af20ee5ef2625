/**
 * Distributes the values of a column to shards: one section of a batch (column/batch.ts) per shard, encoded.
 * Invariant: the rows of a shard keep the order of the batch.
 */
import { shardOf } from '../../base/index.js';
import { BATCH_VERSION, FORMS, type Form, KINDS } from '../../column/index.js';
import type { ValueKind } from '../../schema/index.js';
import { HEAD_WORDS, paddedWords } from '../encode.js';
import type { BatchMemory } from './batch-memory.js';
import type { ColumnValues, ElementValues } from './column-values.js';

/** In the head of a batch. */
const SECTION_COUNT_WORD = 3;

/** The rows of each shard, ascending. */
export type ShardRows = readonly Uint32Array[];

/** A column, and where its values go. */
export interface ColumnTarget {
  readonly columnId: number;
  readonly kind: ValueKind;
  readonly form: Exclude<Form, 'remove'>;
  /** 0 = none. */
  readonly relationId: number;
  /** By row; of lists, by item. */
  readonly values: ElementValues;
  /** By row. */
  readonly present: Uint8Array | null;
  /** Lists: row r has the items [offsets[r], offsets[r + 1]); null = each row has the item of its own number. */
  readonly offsets: Int32Array | null;
  /** Events: seconds by row; null = all of `nowSeconds`. */
  readonly dates: Float64Array | null;
  readonly nowSeconds: number;
}

/** Divides rows by the hashes of their entity IDs. */
export function rowsByShard(hashes: Int32Array, shardCount: number): ShardRows {
  const count = hashes.length;
  if (shardCount === 1) return [Uint32Array.from({ length: count }, (_, row) => row)];
  const shards = new Uint16Array(count);
  const ends = new Uint32Array(shardCount + 1);
  for (let row = 0; row < count; row++) {
    shards[row] = shardOf(hashes[row] >>> 0, shardCount);
    ends[shards[row] + 1]++;
  }
  for (let shard = 0; shard < shardCount; shard++) ends[shard + 1] += ends[shard];
  const rows = new Uint32Array(count);
  const next = ends.slice();
  for (let row = 0; row < count; row++) rows[next[shards[row]]++] = row;
  return Array.from({ length: shardCount }, (_, shard) => rows.subarray(ends[shard], ends[shard + 1]));
}

/** Appends the section of one shard to its batch. Returns the number of values; 0 = none, also if all lists are empty. */
export function encodeSection(
  target: ColumnTarget,
  rows: Uint32Array,
  to: BatchMemory,
): EncodedSection | null {
  const { columnId, kind, form, relationId, values } = target;
  const { positions, sources } = rowsWithValue(rows, target.present);
  if (sources.length === 0) return null;
  const elements = form === 'list' && target.offsets !== null ? itemsOf(sources, target.offsets) : sources;
  const byteCount = values.kind === 'texts' ? textBytes(values, elements) : 0;
  let at = to.reserve(HEAD_WORDS);
  const head = [columnId, FORMS.indexOf(form), KINDS.indexOf(kind), positions.length, elements.length];
  to.words.set([...head, byteCount, relationId, 0], at);
  at = reserveParts(to, positions.length);
  to.words.set(positions, at);
  if (form !== 'latest') {
    at = reserveParts(to, positions.length);
    writeExtra(target, sources, to.words.subarray(at, at + positions.length));
  }
  writeElements(values, elements, byteCount, to);
  return { valueCount: elements.length };
}

export interface EncodedSection {
  readonly valueCount: number;
}

/** Reserves words for `count` elements of four bytes, with a padding of zeros. */
function reserveParts(to: BatchMemory, count: number): number {
  const words = paddedWords(count * 4);
  const at = to.reserve(words);
  if (words > count) to.words[at + words - 1] = 0;
  return at;
}

/** Reserves words for `count` bytes, with a padding of zeros. */
function reserveBytes(to: BatchMemory, count: number): number {
  const words = paddedWords(count);
  const at = to.reserve(words);
  if (words > 0) to.words.fill(0, at + words - 2, at + words);
  return at;
}

/** `positions`: the rows of the batch; `sources`: their rows in the record batch. */
function rowsWithValue(
  rows: Uint32Array,
  present: Uint8Array | null,
): { positions: Uint32Array; sources: Uint32Array } {
  const positions = new Uint32Array(rows.length);
  if (present === null) {
    for (let position = 0; position < rows.length; position++) positions[position] = position;
    return { positions, sources: rows };
  }
  const sources = new Uint32Array(rows.length);
  let count = 0;
  for (let position = 0; position < rows.length; position++) {
    positions[count] = position;
    sources[count] = rows[position];
    count += present[rows[position]];
  }
  return { positions: positions.subarray(0, count), sources: sources.subarray(0, count) };
}

function itemsOf(rows: Uint32Array, offsets: Int32Array): Uint32Array {
  let count = 0;
  for (const row of rows) count += offsets[row + 1] - offsets[row];
  const items = new Uint32Array(count);
  let at = 0;
  for (const row of rows) for (let item = offsets[row]; item < offsets[row + 1]; item++) items[at++] = item;
  return items;
}

/** The dates of events, or the lengths of lists. */
function writeExtra(
  { form, offsets, dates, nowSeconds }: ColumnTarget,
  rows: Uint32Array,
  to: Int32Array,
): void {
  if (form === 'event') {
    if (dates === null) to.fill(nowSeconds);
    else for (let index = 0; index < rows.length; index++) to[index] = dates[rows[index]];
  } else if (offsets === null) to.fill(1);
  else
    for (let index = 0; index < rows.length; index++)
      to[index] = offsets[rows[index] + 1] - offsets[rows[index]];
}

type TextElements = Extract<ElementValues, { kind: 'texts' }>;

function textBytes({ texts: { offsets }, codes }: TextElements, elements: Uint32Array): number {
  let bytes = 0;
  for (let index = 0; index < elements.length; index++) {
    const text = codes === null ? elements[index] : codes[elements[index]];
    bytes += offsets[text + 1] - offsets[text];
  }
  return bytes;
}

function writeElements(
  values: ElementValues,
  elements: Uint32Array,
  byteCount: number,
  to: BatchMemory,
): void {
  switch (values.kind) {
    case 'bits': {
      const at = reserveBytes(to, elements.length) * 4;
      for (let index = 0; index < elements.length; index++)
        to.bytes[at + index] = values.bits[elements[index]];
      return;
    }
    case 'words':
      writeWords(values.words, values.stride, elements, to);
      return;
    case 'texts':
      writeTexts(values, elements, byteCount, to);
  }
}

function writeWords(from: Int32Array, stride: number, elements: Uint32Array, to: BatchMemory): void {
  let at = reserveParts(to, elements.length * stride);
  const { words } = to;
  if (stride === 2) {
    for (let index = 0; index < elements.length; index++) {
      const source = elements[index] * 2;
      words[at++] = from[source];
      words[at++] = from[source + 1];
    }
    return;
  }
  for (let index = 0; index < elements.length; index++) {
    for (let word = 0; word < stride; word++) words[at++] = from[elements[index] * stride + word];
  }
}

/** Copying short texts byte by byte is faster than making views of them. */
const LOOP_BYTES_MAX = 32;

function writeTexts(
  { texts, codes }: TextElements,
  elements: Uint32Array,
  byteCount: number,
  to: BatchMemory,
): void {
  const { hashes, offsets, bytes } = texts;
  const count = elements.length;
  const hashAt = reserveParts(to, count);
  const endsAt = reserveParts(to, count + 1);
  const textAt = reserveBytes(to, byteCount) * 4;
  const { words, bytes: toBytes } = to;
  words[endsAt] = 0;
  let end = 0;
  for (let index = 0; index < count; index++) {
    const text = codes === null ? elements[index] : codes[elements[index]];
    const from = offsets[text];
    const length = offsets[text + 1] - from;
    words[hashAt + index] = hashes[text];
    const at = textAt + end;
    if (length <= LOOP_BYTES_MAX)
      for (let byte = 0; byte < length; byte++) toBytes[at + byte] = bytes[from + byte];
    else toBytes.set(bytes.subarray(from, from + length), at);
    end += length;
    words[endsAt + index + 1] = end;
  }
}

/** Begins a batch with its head and IDs; `setSectionCount` must follow. */
export function encodeIds(dimensionId: number, ids: ColumnValues, rows: Uint32Array, to: BatchMemory): void {
  const { values } = ids;
  if (values.kind !== 'texts') throw new TypeError('entity IDs are texts');
  const byteCount = textBytes(values, rows);
  to.end = 0;
  const at = to.reserve(HEAD_WORDS);
  to.words.set([BATCH_VERSION, dimensionId, rows.length, 0, byteCount, 0, 0, 0], at);
  writeTexts(values, rows, byteCount, to);
}

export function setSectionCount(batch: BatchMemory, count: number): void {
  batch.words[SECTION_COUNT_WORD] = count;
}

/** Hashes of the IDs by row. */
export function idHashes(ids: ColumnValues, rowCount: number): Int32Array {
  const { values } = ids;
  if (values.kind !== 'texts') throw new TypeError('entity IDs are texts');
  const { texts, codes } = values;
  if (codes === null) return texts.hashes;
  return Int32Array.from({ length: rowCount }, (_, row) => texts.hashes[codes[row]]);
}
