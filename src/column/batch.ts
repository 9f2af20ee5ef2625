/**
 * A batch: the rows of one request for one shard and one dimension, column by column. Workers produce these bytes when
 * they parse a body, the log stores them, and shards apply them.
 * Invariants: a batch starts 8-aligned and every part is padded to 8 bytes; rows are indexes of the batch's entities
 * (0-based, in document order); the rows of a section ascend; of several entries for a row the last wins (latest-value,
 * list) or all count (event). Little-endian.
 *
 * Layout v1, in u32 words unless noted
 *   head      version = 1 | dimensionId | rowCount n | sectionCount | idByteCount | reserved x3 = 0
 *   ids       hashes u32[n], offsets u32[n + 1], bytes u8[idByteCount] (UTF-8, in stored form)
 *   sections  each: columnId | form | kind | entryCount m | valueCount v | byteCount b | relationId | reserved = 0, then
 *             rows u32[m]
 *             list:    counts u32[m], values per row (their sum is v); all other forms: v = m
 *             event:   dates u32[m], seconds since 1970-01-01
 *             values   bits u8[v] | i32 i32[v] | i64 (low, high) u32[2v] | geo (longitude, latitude) f64[2v]
 *                      code: hashes u32[v], offsets u32[v + 1], bytes u8[b]
 *             relationId: for event sections, 0 = none. The Nth event of an entity in one section of a relation
 *                      belongs together with its Nth event in every other section of that relation
 *             remove:  no values (v = 0): the latest-value of these rows is removed
 */
import { invariant } from '../base/index.js';
import type { ValueKind } from '../schema/index.js';

export const BATCH_VERSION = 1;
export const FORMS = ['latest', 'list', 'event', 'remove'] as const;
export type Form = (typeof FORMS)[number];
export const KINDS: readonly ValueKind[] = ['bits', 'i32', 'i64', 'code', 'geo'];

export type Values =
  | { readonly kind: 'bits'; readonly bits: Uint8Array }
  | { readonly kind: 'i32'; readonly i32: Int32Array }
  /** Little-endian 64-bit integers as (low, high) pairs: 2 words per value. */
  | { readonly kind: 'i64'; readonly words: Uint32Array }
  | { readonly kind: 'geo'; readonly f64: Float64Array }
  | {
      readonly kind: 'code';
      readonly hashes: Uint32Array;
      readonly offsets: Uint32Array;
      readonly bytes: Uint8Array;
    };

export interface Section {
  readonly columnId: number;
  readonly form: Form;
  readonly rows: Uint32Array;
  /** Values per row; list sections only. */
  readonly counts: Uint32Array | null;
  /** Seconds since 1970-01-01; event sections only. */
  readonly dates: Uint32Array | null;
  /** The relation between this section's events and those of other sections; 0 = none. */
  readonly relationId: number;
  readonly valueCount: number;
  readonly values: Values;
}

export interface Batch {
  readonly dimensionId: number;
  readonly rowCount: number;
  readonly idHashes: Uint32Array;
  readonly idOffsets: Uint32Array;
  readonly idBytes: Uint8Array;
  readonly sections: readonly Section[];
}

const HEAD_WORDS = 8;
const SECTION_WORDS = 8;
const align8 = (bytes: number): number => (bytes + 7) & ~7;

function valuesBytes(values: Values): number {
  switch (values.kind) {
    case 'bits':
      return align8(values.bits.length);
    case 'i32':
      return align8(values.i32.length * 4);
    case 'i64':
      return values.words.length * 4;
    case 'geo':
      return values.f64.length * 8;
    case 'code':
      return (
        align8(values.hashes.length * 4) + align8(values.offsets.length * 4) + align8(values.bytes.length)
      );
  }
}

/** The encoded size of `batch` in bytes, a multiple of 8. */
export function batchBytes(batch: Batch): number {
  let total = HEAD_WORDS * 4 + align8(batch.rowCount * 4) + align8((batch.rowCount + 1) * 4);
  total += align8(batch.idBytes.length);
  for (const section of batch.sections) {
    total += SECTION_WORDS * 4 + align8(section.rows.length * 4) + valuesBytes(section.values);
    if (section.counts !== null) total += align8(section.counts.length * 4);
    if (section.dates !== null) total += align8(section.dates.length * 4);
  }
  return total;
}

/** Writes consecutive parts, each at an 8-aligned offset. */
class Writer {
  at: number;
  readonly #u8: Uint8Array;
  readonly #u32: Uint32Array;

  constructor(buffer: ArrayBufferLike, at: number) {
    this.#u8 = new Uint8Array(buffer);
    this.#u32 = new Uint32Array(buffer, 0, buffer.byteLength >> 2);
    this.at = at;
  }

  words(...words: number[]): void {
    this.#u32.set(words, this.at >> 2);
    this.at += align8(words.length * 4);
  }

