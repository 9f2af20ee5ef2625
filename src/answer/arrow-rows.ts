/**
 * Encodes rows as an Arrow IPC stream: schema, record batches, end of stream. A part is one batch, or several if the texts of
 * a column exceed the limit of a batch. Columns are copied value by value into the message.
 *   integer -> Int64   decimal(s) -> Decimal128(38, s)   float -> Float64   boolean -> Bool
 *   date -> Date32     datetime -> Timestamp(second, UTC)   text, json, local times, intervals -> Utf8
 */
import { INT64_MAX, INT64_MIN, invariant, QuarryError } from '../base/index.js';
import { batchMessage, STREAM_END, type StreamType, schemaMessage } from '../column/index.js';
import {
  type Field,
  type SqlType,
  Texts,
  type TextVector,
  type Vector,
  vectorKindOf,
  type WideIntegers,
} from '../vector/index.js';
import { type Allocator, allocateFresh } from './allocator.js';
import { copyTexts, countMissing, packBits, putFloats, putIntegers, putWide } from './arrow-buffers.js';
import { ByteWriter } from './byte-writer.js';
import type { RowEncoder } from './row-encoder.js';
import { putBytes } from './text-bytes.js';
import { valueWriterOf } from './value-writers.js';

/** Text offsets are signed 32-bit integers. */
const TEXT_BYTES_MAX = 2 ** 31 - 1;
const EMPTY = new Uint8Array(0);

export function arrowEncoder(
  answerFields: readonly Field[],
  allocate: Allocator,
  textBytesMax = TEXT_BYTES_MAX,
): RowEncoder {
  const fields = answerFields.map(sentField);
  return {
    head: () => schemaMessage(fields.map(({ name, type }) => ({ name, type: streamType(type) }))),
    rows(values: readonly Vector[], from: number, to: number): Uint8Array {
      if (from === to) return EMPTY;
      const columns = values.map((vector, index) => sentColumn(answerFields[index].type, vector));
      const lengths = textLengths(columns, from, to);
      if (lengths.every((length) => length <= textBytesMax)) {
        return batchOf(fields, columns, from, to, lengths, allocate);
      }
      const batches: Uint8Array[] = [];
      for (let start = from; start < to; ) {
        const end = fittingRows(columns, start, to, textBytesMax);
        batches.push(batchOf(fields, columns, start, end, textLengths(columns, start, end), allocateFresh));
        start = end;
      }
      return new Uint8Array(Buffer.concat(batches));
    },
    asFirst: (bytes) => bytes,
    tail: () => Uint8Array.from(STREAM_END),
  };
}

/** Whether values are sent as the texts of JSON answers. */
const isSentAsText = (type: SqlType): boolean =>
  type.type === 'interval' || (type.type === 'datetime' && type.local === true);

const sentField = (field: Field): Field =>
  isSentAsText(field.type) ? { ...field, type: { type: 'text' } } : field;

function sentColumn(type: SqlType, vector: Vector): Vector {
  if (!isSentAsText(type)) return vector;
  const { count, valid } = vector;
  const out = new ByteWriter(allocateFresh);
  const write = valueWriterOf(type, vector, putBytes);
  const strings = Array.from({ length: count }, (_, row) => {
    if (valid !== null && valid[row] !== 1) return '';
    write(out, row);
    return Buffer.from(out.take()).toString('latin1');
  });
  return { kind: 'text', count, valid, codes: null, texts: Texts.ofStrings(strings) };
}

/** The number of text bytes of each column; 0 for columns of other types. */
const textLengths = (columns: readonly Vector[], from: number, to: number): number[] =>
  columns.map((column) => (column.kind === 'text' ? textBytes(column, from, to) : 0));

function streamType(type: SqlType): StreamType {
  switch (type.type) {
    case 'integer':
      return { kind: 'int64' };
    case 'decimal':
      return { kind: 'decimal', scale: type.scale };
    case 'float':
      return { kind: 'float64' };
    case 'boolean':
      return { kind: 'bool' };
    case 'date':
      return { kind: 'date32' };
    case 'datetime':
      return { kind: 'timestamp' };
    default:
      return { kind: 'utf8' };
  }
}

/** The end of a batch that starts at row `from`: `to`, or earlier if the texts of a column would exceed the limit. */
function fittingRows(columns: readonly Vector[], from: number, to: number, textBytesMax: number): number {
  let end = to;
  for (const column of columns)
    if (column.kind === 'text') end = fittingTexts(column, from, end, textBytesMax);
  return end;
}

