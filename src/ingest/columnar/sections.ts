/**
 * Distributes the values of a column to shards: one section of a batch (column/batch.ts) per shard, encoded.
 * Invariant: the rows of a shard keep the order of the batch.
 */
import { shardOf } from '../../base/index.js';
import { BATCH_VERSION, FORMS, type Form, KINDS } from '../../column/index.js';
import type { ValueKind } from '../../schema/index.js';
import { HEAD_WORDS, paddedWords } from '../encode.js';
import type { ColumnValues, ElementValues, Texts } from './column-values.js';

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

/** The section of one shard; null = none of its rows has a value. */
export function encodeSection(
  target: ColumnTarget,
  rows: Uint32Array,
): { words: Int32Array; valueCount: number } | null {
  const { columnId, kind, form, relationId, values } = target;
  const { positions, sources } = rowsWithValue(rows, target.present);
  if (sources.length === 0) return null;
  const elements = form === 'list' && target.offsets !== null ? itemsOf(sources, target.offsets) : sources;
  const hasExtra = form !== 'latest';
  const byteCount = values.kind === 'texts' ? textBytes(values, elements) : 0;
  const rowWords = paddedWords(positions.length * 4) * (hasExtra ? 2 : 1);
  const words = new Int32Array(HEAD_WORDS + rowWords + elementWords(values, elements.length, byteCount));
  words.set([
    columnId,
    FORMS.indexOf(form),
    KINDS.indexOf(kind),
    positions.length,
    elements.length,
    byteCount,
    relationId,
  ]);
  let at = HEAD_WORDS;
  words.set(positions, at);
  at += paddedWords(positions.length * 4);
  if (hasExtra) {
    writeExtra(target, sources, words.subarray(at, at + positions.length));
    at += paddedWords(positions.length * 4);
  }
  writeElements(values, elements, words, at);
  return { words, valueCount: elements.length };
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

function elementWords(values: ElementValues, count: number, byteCount: number): number {
  switch (values.kind) {
    case 'bits':
      return paddedWords(count);
    case 'words':
      return paddedWords(count * values.stride * 4);
    case 'texts':
      return paddedWords(count * 4) + paddedWords((count + 1) * 4) + paddedWords(byteCount);
  }
}

function writeElements(values: ElementValues, elements: Uint32Array, words: Int32Array, at: number): void {
  switch (values.kind) {
    case 'bits': {
      const bytes = new Uint8Array(words.buffer, at * 4, elements.length);
      for (let index = 0; index < elements.length; index++) bytes[index] = values.bits[elements[index]];
      return;
    }
    case 'words':
      writeWords(values.words, values.stride, elements, words, at);
      return;
    case 'texts':
      writeTexts(values.texts, values.codes, elements, words, at);
  }
}

function writeWords(
  from: Int32Array,
  stride: number,
  elements: Uint32Array,
  to: Int32Array,
  start: number,
): void {
  let at = start;
  if (stride === 2) {
    for (let index = 0; index < elements.length; index++) {
      const source = elements[index] * 2;
      to[at++] = from[source];
      to[at++] = from[source + 1];
    }
    return;
  }
  for (let index = 0; index < elements.length; index++) {
    for (let word = 0; word < stride; word++) to[at++] = from[elements[index] * stride + word];
  }
}

/** Copying short texts byte by byte is faster than making views of them. */
const LOOP_BYTES_MAX = 32;

function writeTexts(
  { hashes, offsets, bytes }: Texts,
  codes: Int32Array | null,
  elements: Uint32Array,
  words: Int32Array,
  start: number,
): void {
  const count = elements.length;
  const endsAt = start + paddedWords(count * 4);
  const textAt = (endsAt + paddedWords((count + 1) * 4)) * 4;
  const to = new Uint8Array(words.buffer);
  let end = 0;
  for (let index = 0; index < count; index++) {
    const text = codes === null ? elements[index] : codes[elements[index]];
    const from = offsets[text];
    const length = offsets[text + 1] - from;
    words[start + index] = hashes[text];
    if (length <= LOOP_BYTES_MAX)
      for (let byte = 0; byte < length; byte++) to[textAt + end + byte] = bytes[from + byte];
    else to.set(bytes.subarray(from, from + length), textAt + end);
    end += length;
    words[endsAt + index + 1] = end;
  }
}

/** The head and the IDs of a batch. */
export function encodeIds(
  dimensionId: number,
  ids: ColumnValues,
  rows: Uint32Array,
  sectionCount: number,
): Int32Array {
  const { values } = ids;
  if (values.kind !== 'texts') throw new TypeError('entity IDs are texts');
  const byteCount = textBytes(values, rows);
  const words = new Int32Array(HEAD_WORDS + elementWords(values, rows.length, byteCount));
  words.set([BATCH_VERSION, dimensionId, rows.length, sectionCount, byteCount]);
  writeTexts(values.texts, values.codes, rows, words, HEAD_WORDS);
  return words;
}

/** Hashes of the IDs by row. */
export function idHashes(ids: ColumnValues, rowCount: number): Int32Array {
  const { values } = ids;
  if (values.kind !== 'texts') throw new TypeError('entity IDs are texts');
  const { texts, codes } = values;
  if (codes === null) return texts.hashes;
  return Int32Array.from({ length: rowCount }, (_, row) => texts.hashes[codes[row]]);
}
