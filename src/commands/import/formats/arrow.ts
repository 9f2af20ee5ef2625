/**
 * Arrow IPC streams and files -> blocks of rows, batch by batch. A file is its magic, a stream and a footer; the footer is
 * read only when the stream has no schema. Compressed batches (LZ4, zstd) are supported.
 * The schema gives the types; structs, maps, unions, times of day and durations are not imported. Decimals keep all digits;
 * timestamps lose fractions of a second, and are UTC without a zone.
 */
import {
  CompressionType,
  compressionRegistry,
  DataType,
  Message,
  Null,
  type RecordBatch,
  RecordBatchReader,
  type Vector,
} from 'apache-arrow';
import { decompress as unzstd } from 'fzstd';
import { decompressFrameSync } from 'lz4-napi';
import type { ColumnType } from '../../../schema/index.js';
import { dateTexts, dateTimeTexts } from './date-texts.js';
import { decimalText, integerOfUint32, shortestFloat32 } from './numbers.js';
import {
  BLOCK_ROWS,
  type FileBatch,
  ImportError,
  type Leaf,
  type RowBlock,
  type RowSource,
  type SourceValue,
  type TypedColumn,
} from './row-block.js';

/** The column type for values of an Arrow type, or the reason why there is none. */
function leafOf(type: DataType): Leaf | string {
  const plain = (leafType: ColumnType, toValue: Leaf['toValue'] = null): Leaf => ({
    type: leafType,
    decimalPlaces: null,
    toValue,
  });
  if (DataType.isDictionary(type)) return leafOf(type.dictionary);
  if (DataType.isBool(type)) return plain('boolean');
  if (DataType.isInt(type)) return plain('integer');
  if (DataType.isFloat(type))
    return plain('decimal', type.precision === 1 ? (value) => shortestFloat32(value as number) : null);
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type))
    return plain('string');
  if (DataType.isDecimal(type)) {
    const { scale } = type;
    const toValue = (value: unknown): SourceValue =>
      decimalText(integerOfUint32(value as Uint32Array), scale);
    return scale > 0 ? { type: 'decimal', decimalPlaces: scale, toValue } : plain('integer', toValue);
  }
  if (DataType.isDate(type)) {
    const dateText = dateTexts();
    return plain('date', (value) => dateText(Math.floor(Number(value) / 86_400_000)));
  }
  if (DataType.isTimestamp(type)) {
    const dateTimeText = dateTimeTexts();
    return plain('datetime', (value) => dateTimeText(Math.floor(Number(value) / 1_000)));
  }
  return `of type ${type}`;
}

function columnOf(name: string, type: DataType): TypedColumn {
  const isList = DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type);
  const leaf = leafOf(isList ? (type.children[0].type as DataType) : type);
  if (typeof leaf === 'string') return { name, schema: null, unfit: leaf, toValue: null };
  const { toValue } = leaf;
  const itemsOf = (value: unknown): SourceValue =>
    Array.from(value as Iterable<unknown>, (item) =>
      item == null || toValue === null ? (item as SourceValue) : toValue(item),
    );
  const schema = {
    type: leaf.type,
    decimalPlaces: leaf.decimalPlaces,
    storage: isList ? 'list-of-values' : 'latest-value',
  } as const;
  return { name, schema, unfit: null, toValue: isList ? itemsOf : toValue };
}

const MAGIC = 'ARROW1';
/** Length of a file's magic and padding, before its stream. */
const MAGIC_BYTES = 8;

export const isArrowFile = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(0, MAGIC.length)).toString('latin1') === MAGIC;

/** Limit for files whose schema is only in the footer, as some writers make them: these are read as a whole. */
const WHOLE_BYTES_MAX = 2 ** 30;

/** Whether the stream within a file begins with its schema. `head` is the file's first part. */
function beginsWithSchema(head: Uint8Array): boolean {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const from = 2 * MAGIC_BYTES;
  const length = head.length < from ? 0 : view.getUint32(from - 4, true);
  return (
    length > 0 && head.length >= from + length && Message.decode(head.slice(from, from + length)).isSchema()
  );
}