function fittingTexts(
  { codes, texts, valid }: TextVector,
  from: number,
  to: number,
  bytesMax: number,
): number {
  const { offsets } = texts.utf8;
  let bytes = 0;
  for (let row = from; row < to; row++) {
    if (valid !== null && valid[row] === 0) continue;
    const code = codes === null ? row : codes[row];
    bytes += offsets[code + 1] - offsets[code];
    // A single text is always far below the limit of a batch.
    if (bytes > bytesMax && row > from) return row;
  }
  return to;
}

function batchOf(
  fields: readonly Field[],
  columns: readonly Vector[],
  from: number,
  to: number,
  lengths: readonly number[],
  allocate: Allocator,
): Uint8Array {
  const rowCount = to - from;
  const missing = columns.map(({ valid }) => (valid === null ? 0 : countMissing(valid, from, to)));
  const bufferBytes = columns.flatMap((column, index) => {
    const validity = missing[index] === 0 ? 0 : bitBytes(rowCount);
    return [validity, ...valueBytes(fields[index].type, column, rowCount, lengths[index])];
  });
  const { message, offsets } = batchMessage(rowCount, missing, bufferBytes, allocate);
  let buffer = 0;
  columns.forEach((column, index) => {
    const validityAt = offsets[buffer++];
    if (missing[index] > 0 && column.valid !== null) packBits(message, validityAt, column.valid, from, to);
    buffer += putColumn(message, offsets, buffer, fields[index], column, from, to);
  });
  return message;
}

const bitBytes = (rowCount: number): number => (rowCount + 7) >> 3;

/** The sizes of the buffers that follow the validity bitmap. */
function valueBytes(type: SqlType, vector: Vector, rowCount: number, textLength: number): readonly number[] {
  switch (type.type) {
    case 'boolean':
      return [bitBytes(rowCount)];
    case 'date':
      return [rowCount * 4];
    case 'decimal':
      return [rowCount * 16];
    case 'text':
    case 'json':
      invariant(vector.kind === 'text', `a vector of kind ${vector.kind} cannot hold ${type.type}`);
      return [(rowCount + 1) * 4, textLength];
    default:
      return [rowCount * 8];
  }
}

function textBytes({ codes, texts, valid }: TextVector, from: number, to: number): number {
  const { offsets } = texts.utf8;
  if (valid === null && codes === null) return offsets[to] - offsets[from];
  let bytes = 0;
  for (let row = from; row < to; row++) {
    if (valid !== null && valid[row] === 0) continue;
    const code = codes === null ? row : codes[row];
    bytes += offsets[code + 1] - offsets[code];
  }
  return bytes;
}

/** Writes the values of a column and returns the number of buffers used. */
function putColumn(
  message: Uint8Array,
  offsets: readonly number[],
  buffer: number,
  { name, type }: Field,
  vector: Vector,
  from: number,
  to: number,
): number {
  invariant(vector.kind === vectorKindOf(type), `a vector of kind ${vector.kind} cannot hold ${type.type}`);
  const at = offsets[buffer];
  switch (vector.kind) {
    case 'exact': {
      const wordCount = type.type === 'date' ? 1 : type.type === 'decimal' ? 4 : 2;
      const words = new Int32Array(message.buffer, at, (to - from) * wordCount);
      if (vector.numbers !== null) putIntegers(words, wordCount, vector.numbers, from, to);
      else {
        const wide = vector.wide ?? [];
        if (type.type !== 'decimal') checkWords(name, wide, vector.valid, from, to);
        putWide(words, wordCount, wide, vector.valid, from, to);
      }
      return 1;
    }
    case 'float':
      putFloats(new Float64Array(message.buffer, at, to - from), vector, from, to);
      return 1;
    case 'boolean':
      packBits(message, at, vector.bits, from, to);
      return 1;
    case 'text':
      copyTexts(
        new Int32Array(message.buffer, at, to - from + 1),
        message,
        offsets[buffer + 1],
        vector,
        from,
      );
      return 2;
  }
}

/** Throws 6000 for a value that does not fit in 64 bits. */
function checkWords(
  name: string,
  wide: WideIntegers,
  valid: Uint8Array | null,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    if (valid !== null && valid[row] === 0) continue;
    if (wide[row] >= INT64_MIN && wide[row] <= INT64_MAX) continue;
    const message = `the column ${JSON.stringify(name)} has integers of more than 64 bits, which Arrow does not hold: CAST it to text`;
    throw new QuarryError(6000, message, { message });
  }
}
