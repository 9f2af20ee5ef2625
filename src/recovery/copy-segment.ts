/**
 * Copies segments to the tables of snapshot files. A table is a copy: the segment may change afterwards.
 * Each file is self-contained: strings are coded with the file's own dictionary, and fields carry the IDs by which
 * restore-segment.ts finds them. Field metadata: quarry:column-id, quarry:form (latest | list).
 */
import type { ArrowColumn, ArrowTable, ArrowValues, Utf8Values } from '../column/index.js';
import { widenU32 } from '../column/index.js';
import { type Column, type Dimension, ENTITY_ID_COLUMN, type ValueKind } from '../schema/index.js';
import type {
  Arena,
  Dictionary,
  DimensionShard,
  EntitySegment,
  EventSegment,
  LatestColumn,
  ListColumn,
  Width,
} from '../storage/index.js';
import { readCodes, readIntegers } from '../storage/index.js';

export const COLUMN_ID_KEY = 'quarry:column-id';
export const FORM_KEY = 'quarry:form';
export const SEALED_KEY = 'quarry:sealed';

/** Maps the codes of a dictionary to a file's codes, in the order of first use; reused from file to file. */
export class LocalCodes {
  #localOf = new Uint32Array(1024);
  #used: number[] = [];

  /** Starts a new file's column over a dictionary of `codeCount` codes. */
  begin(codeCount: number): void {
    for (const code of this.#used) this.#localOf[code] = 0;
    this.#used = [];
    if (this.#localOf.length < codeCount) this.#localOf = new Uint32Array(codeCount * 2);
  }

  /** Returns the index of `code` in the file's dictionary; a missing value (code 0) gets 0, an arbitrary string. */
  of(code: number): number {
    if (code === 0) return 0;
    const known = this.#localOf[code];
    if (known !== 0) return known - 1;
    this.#used.push(code);
    this.#localOf[code] = this.#used.length;
    return this.#used.length - 1;
  }

  /** Returns the strings of the codes used since `begin`; at least one, so that every index is valid. */
  strings(dictionary: Dictionary): Utf8Values {
    const { offsets: from, bytes: source } = dictionary;
    const offsets = new Uint32Array(Math.max(1, this.#used.length) + 1);
    this.#used.forEach((code, local) => {
      offsets[local + 1] = offsets[local] + from[code + 1] - from[code];
    });
    const bytes = new Uint8Array(offsets[this.#used.length]);
    this.#used.forEach((code, local) => {
      bytes.set(source.subarray(from[code], from[code + 1]), offsets[local]);
    });
    return { offsets, bytes };
  }

  get count(): number {
    return this.#used.length;
  }
}

function narrowCodes(codes: Uint32Array, count: number): Uint8Array | Uint16Array | Uint32Array {
  if (count <= 0x100) return Uint8Array.from(codes);
  return count <= 0x10000 ? Uint16Array.from(codes) : codes;
}

/** Values by kind, except codes; the Arrow type depends on the column's type. */
function scalarValues(
  column: Column,
  kind: ValueKind,
  values: Uint32Array | Int32Array | Float64Array | Uint8Array,
): ArrowValues {
  switch (kind) {
    case 'bits':
      return { kind: 'bool', bits: values as Uint8Array };
    case 'i32':
      return { kind: 'date32', i32: values as Int32Array };
    case 'geo':
      return { kind: 'point', f64: values as Float64Array };
    default: {
      const words = values as Uint32Array;
      if (column.decimalPlaces !== null) return { kind: 'decimal', words, places: column.decimalPlaces };
      return column.type === 'datetime' ? { kind: 'timestamp', words } : { kind: 'int64', words };
    }
  }
}

/** Copies `count` codes in an arena as indexes into the file's dictionary. */
function dictionaryValues(
  arena: Arena,
  at: number,
  width: Width,
  count: number,
  dictionary: Dictionary,
  local: LocalCodes,
): ArrowValues {
  const source = readCodes(arena, at, width, count);
  local.begin(dictionary.codeCount);
  const codes = new Uint32Array(count);
  for (let row = 0; row < count; row++) codes[row] = local.of(source[row]);
  return {
    kind: 'dictionary',
    codes: narrowCodes(codes, local.count),
    dictionary: local.strings(dictionary),
  };
}

/** Copies the first `count` bits; later rows may have set bits after them. */
function copyBitmap(arena: Arena, at: number, count: number): Uint8Array {
  const bitmap = arena.u8.slice(at, at + Math.ceil(count / 8));
  if (count & 7) bitmap[bitmap.length - 1] &= (1 << (count & 7)) - 1;
  return bitmap;
}

/** Copies `count` values other than codes from an arena. */
function copyScalars(arena: Arena, at: number, kind: ValueKind, width: Width, count: number) {
  switch (kind) {
    case 'bits':
      return copyBitmap(arena, at, count);
    case 'i32':
      return arena.i32.slice(at >> 2, (at >> 2) + count);
    case 'geo':
      return arena.f64.slice(at >> 3, (at >> 3) + count * 2);
    default:
      return readIntegers(arena, at, width, count);
  }
}

function latestColumn(
  column: Column,
  stored: LatestColumn,
  rowCount: number,
  dictionary: Dictionary | undefined,
  local: LocalCodes,
): ArrowColumn {
  const { arena, validityAt } = stored;
  const values =
    dictionary !== undefined
      ? dictionaryValues(arena, stored.valuesAt, stored.width, rowCount, dictionary, local)
      : scalarValues(
          column,
          stored.kind,
          copyScalars(arena, stored.valuesAt, stored.kind, stored.width, rowCount),
        );
  return {
    ...values,
    name: column.apiName,
    validity: copyBitmap(arena, validityAt, rowCount),
    metadata: new Map([
      [COLUMN_ID_KEY, String(column.id)],
      [FORM_KEY, 'latest'],
    ]),
  };
}

function listColumn(
  column: Column,
  stored: ListColumn,
  rowCount: number,
  dictionary: Dictionary | undefined,
  local: LocalCodes,
): ArrowColumn {
  const offsets = new Uint32Array(rowCount + 1);
  const validity = new Uint8Array(Math.ceil(rowCount / 8));
  for (let row = 0; row < rowCount; row++) {
    offsets[row + 1] = offsets[row] + stored.counts[row];
    if (stored.counts[row] > 0) validity[row >> 3] |= 1 << (row & 7);
  }
  const items = stored.items.slice(0, offsets[rowCount] * stored.width);
  for (let row = 0; row < rowCount; row++) {
    const from = stored.starts[row] * stored.width;
    items.set(
      stored.items.subarray(from, from + stored.counts[row] * stored.width),
      offsets[row] * stored.width,
    );
  }
  return {
    kind: 'list',
    offsets,
    items: listItems(column, stored.kind, items, dictionary, local) as Exclude<ArrowValues, { kind: 'list' }>,
    name: column.apiName,
    validity,
    metadata: new Map([
      [COLUMN_ID_KEY, String(column.id)],
      [FORM_KEY, 'list'],
    ]),
  };
}

function listItems(
  column: Column,
  kind: ValueKind,
  items: Uint32Array | Int32Array | Float64Array | Uint8Array,
  dictionary: Dictionary | undefined,
  local: LocalCodes,
): ArrowValues {
  if (dictionary !== undefined) {
    local.begin(dictionary.codeCount);
    const codes = Uint32Array.from(items as Uint32Array, (code) => local.of(code));
    return {
      kind: 'dictionary',
      codes: narrowCodes(codes, local.count),
      dictionary: local.strings(dictionary),
    };
  }
  if (kind !== 'bits') return scalarValues(column, kind, items);
  const bits = new Uint8Array(Math.ceil(items.length / 8));
  for (let item = 0; item < items.length; item++) if (items[item] !== 0) bits[item >> 3] |= 1 << (item & 7);
  return { kind: 'bool', bits };
}

/** Copies the first `rowCount` IDs; those of deleted rows are missing and empty. */
function idColumn(segment: EntitySegment, rowCount: number): ArrowColumn {
  const { offsets, bytes } = segment.ids(rowCount);
  const { tombstones } = segment;
  const common = { kind: 'utf8', name: ENTITY_ID_COLUMN } as const;
  if (tombstones === null) {
    return { ...common, validity: null, offsets: offsets.slice(), bytes: bytes.slice() };
  }
  const dead = copyBitmap(tombstones.arena, tombstones.at, rowCount);
  const validity = dead.map((byte) => ~byte);
  const left = { offsets: new Uint32Array(rowCount + 1), bytes: new Uint8Array(bytes.length) };
  for (let row = 0; row < rowCount; row++) {
    const isDead = (dead[row >> 3] & (1 << (row & 7))) !== 0;
    const id = bytes.subarray(offsets[row], isDead ? offsets[row] : offsets[row + 1]);
    left.bytes.set(id, left.offsets[row]);
    left.offsets[row + 1] = left.offsets[row] + id.length;
  }
  return { ...common, validity, offsets: left.offsets, bytes: left.bytes.slice(0, left.offsets[rowCount]) };
}

/** Copies the first `rowCount` rows of an entity segment. */
export function copyEntities(
  shard: DimensionShard,
  segment: EntitySegment,
  rowCount: number,
  dimension: Dimension,
  local: LocalCodes,
): ArrowTable {
  const columns: ArrowColumn[] = [idColumn(segment, rowCount)];
  for (const column of dimension.columns.values()) {
    const dictionary = shard.dictionaries.get(column.id);
    const latest = segment.latest(column.id);
    if (latest !== undefined) columns.push(latestColumn(column, latest, rowCount, dictionary, local));
    const list = segment.list(column.id);
    if (list !== undefined) columns.push(listColumn(column, list, rowCount, dictionary, local));
  }
  return { columns, rowCount, metadata: new Map() };
}

/**
 * Copies the first `count` events of a segment: entity row (row number in the dimension's shard), date, value, and a link if any
 * event has one.
 */
export function copyEvents(
  segment: EventSegment,
  count: number,
  column: Column,
  dictionary: Dictionary | undefined,
  local: LocalCodes,
): ArrowTable {
  const { rows, dates } = segment.datesAndRows(count);
  const { arena, valuesAt, width, kind } = segment;
  const values =
    dictionary !== undefined
      ? dictionaryValues(arena, valuesAt, width, count, dictionary, local)
      : scalarValues(column, kind, copyScalars(arena, valuesAt, kind, width, count));
  const columns: ArrowColumn[] = [
    { kind: 'uint32', name: 'row', validity: null, u32: rows.slice() },
    { kind: 'timestamp', name: 'date', validity: null, words: widenU32(dates) },
    { ...values, name: 'value', validity: null },
  ];
  const links = segment.links(count);
  if (links?.some((link) => link !== 0)) {
    columns.push({ kind: 'uint32', name: 'link', validity: null, u32: links.slice() });
  }
  return { columns, rowCount: count, metadata: new Map([[SEALED_KEY, segment.sealed ? '1' : '0']]) };
}
