/**
 * Reads the server's Arrow stream as record batches and converts list columns, which are JSON texts in the stream, to lists.
 *   list of integers -> List<Int64>   of decimals -> List<Decimal128(38, 20)>   of booleans -> List<Bool>
 *   of dates -> List<Date32>   of datetimes -> List<Timestamp(second, UTC)>   of strings -> List<Utf8>
 * The server does not send the number of decimal places. A decimal of at most 64 bits and 1 to 20 places is exact with 20 of
 * 38 digits after the point. Lists of points stay texts.
 */
import {
  Bool,
  type Builder,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Field,
  Int64,
  List,
  makeBuilder,
  makeData,
  makeVector,
  RecordBatch,
  RecordBatchReader,
  Schema,
  Struct,
  TimestampSecond,
  Utf8,
} from 'apache-arrow';
import { invariant } from '../../base/index.js';
import { parseDate, parseInstant, readDecimal, SECONDS_PER_DAY } from '../../schema/index.js';
import type { DimensionColumn } from './dimension.js';

export const LIST_DECIMAL_PLACES = 20;
const DIGITS = 38;

export interface ArrowRows {
  readonly schema: Schema;
  readonly batches: AsyncIterable<RecordBatch>;
}

/** `lists` are the list columns of the stream. Rejects with the error of `bytes`. */
export async function readBatches(
  bytes: AsyncIterable<Uint8Array>,
  lists: readonly DimensionColumn[] = [],
): Promise<ArrowRows> {
  const reader = await RecordBatchReader.from(bytes);
  await reader.open();
  const types = new Map(
    lists.flatMap(({ apiName, type }) => (itemOf(type) === null ? [] : [[apiName, type]])),
  );
  const { schema } = reader;
  if (types.size === 0) return { schema, batches: reader };
  const fields = schema.fields.map((field) => {
    const item = itemOf(types.get(field.name) ?? '');
    return item === null ? field : new Field(field.name, listOf(item.type), true);
  });
  const listed = new Schema(fields);
  async function* batches(): AsyncGenerator<RecordBatch> {
    for await (const batch of reader) {
      const children = batch.data.children.map((data, index) => {
        const item = itemOf(types.get(fields[index].name) ?? '');
        return item === null ? data : listData(data, item);
      });
      const struct = makeData({ type: new Struct(fields), length: batch.numRows, nullCount: 0, children });
      yield new RecordBatch(listed, struct);
    }
  }
  return { schema: listed, batches: batches() };
}

export const byteLengthOf = (batch: RecordBatch): number =>
  batch.data.children.reduce((sum, { byteLength }) => sum + byteLength, 0);

interface Item {
  readonly type: DataType;
  /** Converts the JSON text of an item to the builder's value. */
  readonly read: (json: string) => unknown;
}

function itemOf(type: string): Item | null {
  switch (type) {
    case 'string':
      return { type: new Utf8(), read: JSON.parse };
    case 'integer':
    case 'enumerated':
      return { type: new Int64(), read: BigInt };
    case 'decimal':
      return { type: new Decimal(LIST_DECIMAL_PLACES, DIGITS, 128), read: decimalU32s };
    case 'boolean':
      return { type: new Bool(), read: JSON.parse };
    case 'date':
      return {
        type: new DateDay(),
        read: (json) => (parseDate(JSON.parse(json)) ?? 0) * SECONDS_PER_DAY * 1000,
      };
    case 'datetime':
      return {
        type: new TimestampSecond('UTC'),
        read: (json) => (parseInstant(JSON.parse(json)) ?? 0) * 1000,
      };
    default:
      return null;
  }
}

const listOf = (type: DataType): List => new List(new Field('item', type, true));

function decimalU32s(json: string): Uint32Array {
  const read = readDecimal(json);
  invariant(read !== null && read.scale <= LIST_DECIMAL_PLACES, `${json} is not a decimal of a column`);
  const magnitude = BigInt(read.digits) * 10n ** BigInt(LIST_DECIMAL_PLACES - read.scale);
  const bits = BigInt.asUintN(128, read.negative ? -magnitude : magnitude);
  return new Uint32Array(BigUint64Array.of(bits & 0xffff_ffff_ffff_ffffn, bits >> 64n).buffer);
}

function listData(texts: Data, { type, read }: Item): Data {
  // The declared type is a vector; any array-like works.
  const builder: Builder = makeBuilder({ type: listOf(type), nullValues: [null, undefined] });
  const vector = makeVector(texts);
  for (let row = 0; row < texts.length; row++) {
    const json: string | null = vector.get(row);
    builder.append(json === null ? null : itemsOf(json).map(read));
  }
  return builder.finish().flush();
}

/** The JSON texts of the items of a list that holds no white space and no nested lists. */
export function itemsOf(json: string): string[] {
  const inner = json.slice(1, -1);
  if (inner === '') return [];
  return inner.startsWith('"') ? (inner.match(/"(?:[^"\\]|\\.)*"/g) ?? []) : inner.split(',');
}
