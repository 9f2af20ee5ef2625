/**
 * Restores segments from the tables of snapshot files. The files of a dimension must come in order: entity segments by number,
 * then the event segments of each column by number.
 */
import { hashBytes, invariant } from '../base/index.js';
import {
  type ArrowColumn,
  type ArrowTable,
  type ArrowValues,
  narrowU32,
  type Values,
} from '../column/index.js';
import {
  type Dictionary,
  type DimensionShard,
  type EntitySegment,
  type EventSegment,
  type StoredValues,
  widthOfValues,
} from '../storage/index.js';
import { COLUMN_ID_KEY, FORM_KEY, SEALED_KEY } from './copy-segment.js';

/** Returns the shard's codes for the strings of a file's dictionary. */
function internAll(
  dictionary: Dictionary,
  offsets: Int32Array | Uint32Array,
  bytes: Uint8Array,
): Uint32Array {
  const codes = new Uint32Array(offsets.length - 1);
  for (let local = 0; local < codes.length; local++) {
    const [from, to] = [offsets[local], offsets[local + 1]];
    // The empty string only pads the dictionary of a column without values.
    if (to > from) codes[local] = dictionary.intern(hashBytes(bytes, from, to), bytes, from, to);
  }
  return codes;
}

/** Returns the shard's codes for a file's dictionary-coded rows; a row without a value gets 0. */
function codesOf(
  values: Extract<ArrowValues, { kind: 'dictionary' }>,
  validity: Uint8Array | null,
  count: number,
  dictionary: Dictionary,
): Uint32Array {
  const shardCodes = internAll(dictionary, values.dictionary.offsets, values.dictionary.bytes);
  const codes = new Uint32Array(count);
  for (let row = 0; row < count; row++) {
    if (validity === null || (validity[row >> 3] & (1 << (row & 7))) !== 0)
      codes[row] = shardCodes[values.codes[row]];
  }
  return codes;
}

/** Returns `count` rows of a column in the form in which segments store them. */
function storedValues(
  column: ArrowValues & { readonly validity: Uint8Array | null },
  count: number,
  dictionary: () => Dictionary,
): StoredValues {
  switch (column.kind) {
    case 'bool':
      return { kind: 'bits', bitmap: column.bits.subarray(0, (count + 7) >> 3) };
    case 'date32':
      return { kind: 'i32', i32: column.i32.subarray(0, count) };
    case 'int64':
    case 'timestamp':
    case 'decimal':
      return { kind: 'i64', words: column.words.subarray(0, count * 2) };
    case 'point':
      return { kind: 'geo', f64: column.f64.subarray(0, count * 2) };
    case 'dictionary':
      return { kind: 'code', codes: codesOf(column, column.validity, count, dictionary()) };
    default:
      throw new Error(`a snapshot file has a column of kind ${column.kind} instead of values`);
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
  const stored = storedValues({ ...column.items, validity: null }, offsets[rowCount], dictionary);
  const target = segment.listColumn(columnId, stored.kind);
  const { values, codes } = listItems(stored, offsets[rowCount]);
  for (let row = 0; row < rowCount; row++) {
    const count = offsets[row + 1] - offsets[row];
    if (count > 0) target.replace(row, values, codes, offsets[row], count);
  }
}

const NO_BYTES = new Uint8Array(0);
const NO_WORDS = new Uint32Array(0);

/** Returns items in the form of a batch's values. */
function listItems(stored: StoredValues, count: number): { values: Values; codes: Uint32Array | null } {
  if (stored.kind === 'code') {
    return {
      values: { kind: 'code', hashes: NO_WORDS, offsets: NO_WORDS, bytes: NO_BYTES },
      codes: stored.codes,
    };
  }
  if (stored.kind !== 'bits') return { values: stored, codes: null };
  const bits = new Uint8Array(count);
  for (let item = 0; item < count; item++) bits[item] = (stored.bitmap[item >> 3] >> (item & 7)) & 1;
  return { values: { kind: 'bits', bits }, codes: null };
}

/** Appends the file's entities as the next segment; call the shard's `finishRestore` after the last file. */
export function restoreEntities(shard: DimensionShard, table: ArrowTable): EntitySegment {
  const [ids, ...columns] = table.columns;
  invariant(ids?.kind === 'utf8', 'a snapshot file of entities starts with a column of IDs');
  const segment = shard.restoreSegment(ids.offsets, ids.bytes, ids.validity);
  for (const column of columns) {
    const columnId = Number(column.metadata?.get(COLUMN_ID_KEY));
    const dictionary = (): Dictionary => shard.dictionary(columnId);
    if (column.kind === 'list') restoreList(segment, columnId, column, table.rowCount, dictionary);
    else {
      invariant(column.metadata?.get(FORM_KEY) === 'latest', `column ${column.name} has an unknown form`);
      const values = storedValues(column, table.rowCount, dictionary);
      const width = widthOfValues(values);
      const target = segment.latestColumn(columnId, values.kind, width);
      target.restore(values, width, column.validity, table.rowCount);
    }
  }
  return segment;
}

/** Appends the file's events as the column's next segment, with the file's segment number. */
export function restoreEvents(
  shard: DimensionShard,
  { columnId, segment: number }: { readonly columnId: number; readonly segment: number },
  table: ArrowTable,
): EventSegment {
  const [rows, dates, valueColumn, links] = table.columns;
  invariant(
    rows?.kind === 'uint32' && dates?.kind === 'timestamp',
    'a snapshot file of events has columns row, date, value',
  );
  invariant(links === undefined || links.kind === 'uint32', 'links are unsigned numbers');
  const values = storedValues(valueColumn, table.rowCount, () => shard.dictionary(columnId));
  const segment = shard.eventTable(columnId, values.kind).addSegment(number);
  const isSealed = table.metadata.get(SEALED_KEY) === '1';
  segment.restore(rows.u32, narrowU32(dates.words), values, links?.u32 ?? null, isSealed);
  shard.markOwners(columnId, rows.u32);
  return segment;
}
