/**
 * Parquet -> blocks of rows. A row group, or a part of a large one, is decoded at a time.
 * The schema gives the types; structs, maps, times of day and intervals are not imported. Decimals keep all digits;
 * timestamps lose fractions of a second, and are UTC without a zone.
 */
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetSchema,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet';
import type { ColumnType } from '../../../schema/index.js';
import { dateTexts, dateTimeTexts, wholeSecondsOf } from './date-texts.js';
import type { Input } from './input.js';
import { bigEndianInteger, decimalText, shortestFloat32 } from './numbers.js';
import {
  type ParquetPart,
  parquetBuffer,
  parquetMetadata,
  readParquetRange,
  rowsOfParts,
} from './parquet-file.js';
import {
  BLOCK_ROWS,
  ImportError,
  type Leaf,
  type RowBlock,
  type RowSource,
  type SourceValue,
  type TypedColumn,
} from './row-block.js';

/** Limit of values decoded at a time. */
const RANGE_VALUES_MAX = 2 ** 23;

const decoder = new TextDecoder('utf-8', { fatal: true });

function textOrHex(value: unknown): SourceValue {
  if (!(value instanceof Uint8Array)) return value as SourceValue;
  try {
    return decoder.decode(value);
  } catch {
    return Buffer.from(value).toString('hex');
  }
}

/** The column type for a leaf of the schema, or the reason why there is none. */
function leafOf({
  type,
  type_length,
  converted_type,
  logical_type,
  scale = 0,
  name,
}: SchemaElement): Leaf | string {
  const plain = (leafType: ColumnType): Leaf => ({ type: leafType, decimalPlaces: null, toValue: null });
  const logical = logical_type?.type;
  if (converted_type === 'DECIMAL' || logical === 'DECIMAL') {
    const toValue = (value: unknown): SourceValue =>
      decimalText(
        value instanceof Uint8Array ? bigEndianInteger(value) : BigInt(value as number | bigint),
        scale,
      );
    return scale > 0 ? { type: 'decimal', decimalPlaces: scale, toValue } : { ...plain('integer'), toValue };
  }
  if (converted_type === 'DATE' || logical === 'DATE') return plain('date');
  if (converted_type?.startsWith('TIMESTAMP') || logical === 'TIMESTAMP' || type === 'INT96')
    return plain('datetime');
  if (converted_type?.startsWith('TIME') || logical === 'TIME') return 'a time of day';
  if (converted_type === 'INTERVAL' || converted_type === 'BSON' || logical === 'VARIANT')
    return `of type ${converted_type ?? logical}`;
  if (logical === 'GEOMETRY' || logical === 'GEOGRAPHY') return 'a geometry';
  if (logical === 'FLOAT16') return plain('decimal');
  switch (type) {
    case 'BOOLEAN':
      return plain('boolean');
    case 'INT32':
    case 'INT64':
      return plain('integer');
    case 'DOUBLE':
      return plain('decimal');
    case 'FLOAT':
      return { ...plain('decimal'), toValue: (value) => shortestFloat32(value as number) };
    case 'BYTE_ARRAY':
    case 'FIXED_LEN_BYTE_ARRAY':
      return { ...plain('string'), toValue: textOrHex };
    default:
      return `of the unknown type ${type ?? `of ${name} (${type_length})`}`;
  }
}

function columnOf({ element, children }: SchemaTree): TypedColumn {
  const { name } = element;
  const unfit = (why: string): TypedColumn => ({ name, schema: null, unfit: why, toValue: null });
  const isList = children.length > 0 || element.repetition_type === 'REPEATED';
  const item = children.length === 0 ? element : listItemOf(element, children);
  if (item === null) return unfit(element.converted_type?.startsWith('MAP') ? 'a map' : 'a struct');
  const leaf = leafOf(item);
  if (typeof leaf === 'string') return unfit(leaf);
  const { type, decimalPlaces, toValue } = leaf;
  const schema = { type, decimalPlaces, storage: isList ? 'list-of-values' : 'latest-value' } as const;
  const itemsOf = (value: unknown): SourceValue =>
    Array.isArray(value)
      ? value.map((one) => (one == null || toValue === null ? one : toValue(one)))
      : (value as SourceValue);
  return { name, schema, unfit: null, toValue: isList ? itemsOf : toValue };
}

/** The item of a list of three levels, or of two as older writers make it; null when it is not a list of plain values. */
function listItemOf(element: SchemaElement, children: readonly SchemaTree[]): SchemaElement | null {
  if (element.converted_type !== 'LIST' && element.logical_type?.type !== 'LIST') return null;
  const [repeated] = children;
  if (repeated.children.length === 0) return repeated.element;
  return repeated.children.length === 1 && repeated.children[0].children.length === 0
    ? repeated.children[0].element
    : null;
}

