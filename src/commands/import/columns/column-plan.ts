/**
 * Decides whether the rows of a file can be sent as Arrow record batches, and makes their bodies.
 * Invariant: a batch that the server takes stores what the rows' bodies (send/bodies.ts) would store. Types for which that is not
 * so, or not known, are sent row by row.
 */
import {
  type Data,
  DataType,
  Field,
  Float64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { baseTypeOf, ENTITY_ID_COLUMN } from '../../../schema/index.js';
import { shortestFloat32 } from '../formats/numbers.js';
import type { FileBatch } from '../formats/row-block.js';
import type { Mapping, Target } from '../mapping/mapping.js';

/** Rows of a part; fewer if there are many columns. From 30,000 to 130,000 rows of a few columns are inserted fastest. */
const PART_ROWS_MAX = 65_536;
const PART_ROWS_MIN = 2_048;
const PART_VALUES_MAX = 2 ** 20;

interface PlannedField {
  /** As the body names it. */
  readonly name: string;
  /** As the file names it; null = the IDs are made of row numbers. */
  readonly from: string | null;
  /** Floats are rounded to this number of places; null = values stay as they are. */
  readonly roundedTo: number | null;
}

export interface InsertPaths {
  /** Path and query of the insert, and of one that has an ID only. */
  readonly path: string;
  readonly idPath: string;
}

/** `events` are columns of events and the fields with their dates. */
export function insertPaths(
  dimension: string,
  events: readonly (readonly [column: string, date: string])[],
): InsertPaths {
  const idPath = `/v1/insert?dimension=${encodeURIComponent(dimension)}&id=${ENTITY_ID_COLUMN}`;
  return {
    path: idPath + events.map(([column, date]) => `&event=${column}:${column}:${date}`).join(''),
    idPath,
  };
}

export interface ColumnPlan extends InsertPaths {
  /** The columns of the file that are read. */
  readonly names: readonly string[];
  readonly fields: readonly PlannedField[];
  readonly rowsMax: number;
}

/** null = the rows are sent one by one. `fields` are those of the file, in the order of its columns. */
export function planColumns(
  { id, dimension, dimensionAt, areLines, targets }: Mapping,
  names: readonly string[],
  fields: readonly Field[],
): ColumnPlan | null {
  if ((id !== null && id.length !== 1) || dimensionAt !== null || areLines) return null;
  const fieldOf = new Map(fields.map((field) => [field.name, field]));
  const typeAt = (index: number): DataType | undefined => fieldOf.get(names[index])?.type;
  if (fieldOf.size !== fields.length || targets.some((target) => !isTaken(target, typeAt))) return null;
  const idType = id === null ? new Utf8() : typeAt(id[0]);
  if (idType === undefined || !(isText(idType) || DataType.isInt(idType))) return null;
  const taken = new Set(targets.map(({ column }) => column));
  const planned: PlannedField[] = [
    { name: ENTITY_ID_COLUMN, from: id === null ? null : names[id[0]], roundedTo: null },
  ];
  const events: [column: string, date: string][] = [];
  const dates = new Map<number, string>();
  for (const { source, date, column, form } of targets) {
    planned.push({ name: column, from: names[source], roundedTo: form.roundedTo });
    if (date === null) continue;
    const name = dates.get(date) ?? freeName(taken);
    if (!dates.has(date)) planned.push({ name, from: names[date], roundedTo: null });
    dates.set(date, name);
    events.push([column, name]);
  }
  const rows = Math.floor(PART_VALUES_MAX / planned.length);
  return {
    ...insertPaths(dimension, events),
    names: [...new Set(planned.flatMap(({ from }) => from ?? []))],
    fields: planned,
    rowsMax: Math.min(PART_ROWS_MAX, Math.max(PART_ROWS_MIN, rows)),
  };
}

/** A name that no column has, for a field of dates; it is then taken. */
export function freeName(taken: Set<string>): string {
  let count = 1;
  while (taken.has(`date-${count}`)) count++;
  taken.add(`date-${count}`);
  return `date-${count}`;
}

const isText = (type: DataType): boolean =>
  DataType.isDictionary(type)
    ? isText(type.dictionary)
    : DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
const isFloat = (type: DataType): boolean => DataType.isFloat(type) && type.precision > 0;
const isTime = (type: DataType): boolean => DataType.isDate(type) || DataType.isTimestamp(type);

/** Whether the values of a target can be sent as they are in the file. */
function isTaken(
  { source, date, form: { type, storage, roundedTo, nulls } }: Target,
  typeAt: (index: number) => DataType | undefined,
): boolean {
  const own = typeAt(source);
  const ofDates = date === null ? null : typeAt(date);
  if (own === undefined || storage === 'list-of-values') return false;
  const isEvent = type.endsWith('-event');
  if (
    isEvent !== (date !== null) ||
    (isEvent && (ofDates === undefined || ofDates === null || !isTime(ofDates)))
  )
    return false;
  switch (baseTypeOf(type)) {
    case 'string':
      return (isText(own) && nulls.size === 0) || DataType.isInt(own);
    case 'integer':
      return DataType.isInt(own) || DataType.isDecimal(own);
    case 'decimal':
      return isFloat(own) || (roundedTo === null && (DataType.isInt(own) || DataType.isDecimal(own)));
    case 'boolean':
      return DataType.isBool(own);
    case 'date':
      return DataType.isDate(own);
    case 'datetime':
      return isTime(own);
    default:
      return false;
  }
}

/** The body of a part: a stream of one record batch. `rowName` is the prefix of IDs made of row numbers. */
export function columnBody(
  { fields }: ColumnPlan,
  { batch, firstRow }: FileBatch,
  rowName: string,
): Uint8Array {
  const children = fields.map(({ from, roundedTo }) => {
    if (from === null) return numberedIds(rowName, firstRow, batch.numRows);
    const index = batch.schema.fields.findIndex(({ name }) => name === from);
    const data = batch.data.children[index] as Data;
    return roundedTo === null || !isFloat(data.type) ? data : roundedFloats(data, roundedTo);
  });
  return streamOf(
    fields.map(({ name }) => name),
    children,
    batch.numRows,
  );
}

/** A body without rows, which uses the Idempotency-Key with which it is sent. */
export const emptyBody = (): Uint8Array =>
  streamOf([ENTITY_ID_COLUMN], [vectorFromArray([], new Utf8()).data[0]], 0);

/** A stream of one record batch. */
export function streamOf(names: readonly string[], children: Data[], rowCount: number): Uint8Array {
  const schema = new Schema(names.map((name, index) => new Field(name, children[index].type, true)));
  const data = makeData({ type: new Struct(schema.fields), length: rowCount, nullCount: 0, children });
  return RecordBatchStreamWriter.writeAll([new RecordBatch(schema, data)]).toUint8Array(true);
}

function numberedIds(rowName: string, firstRow: number, count: number): Data {
  const ids = Array.from({ length: count }, (_, row) => `${rowName}:${firstRow + row}`);
  return vectorFromArray(ids, new Utf8()).data[0];
}

/** Below this, a scaled float is far more exact than the distance from a tie that is checked. */
const SCALED_MAX = 2 ** 40;
const TIE_MARGIN = 2 ** -10;

/** The floats nearest to the values rounded to `places` places; ties away from zero, of the double's exact value. */
function roundedFloats(data: Data, places: number): Data {
  const isSingle = (data.type as DataType & { precision: number }).precision === 1;
  const values = data.values as Float32Array | Float64Array;
  const power = 10 ** places;
  const rounded = Float64Array.from({ length: data.length }, (_, row) => {
    const value = isSingle ? shortestFloat32(values[row]) : values[row];
    const scaled = value * power;
    const whole = Math.round(scaled);
    const isClear = Math.abs(whole) < SCALED_MAX && Math.abs(Math.abs(scaled - whole) - 0.5) > TIE_MARGIN;
    return isClear ? whole / power : Number.isFinite(value) ? Number(value.toFixed(places)) : value;
  });
  const { length, nullCount } = data;
  const present = new Uint8Array(Math.ceil(length / 8));
  if (nullCount > 0)
    for (let row = 0; row < length; row++) if (data.getValid(row)) present[row >> 3] |= 1 << (row & 7);
  return makeData({
    ...{ type: new Float64(), length, nullCount, data: rounded },
    nullBitmap: nullCount === 0 ? undefined : present,
  }) as Data;
}
