/**
 * Writes record batches as a Parquet file, row group by row group.
 *   Int64 -> INT64   Decimal(p, s) -> DECIMAL(p, s) of 16 bytes   Float64 -> DOUBLE   Bool -> BOOLEAN   Date32 -> DATE
 *   Timestamp -> TIMESTAMP(milliseconds, UTC)   Utf8 -> STRING   List -> LIST of three levels
 * Invariant: at most one row group is in memory.
 */
import { type DataType, type Decimal, type Field, type RecordBatch, type Schema, Type } from 'apache-arrow';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { InvariantError, invariant } from '../../base/index.js';
import type { ArrowRows } from './arrow-batches.js';
import { gzipAndZstd } from './compress.js';
import type { Compression } from './format.js';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** A row group ends at the first of these limits. */
const GROUP_ROWS = 100_000;
const GROUP_BYTES = 32 * 2 ** 20;

const CODECS = { none: 'UNCOMPRESSED', snappy: 'SNAPPY', gzip: 'GZIP', zstd: 'ZSTD' } as const;

export async function* parquetBytes(
  { schema, batches }: ArrowRows,
  compression: Compression,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'schema', num_children: schema.fields.length }, ...schema.fields.flatMap(elementsOf)],
    codec: CODECS[compression],
    compressors: await gzipAndZstd(),
    createdBy: 'quarry',
  });
  const take = (): Uint8Array => {
    const taken = bytes.getBytes().slice();
    bytes.index = 0;
    return taken;
  };
  let group: RecordBatch[] = [];
  let [rows, size] = [0, 0];
  for await (const batch of batches) {
    group.push(batch);
    rows += batch.numRows;
    size += byteLengthOf(batch);
    if (rows < GROUP_ROWS && size < GROUP_BYTES) continue;
    await writer.write({ columnData: columnsOf(schema, group), rowGroupSize: rows });
    yield take();
    group = [];
    [rows, size] = [0, 0];
  }
  if (rows > 0) await writer.write({ columnData: columnsOf(schema, group), rowGroupSize: rows });
  await writer.finish();
  yield take();
}

export const byteLengthOf = (batch: RecordBatch): number =>
  batch.data.children.reduce((sum, { byteLength }) => sum + byteLength, 0);

function columnsOf({ fields }: Schema, group: readonly RecordBatch[]): ColumnSource[] {
  return fields.map(({ name, type }, index) => {
    const read = readerOf(type);
    const data: unknown[] = [];
    for (const batch of group) {
      const vector = batch.getChildAt(index);
      invariant(vector !== null, `a batch lacks the column ${name}`);
      for (let row = 0; row < batch.numRows; row++) {
        const value = vector.get(row);
        data.push(value === null ? null : read(value));
      }
    }
    // The page index would grow with the file.
    return { name, data, offsetIndex: false };
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the value's type depends on the vector's type, known at run time only
type Read = (value: any) => unknown;

const asIs: Read = (value) => value;

/** Converts a value of an Arrow vector to the writer's value without loss of digits. */
function readerOf(type: DataType): Read {
  switch (type.typeId) {
    case Type.Decimal:
      return (words: Uint32Array) => {
        const [low, high] = new BigUint64Array(Uint32Array.from(words).buffer);
        return BigInt.asIntN(128, (high << 64n) | low);
      };
    case Type.Date:
      return (ms: number) => new Date(ms);
    case Type.Timestamp:
      return (ms: number) => BigInt(ms);
    case Type.List: {
      const read = readerOf(type.children[0].type);
      return (items: Iterable<unknown>) => Array.from(items, (item) => (item === null ? null : read(item)));
    }
    default:
      return asIs;
  }
}

function elementsOf({ name, type }: Field): SchemaElement[] {
  if (type.typeId !== Type.List) return [{ name, repetition_type: 'OPTIONAL', ...primitiveOf(type) }];
  const item = primitiveOf(type.children[0].type);
  return [
    { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...item },
  ];
}

function primitiveOf(type: DataType): Omit<SchemaElement, 'name'> {
  switch (type.typeId) {
    case Type.Int:
      return { type: 'INT64' };
    case Type.Float:
      return { type: 'DOUBLE' };
    case Type.Bool:
      return { type: 'BOOLEAN' };
    case Type.Utf8:
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
    case Type.Date:
      return { type: 'INT32', converted_type: 'DATE' };
    case Type.Timestamp:
      return { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' };
    case Type.Decimal: {
      const { precision, scale } = type as Decimal;
      return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', precision, scale };
    }
    default:
      throw new InvariantError(`unexpected column type ${type} in the answer`);
  }
}