/** The schema without decimal annotations, so that the package returns the integers instead of doubles. */
function withRawDecimals(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map((element) => {
    const isDecimal = element.converted_type === 'DECIMAL' || element.logical_type?.type === 'DECIMAL';
    return isDecimal ? { ...element, converted_type: undefined, logical_type: undefined } : element;
  });
  return { ...metadata, schema };
}

/** Hooks of the package: timestamps become texts, JSON stays text. */
function parsers() {
  const dateText = dateTexts();
  const dateTimeText = dateTimeTexts();
  const timestamp = (perSecond: bigint) => {
    let last = -1n;
    let text = '';
    return (units: bigint): string => {
      if (units === last) return text;
      last = units;
      text = dateTimeText(wholeSecondsOf(BigInt(units), perSecond));
      return text;
    };
  };
  return {
    dateFromDays: (days: number) => dateText(days),
    timestampFromMilliseconds: timestamp(1_000n),
    timestampFromMicroseconds: timestamp(1_000_000n),
    timestampFromNanoseconds: timestamp(1_000_000_000n),
    jsonFromBytes: textOrHex,
  };
}

/** Reads the footer. Rejects with ImportError when the file has no valid footer. */
export async function parquetSource(input: Input): Promise<RowSource> {
  const { name, file } = input;
  if (file === null) {
    throw new ImportError(
      'Parquet files have their schema at the end, so they cannot be read from standard input',
    );
  }
  const buffer = await parquetBuffer(file);
  const metadata = await readFooter(buffer, name);
  const columns = parquetSchema(metadata).children.map(columnOf);
  return {
    columns,
    isText: false,
    rowCount: Number(metadata.num_rows),
    blocks: (skipRows, used) => parquetBlocks(input, buffer, metadata, columns, skipRows, used),
    // The package is several megabytes large: it is loaded only where it is used.
    openBatches: async () => (await import('./parquet-batches.js')).parquetBatches(name, file),
    notes: () => [],
  };
}

async function readFooter(buffer: AsyncBuffer, name: string): Promise<FileMetaData> {
  try {
    return await parquetMetadata(buffer);
  } catch (error) {
    throw new ImportError(`${name} is not a complete Parquet file: ${(error as Error).message}`);
  }
}

async function* parquetBlocks(
  input: Input,
  file: AsyncBuffer,
  metadata: FileMetaData,
  columns: readonly TypedColumn[],
  skipRows: number,
  used: readonly number[],
): AsyncGenerator<RowBlock> {
  const names = used.map((column) => columns[column].name);
  const rangeRows = Math.max(BLOCK_ROWS, Math.floor(RANGE_VALUES_MAX / Math.max(1, used.length)));
  const raw = withRawDecimals(metadata);
  const hooks = parsers();
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const groupEnd = groupStart + Number(group.num_rows);
    for (let from = Math.max(groupStart, skipRows); from < groupEnd; from += rangeRows) {
      const to = Math.min(from + rangeRows, groupEnd);
      try {
        const range = {
          file,
          metadata: raw,
          rowStart: from,
          rowEnd: to,
          columns: names,
          parsers: hooks,
          utf8: false,
        };
        const parts = names.length === 0 ? new Map<string, ParquetPart[]>() : await readParquetRange(range);
        for (let at = from; at < to; at += BLOCK_ROWS) {
          yield blockOf(columns, used, parts, at, Math.min(at + BLOCK_ROWS, to));
        }
      } catch (error) {
        throw new ImportError(
          `${input.name}: rows ${from + 1} to ${to} cannot be read: ${(error as Error).message}`,
        );
      }
    }
    groupStart = groupEnd;
  }
}

function blockOf(
  columns: readonly TypedColumn[],
  used: readonly number[],
  parts: ReadonlyMap<string, ParquetPart[]>,
  from: number,
  to: number,
): RowBlock {
  const sourceValues: ArrayLike<SourceValue>[] = columns.map(() => []);
  for (const index of used) {
    const { name, toValue } = columns[index];
    const values = rowsOfParts(parts.get(name) ?? [], from, to);
    sourceValues[index] =
      toValue === null
        ? (values as ArrayLike<SourceValue>)
        : Array.from(values, (value) => (value == null ? null : toValue(value)));
  }
  const rowNumbers = Array.from({ length: to - from }, (_, index) => from + index + 1);
  return { count: to - from, columns: sourceValues, rowNumbers, lines: null, texts: null, broken: [] };
}
