/**
 * Writes record batches as a Parquet file, by parquet-wasm: no value of a column becomes one of JavaScript.
 *   Int64 -> INT64   Decimal(p, s) -> DECIMAL(p, s) of 16 bytes   Float64 -> DOUBLE   Bool -> BOOLEAN   Date32 -> DATE
 *   Timestamp -> TIMESTAMP(milliseconds, adjusted to UTC)   Utf8 -> STRING   List -> LIST of three levels
 * Invariants: at most one row group is in memory; bytes of a file whose rows are not all written end with an error.
 */
import {
  type Data,
  type DataType,
  Field,
  List,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMillisecond,
  TimeUnit,
  Type,
} from 'apache-arrow';
import {
  Compression as Codec,
  Table,
  transformParquetStream,
  type RecordBatch as WasmBatch,
  type WriterProperties,
  WriterPropertiesBuilder,
} from 'parquet-wasm';
import type { ArrowRows } from './arrow-batches.js';
import type { Compression } from './format.js';

/** A row group ends at the first of these limits. */
const GROUP_ROWS = 122_880;
const GROUP_BYTES = 32 * 2 ** 20;

const CODECS: Readonly<Record<Compression, Codec>> = {
  none: Codec.UNCOMPRESSED,
  snappy: Codec.SNAPPY,
  gzip: Codec.GZIP,
  zstd: Codec.ZSTD,
};

/** Rejects with the error of `batches`, or with an Error if the package fails. */
export async function* parquetBytes(
  { schema, batches }: ArrowRows,
  compression: Compression,
): AsyncGenerator<Uint8Array> {
  const input = new Input(schema, batches[Symbol.asyncIterator]());
  const first = await input.next();
  const output = (await transformParquetStream(
    input.stream(first),
    propertiesFor(first, compression),
  )) as ReadableStream<Uint8Array>;
  const reader = output.getReader();
  let last: Uint8Array = new Uint8Array(0);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      last = value;
      yield value;
    }
    input.check(last);
  } finally {
    await reader.cancel().catch(() => undefined);
    await input.close();
  }
}

/** The batches on their way into the package, which ends a file early, and without an error, if they fail. */
class Input {
  readonly #schema: Schema;
  readonly #batches: AsyncIterator<RecordBatch>;
  #isWhole = false;
  #failure: unknown = null;

  constructor(schema: Schema, batches: AsyncIterator<RecordBatch>) {
    this.#schema = new Schema(
      schema.fields.map(({ name, type }) => new Field(name, writtenType(type), true)),
    );
    this.#batches = batches;
  }

  /** The next batch; null = there is none. */
  async next(): Promise<RecordBatch | null> {
    const { done, value } = await this.#batches.next();
    if (done === true) return null;
    const children = value.data.children.map(written);
    const type = new Struct(this.#schema.fields);
    return new RecordBatch(this.#schema, makeData({ type, length: value.numRows, nullCount: 0, children }));
  }

  stream(first: RecordBatch | null): ReadableStream<WasmBatch> {
    let next = first;
    let isFirst = true;
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const batch = isFirst ? (next ?? emptyBatch(this.#schema)) : next;
          if (batch === null) {
            this.#isWhole = true;
            controller.close();
            return;
          }
          for (const one of wasmBatches(batch)) controller.enqueue(one);
          next = isFirst && first === null ? null : await this.next();
          isFirst = false;
        } catch (error) {
          this.#failure = error;
          controller.error(error);
        }
      },
    });
  }

  /** Throws if the file that ends with `last` is not whole. */
  check(last: Uint8Array): void {
    if (this.#failure !== null) throw this.#failure;
    const end = Buffer.from(last.subarray(-4)).toString('latin1');
    if (!this.#isWhole || end !== 'PAR1') throw new Error('the Parquet file could not be written completely');
  }

  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}

function wasmBatches(batch: RecordBatch): WasmBatch[] {
  const table = Table.fromIPCStream(RecordBatchStreamWriter.writeAll([batch]).toUint8Array(true));
  const batches = table.recordBatches();
  table.free();
  return batches;
}

function emptyBatch(schema: Schema): RecordBatch {
  const children = schema.fields.map(
    ({ type }) => makeData({ type, length: 0, nullCount: 0 } as never) as Data,
  );
  const type = new Struct(schema.fields);
  return new RecordBatch(schema, makeData({ type, length: 0, nullCount: 0, children }));
}

/** Rows of the first batch from which it follows whether the values of a column repeat. */
const SAMPLE_ROWS = 2_000;

function propertiesFor(first: RecordBatch | null, compression: Compression): WriterProperties {
  let builder = new WriterPropertiesBuilder()
    .setCreatedBy('quarry')
    .setCompression(CODECS[compression])
    .setMaxRowGroupSize(GROUP_ROWS)
    .setMaxRowGroupBytes(GROUP_BYTES);
  first?.schema.fields.forEach(({ name, type }, index) => {
    if (type.typeId !== Type.List && !repeats(first.data.children[index], first))
      builder = builder.setColumnDictionaryEnabled(name, false);
  });
  return builder.build();
}

/** A dictionary of values that do not repeat takes twice the time and saves no bytes. */
function repeats(data: Data, batch: RecordBatch): boolean {
  const vector = batch.getChildAt(batch.data.children.indexOf(data));
  const count = Math.min(SAMPLE_ROWS, batch.numRows);
  const distinct = new Set<unknown>();
  for (let row = 0; row < count; row++) {
    const value: unknown = vector?.get(row);
    distinct.add(ArrayBuffer.isView(value) ? String(value) : value);
  }
  return distinct.size * 2 < count;
}

/** Parquet has no timestamps of seconds. */
function writtenType(type: DataType): DataType {
  if (type.typeId === Type.List) {
    const [item] = type.children;
    return new List(new Field(item.name, writtenType(item.type), true));
  }
  return isSeconds(type) ? new TimestampMillisecond('UTC') : type;
}

const isSeconds = (type: DataType): boolean =>
  type.typeId === Type.Timestamp && (type as DataType & { unit: TimeUnit }).unit === TimeUnit.SECOND;

function written(data: Data): Data {
  if (data.typeId === Type.List) {
    const children = data.children.map(written);
    return data.clone(
      writtenType(data.type),
      data.offset,
      data.length,
      data.nullCount,
      data.buffers,
      children,
    );
  }
  if (!isSeconds(data.type)) return data;
  const { length, nullCount, nullBitmap } = data;
  const type = new TimestampMillisecond('UTC');
  return makeData({
    type,
    length,
    nullCount,
    nullBitmap,
    data: inMilliseconds(data.values as BigInt64Array),
  });
}

const WORD = 2 ** 32;

/** By halves: arithmetic on bigints takes ten times as long. */
function inMilliseconds(seconds: BigInt64Array): BigInt64Array {
  const from = new Int32Array(seconds.buffer, seconds.byteOffset, seconds.length * 2);
  const made = new BigInt64Array(seconds.length);
  const into = new Int32Array(made.buffer);
  for (let at = 0; at < from.length; at += 2) {
    const ms = (from[at + 1] * WORD + (from[at] >>> 0)) * 1_000;
    const high = Math.floor(ms / WORD);
    into[at] = ms - high * WORD;
    into[at + 1] = high;
  }
  return made;
}
