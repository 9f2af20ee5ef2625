/**
 * Encodes the builders of a request as batches (layout of column/batch.ts), concatenated in a buffer of the worker's scratch:
 * ordered by shard, then by the first mention of the dimension. Sections follow the first mention of their columns; the removals
 * of a column follow its values.
 */
import { invariant } from '../base/index.js';
import { BATCH_VERSION, FORMS, KINDS } from '../column/index.js';
import type { BatchBuilder, ColumnBuilder } from './builders.js';
import type { BatchRange } from './parse.js';
import type { IngestScratch } from './scratch.js';
import type { ModelTables } from './tables.js';

export const HEAD_WORDS = 8;
/** Below this size a loop is faster than creating views for a copy. */
const LOOP_WORDS_MAX = 48;

export const paddedWords = (bytes: number): number => ((bytes + 7) >> 3) << 1;

function sectionWords(section: ColumnBuilder): number {
  const { rowCount, valueCount } = section;
  const rows = paddedWords(rowCount * 4);
  const extra = section.form === 'list' || section.form === 'event' ? rows : 0;
  const values = paddedWords(section.kind === 'bits' ? valueCount : valueCount * section.wordsPerValue * 4);
  const texts =
    section.kind === 'code' ? paddedWords((valueCount + 1) * 4) + paddedWords(section.text.length) : 0;
  return HEAD_WORDS + rows + extra + values + texts;
}

function batchWords(batch: BatchBuilder, sections: readonly ColumnBuilder[]): number {
  const { rowCount } = batch;
  let words = HEAD_WORDS + paddedWords(rowCount * 4) + paddedWords((rowCount + 1) * 4);
  words += paddedWords(batch.ends[rowCount]);
  for (const section of sections) words += sectionWords(section);
  return words;
}

class WordWriter {
  readonly words: Int32Array<ArrayBuffer>;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  at = 0;

  constructor(words: Int32Array<ArrayBuffer>) {
    this.words = words;
    this.#bytes = new Uint8Array(words.buffer);
  }

  head(a: number, b: number, c: number, d: number, e: number, f: number, g: number): void {
    const { words, at } = this;
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
    words[at + 3] = d;
    words[at + 4] = e;
    words[at + 5] = f;
    words[at + 6] = g;
    words[at + 7] = 0;
    this.at += HEAD_WORDS;
  }

  part(from: Int32Array, count: number): void {
    const { words, at } = this;
    const end = at + paddedWords(count * 4);
    if (end > at) words[end - 1] = 0;
    if (count > LOOP_WORDS_MAX) words.set(from.subarray(0, count), at);
    else for (let index = 0; index < count; index++) words[at + index] = from[index];
    this.at = end;
  }

  byteColumn(from: Uint8Array, count: number): void {
    const { at } = this;
    const end = at + paddedWords(count);
    if (end > at) {
      this.words[end - 1] = 0;
      this.words[end - 2] = 0;
    }
    if (count > LOOP_WORDS_MAX) this.#bytes.set(from.subarray(0, count), at * 4);
    else for (let index = 0; index < count; index++) this.#bytes[at * 4 + index] = from[index];
    this.at = end;
  }
}

function writeSection(to: WordWriter, section: ColumnBuilder): void {
  const { columnId, form, kind, relationId, rowCount, valueCount, text } = section;
  const byteCount = kind === 'code' ? text.length : 0;
  to.head(columnId, FORMS.indexOf(form), KINDS.indexOf(kind), rowCount, valueCount, byteCount, relationId);
  to.part(section.rows, rowCount);
  if (form === 'list' || form === 'event') to.part(section.extra, rowCount);
  if (kind === 'bits') to.byteColumn(section.bits, valueCount);
  else to.part(section.words, valueCount * section.wordsPerValue);
  if (kind === 'code') {
    to.part(section.ends, valueCount + 1);
    to.byteColumn(text.bytes, byteCount);
  }
}

function writeBatch(
  to: WordWriter,
  batch: BatchBuilder,
  dimensionId: number,
  sections: readonly ColumnBuilder[],
): void {
  const { rowCount } = batch;
  const idBytes = batch.ends[rowCount];
  to.head(BATCH_VERSION, dimensionId, rowCount, sections.length, idBytes, 0, 0);
  to.part(batch.hashes, rowCount);
  to.part(batch.ends, rowCount + 1);
  to.byteColumn(batch.bytes, idBytes);
  for (const section of sections) writeSection(to, section);
}

function sectionsOf(tables: ModelTables, batch: BatchBuilder): ColumnBuilder[] {
  const sections: ColumnBuilder[] = [];
  for (const slot of tables.dimensions[batch.dimension].touchedSlots) {
    const at = slot * tables.shardCount + batch.shard;
    const values = tables.builders[at];
    const removed = tables.removers[at];
    if (values !== null && values.rowCount > 0) sections.push(values);
    if (removed !== null && removed.rowCount > 0) sections.push(removed);
  }
  return sections;
}

/** Encodes all batches of the request into the scratch. The result is valid until the next request. */
export function encodeAll(
  scratch: IngestScratch,
  tables: ModelTables,
): { buffer: ArrayBufferLike; batches: BatchRange[] } {
  const builders = scratch.pools.batches.toSorted((a, b) => a.shard - b.shard);
  const sections = builders.map((batch) => sectionsOf(tables, batch));
  const sizes = builders.map((batch, index) => batchWords(batch, sections[index]));
  const total = sizes.reduce((sum, words) => sum + words, 0);
  if (scratch.encoded.length < total) scratch.encoded = new Int32Array(total * 2);
  const writer = new WordWriter(scratch.encoded);
  const batches = builders.map((batch, index) => {
    const offset = writer.at * 4;
    const dimensionId = tables.dimensions[batch.dimension].dimension.id;
    writeBatch(writer, batch, dimensionId, sections[index]);
    const byteLength = writer.at * 4 - offset;
    invariant(byteLength === sizes[index] * 4, 'the size of an encoded batch differs from the computed size');
    return { shard: batch.shard, dimensionId, offset, byteLength };
  });
  return { buffer: scratch.encoded.buffer, batches };
}
