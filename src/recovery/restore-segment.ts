/**
 * Tables of snapshot files back into segments. Files of a dimension must come in order: entity segments by
 * number, then the event segments of each column by number.
 */
import { hashBytes, invariant, SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../base/index.js';
import {
  type ArrowColumn,
  type ArrowTable,
  type ArrowValues,
  narrowU32,
  type Values,
} from '../column/index.js';
import type { ValueKind } from '../schema/index.js';
import type { Dictionary, DimensionShard, EntitySegment } from '../storage/index.js';
import { COLUMN_ID_KEY, FORM_KEY, SEALED_KEY } from './copy-segment.js';

const present = (validity: Uint8Array | null, row: number): boolean =>
  validity === null || (validity[row >> 3] & (1 << (row & 7))) !== 0;

/** The shard's codes for the strings of a file's dictionary. */
function internAll(
  dictionary: Dictionary,
  offsets: Int32Array | Uint32Array,
  bytes: Uint8Array,
): Uint32Array {
  const codes = new Uint32Array(offsets.length - 1);
  for (let local = 0; local < codes.length; local++) {
    const [from, to] = [offsets[local], offsets[local + 1]];
    // The empty string only fills the dictionary of a column without values.
    if (to > from) codes[local] = dictionary.intern(hashBytes(bytes, from, to), bytes, from, to);
  }
  return codes;
}

/** A file's values in the form of a batch; for strings with their codes in the shard. */
function plainValues(
  values: ArrowValues,
  count: number,
  dictionary: () => Dictionary,
): { values: Values; codes: Uint32Array | null } {
  switch (values.kind) {
    case 'bool': {
      const bits = new Uint8Array(count);
      for (let row = 0; row < count; row++) bits[row] = (values.bits[row >> 3] >> (row & 7)) & 1;
      return { values: { kind: 'bits', bits }, codes: null };
    }
    case 'date32':
      return { values: { kind: 'i32', i32: values.i32 }, codes: null };
    case 'int64':
    case 'timestamp':
    case 'decimal':
      return { values: { kind: 'i64', words: values.words }, codes: null };
    case 'point':
      return { values: { kind: 'geo', f64: values.f64 }, codes: null };
    case 'dictionary': {
      const codesOf = internAll(dictionary(), values.dictionary.offsets, values.dictionary.bytes);
      const codes = new Uint32Array(count);
      for (let row = 0; row < count; row++) codes[row] = codesOf[values.codes[row]];
      const none = new Uint32Array(0);
      return { values: { kind: 'code', hashes: none, offsets: none, bytes: new Uint8Array(0) }, codes };
    }
    default:
      throw new Error(`a snapshot file holds a column of kind ${values.kind} where values stand`);
  }
}

function restoreLatest(
  segment: EntitySegment,
  columnId: number,
  column: ArrowColumn,
  rowCount: number,
  dictionary: () => Dictionary,
): void {
  const { values, codes } = plainValues(column, rowCount, dictionary);
  const held = segment.latestColumn(columnId, values.kind, 1);
  for (let row = 0; row < rowCount; row++) {
    if (!present(column.validity, row)) continue;
    if (codes !== null) held.setCode(row, codes[row]);
    else if (values.kind === 'i64') held.setI64(row, values.words[row * 2], values.words[row * 2 + 1]);
    else if (values.kind === 'i32') held.setI32(row, values.i32[row]);
    else if (values.kind === 'bits') held.setBit(row, values.bits[row]);
    else if (values.kind === 'geo') held.setPoint(row, values.f64[row * 2], values.f64[row * 2 + 1]);
  }
}

function restoreList(
  segment: EntitySegment,
  columnId: number,
  column: ArrowColumn & { kind: 'list' },
  rowCount: number,
  dictionary: () => Dictionary,
): void {
  const { offsets } = column;
  const { values, codes } = plainValues(column.items, offsets[rowCount], dictionary);
  const held = segment.listColumn(columnId, values.kind);
  for (let row = 0; row < rowCount; row++) {
    const count = offsets[row + 1] - offsets[row];
    if (count > 0) held.replace(row, values, codes, offsets[row], count);
  }
}

/** Appends the file's entities as the next segment of the shard's dimension. */
export function restoreEntities(shard: DimensionShard, table: ArrowTable): EntitySegment {
  const [ids, ...columns] = table.columns;
  invariant(ids?.kind === 'utf8', 'a snapshot file of entities begins with their IDs');
  const segment = shard.addSegment();
  for (let row = 0; row < table.rowCount; row++) {
    const [from, to] = [ids.offsets[row], ids.offsets[row + 1]];
    shard.appendEntity(hashBytes(ids.bytes, from, to), ids.bytes, from, to);
  }
  for (const column of columns) {
    const columnId = Number(column.metadata?.get(COLUMN_ID_KEY));
    const dictionary = (): Dictionary => shard.dictionary(columnId);
    if (column.kind === 'list') restoreList(segment, columnId, column, table.rowCount, dictionary);
    else {
      invariant(column.metadata?.get(FORM_KEY) === 'latest', `column ${column.name} has an unknown form`);
      restoreLatest(segment, columnId, column, table.rowCount, dictionary);
    }
  }
  return segment;
}

/** Appends the file's events as the next segment of the column's table. */
export function restoreEvents(shard: DimensionShard, columnId: number, table: ArrowTable) {
  const [rows, dates, held] = table.columns;
  invariant(
    rows?.kind === 'uint32' && dates?.kind === 'timestamp',
    'a snapshot file of events holds row, date, value',
  );
  const { values, codes } = plainValues(held, table.rowCount, () => shard.dictionary(columnId));
  const kind: ValueKind = values.kind;
  const events = shard.eventTable(columnId, kind);
  const segment = events.addSegment();
  segment.restorePlaces(rows.u32, narrowU32(dates.words), table.metadata.get(SEALED_KEY) === '1');
  for (let place = 0; place < table.rowCount; place++) {
    if (codes !== null) segment.setCode(place, codes[place]);
    else if (values.kind === 'i64')
      segment.setI64(place, values.words[place * 2], values.words[place * 2 + 1]);
    else if (values.kind === 'geo') segment.setPoint(place, values.f64[place * 2], values.f64[place * 2 + 1]);
  }
  markOwners(shard, columnId, rows.u32);
  return segment;
}

function markOwners(shard: DimensionShard, columnId: number, rows: Uint32Array): void {
  for (const row of rows) {
    shard.segments[row >>> SEGMENT_ROWS_SHIFT].ownersOf(columnId).set(row & SEGMENT_ROWS_MASK);
  }
}