/** The package's input: the stream of a stream or file, or a whole file if only the footer has the schema. */
async function readable(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
): Promise<AsyncIterable<Uint8Array> | Uint8Array> {
  const parts = bytes[Symbol.asyncIterator]();
  const first = await parts.next();
  const head = first.done === true ? new Uint8Array(0) : new Uint8Array(first.value);
  async function* rest(): AsyncGenerator<Uint8Array> {
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) yield next.value;
  }
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(head.subarray(isArrowFile(head) ? MAGIC_BYTES : 0));
    yield* rest();
  }
  if (!isArrowFile(head) || beginsWithSchema(head)) return stream();
  const all: Uint8Array[] = [head];
  let length = head.length;
  for await (const part of rest()) {
    all.push(part);
    length += part.length;
    if (length > WHOLE_BYTES_MAX) {
      throw new ImportError(
        `${name} has its schema only at its end and is larger than 1 GiB: write it as an Arrow stream`,
      );
    }
  }
  return new Uint8Array(Buffer.concat(all));
}

/** Registers the codecs in the package's global table. */
function registerCodecs(): void {
  compressionRegistry.set(CompressionType.LZ4_FRAME, {
    decode: (bytes) => decompressFrameSync(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
  });
  compressionRegistry.set(CompressionType.ZSTD, { decode: (bytes) => unzstd(bytes) });
}

/** Reads the schema. Rejects with ImportError when there is none. */
export async function arrowSource(bytes: AsyncIterable<Uint8Array>, name: string): Promise<RowSource> {
  registerCodecs();
  const damaged = (error: unknown): ImportError =>
    error instanceof ImportError
      ? error
      : new ImportError(`${name} is not a complete Arrow file or stream: ${(error as Error).message}`);
  const read = async () => {
    try {
      const reader = await RecordBatchReader.from((await readable(bytes, name)) as AsyncIterable<Uint8Array>);
      await reader.open({ autoDestroy: false });
      return reader;
    } catch (error) {
      throw damaged(error);
    }
  };
  const reader = await read();
  const schema = reader.schema;
  if (schema === undefined) throw new ImportError(`${name} holds no Arrow schema`);
  const columns = schema.fields.map((field) => columnOf(field.name, field.type));
  async function* batches(): AsyncGenerator<RecordBatch> {
    try {
      for await (const batch of reader) yield batch;
    } catch (error) {
      throw damaged(error);
    }
  }
  return {
    columns,
    isText: false,
    rowCount: null,
    blocks: (skipRows, used) => arrowBlocks(batches(), columns, skipRows, used),
    notes: () => [],
  };
}

async function* arrowBlocks(
  batches: AsyncGenerator<RecordBatch>,
  columns: readonly TypedColumn[],
  skipRows: number,
  used: readonly number[],
): AsyncGenerator<RowBlock> {
  let batchStart = 0;
  for await (const batch of batches) {
    const vectors = columns.map((_, index) => (used.includes(index) ? batch.getChildAt(index) : null));
    yield* blocksOf(columns, vectors, {
      from: Math.max(0, skipRows - batchStart),
      to: batch.numRows,
      firstRow: batchStart + 1,
    });
    batchStart += batch.numRows;
  }
}

/** The rows of a batch that has some columns of a file with the columns `names`. */
export function blocksOfBatch({ batch, firstRow }: FileBatch, names: readonly string[]): Generator<RowBlock> {
  const vectors = names.map((name) => batch.getChild(name));
  const columns = names.map((name, index) => columnOf(name, vectors[index]?.type ?? new Null()));
  return blocksOf(columns, vectors, { from: 0, to: batch.numRows, firstRow });
}

/** Rows [from, to) of the vectors; `firstRow` is the number of row 0. A column without a vector is empty. */
function* blocksOf(
  columns: readonly TypedColumn[],
  vectors: readonly (Vector | null)[],
  rows: { readonly from: number; readonly to: number; readonly firstRow: number },
): Generator<RowBlock> {
  for (let { from } = rows; from < rows.to; from += BLOCK_ROWS) {
    const to = Math.min(from + BLOCK_ROWS, rows.to);
    const values = columns.map((column, index) => valuesOf(vectors[index], column, from, to));
    const rowNumbers = Array.from({ length: to - from }, (_, at) => rows.firstRow + from + at);
    yield { count: to - from, columns: values, rowNumbers, lines: null, texts: null, broken: [] };
  }
}

function valuesOf(vector: Vector | null, { toValue }: TypedColumn, from: number, to: number): SourceValue[] {
  const values: SourceValue[] = [];
  if (vector === null) return values;
  for (let row = from; row < to; row++) {
    const value = vector.get(row);
    values.push(value == null || toValue === null ? value : toValue(value));
  }
  return values;
}