  part(view: Uint8Array | Uint32Array | Int32Array | Float64Array): void {
    this.#u8.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), this.at);
    this.at += align8(view.byteLength);
  }

  values(values: Values): void {
    if (values.kind === 'code') {
      this.part(values.hashes);
      this.part(values.offsets);
      this.part(values.bytes);
    } else if (values.kind === 'bits') this.part(values.bits);
    else if (values.kind === 'i32') this.part(values.i32);
    else if (values.kind === 'i64') this.part(values.words);
    else this.part(values.f64);
  }
}

/** Writes `batch` into `buffer` at `offset` (8-aligned; padding bytes must be zero already). Returns the end offset. */
export function encodeBatch(batch: Batch, buffer: ArrayBufferLike, offset: number): number {
  invariant((offset & 7) === 0, 'a batch starts 8-aligned');
  const writer = new Writer(buffer, offset);
  writer.words(
    BATCH_VERSION,
    batch.dimensionId,
    batch.rowCount,
    batch.sections.length,
    batch.idOffsets[batch.rowCount],
    0,
    0,
    0,
  );
  writer.part(batch.idHashes);
  writer.part(batch.idOffsets);
  writer.part(batch.idBytes);
  for (const section of batch.sections) {
    const byteCount = section.values.kind === 'code' ? section.values.bytes.length : 0;
    writer.words(
      section.columnId,
      FORMS.indexOf(section.form),
      KINDS.indexOf(section.values.kind),
      section.rows.length,
      section.valueCount,
      byteCount,
      section.relationId,
      0,
    );
    writer.part(section.rows);
    if (section.counts !== null) writer.part(section.counts);
    if (section.dates !== null) writer.part(section.dates);
    writer.values(section.values);
  }
  return writer.at;
}

/** Returns views of consecutive parts, each at an 8-aligned offset. */
class Reader {
  at: number;
  readonly end: number;
  readonly #buffer: ArrayBufferLike;

  constructor(buffer: ArrayBufferLike, at: number, end: number) {
    this.#buffer = buffer;
    this.at = at;
    this.end = end;
  }

  #take(bytes: number): number {
    const from = this.at;
    this.at += align8(bytes);
    invariant(this.at <= this.end, 'a batch ends inside one of its parts');
    return from;
  }
  u32(count: number): Uint32Array {
    return new Uint32Array(this.#buffer, this.#take(count * 4), count);
  }
  i32(count: number): Int32Array {
    return new Int32Array(this.#buffer, this.#take(count * 4), count);
  }
  f64(count: number): Float64Array {
    return new Float64Array(this.#buffer, this.#take(count * 8), count);
  }
  u8(count: number): Uint8Array {
    return new Uint8Array(this.#buffer, this.#take(count), count);
  }
  values(kind: ValueKind, count: number, byteCount: number): Values {
    switch (kind) {
      case 'bits':
        return { kind, bits: this.u8(count) };
      case 'i32':
        return { kind, i32: this.i32(count) };
      case 'i64':
        return { kind, words: this.u32(count * 2) };
      case 'geo':
        return { kind, f64: this.f64(count * 2) };
      case 'code':
        return { kind, hashes: this.u32(count), offsets: this.u32(count + 1), bytes: this.u8(byteCount) };
    }
  }
}

/** Decodes a batch as views of the encoded bytes, which must outlive the result. */
export function decodeBatch(buffer: ArrayBufferLike, offset: number, byteLength: number): Batch {
  const reader = new Reader(buffer, offset, offset + byteLength);
  const head = reader.u32(HEAD_WORDS);
  invariant(head[0] === BATCH_VERSION, `batch version ${head[0]} is unknown`);
  const [, dimensionId, rowCount, sectionCount, idByteCount] = head;
  const idHashes = reader.u32(rowCount);
  const idOffsets = reader.u32(rowCount + 1);
  const idBytes = reader.u8(idByteCount);
  const sections: Section[] = [];
  for (let index = 0; index < sectionCount; index++) {
    const [columnId, formIndex, kindIndex, entryCount, valueCount, byteCount, relationId] =
      reader.u32(SECTION_WORDS);
    const form = FORMS[formIndex];
    const kind = KINDS[kindIndex];
    invariant(form !== undefined && kind !== undefined, 'a batch section has an unknown form or kind');
    const rows = reader.u32(entryCount);
    const counts = form === 'list' ? reader.u32(entryCount) : null;
    const dates = form === 'event' ? reader.u32(entryCount) : null;
    sections.push({
      columnId,
      form,
      rows,
      counts,
      dates,
      relationId,
      valueCount,
      values: reader.values(kind, valueCount, byteCount),
    });
  }
  return { dimensionId, rowCount, idHashes, idOffsets, idBytes, sections };
}
