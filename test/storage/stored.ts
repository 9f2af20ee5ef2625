/**
 * Changes of entities as plain data, for tests of one shard: converted to a batch for the shard, applied to plain maps,
 * and both read back in one comparable form. Values are in their stored form: bigint for every ordered kind.
 */
import { hashBytes, type Prng } from '../../src/base/index.js';
import type { Batch, Section, Values } from '../../src/column/index.js';
import type { ValueKind } from '../../src/schema/index.js';
import {
  type DimensionShard,
  type EventTable,
  type LatestColumn,
  readCodes,
  readIntegers,
  type Width,
} from '../../src/storage/index.js';
import type { StoredEntity } from '../ir/evaluate.js';

export type Stored = bigint | string | readonly [number, number];

export interface StoredEvent {
  readonly seconds: number;
  readonly value: Stored;
  /** Events with the same object are related. */
  readonly link?: object;
}

/** The relation of an event column; 0 = none. */
export type RelationOf = (columnId: number) => number;
const UNRELATED: RelationOf = () => 0;

export interface StoredColumn {
  readonly id: number;
  readonly form: 'latest' | 'list' | 'event';
  readonly kind: ValueKind;
}

/** null removes a latest value. */
export type Field =
  | { readonly column: StoredColumn; readonly latest: Stored | null }
  | { readonly column: StoredColumn; readonly list: readonly Stored[] }
  | { readonly column: StoredColumn; readonly events: readonly StoredEvent[] };

export interface Change {
  readonly id: string;
  readonly fields: readonly Field[];
}

export type StoredEntities = Map<string, StoredEntity>;

const KINDS: readonly ValueKind[] = ['bits', 'i32', 'i64', 'code', 'geo'];

/** A column of every kind and form; events have neither bits nor days. */
export const COLUMNS: readonly StoredColumn[] = [
  ...KINDS.map((kind, index): StoredColumn => ({ id: 1 + index, form: 'latest', kind })),
  ...KINDS.map((kind, index): StoredColumn => ({ id: 11 + index, form: 'list', kind })),
  ...(['i64', 'code', 'geo'] as const).map(
    (kind, index): StoredColumn => ({ id: 21 + index, form: 'event', kind }),
  ),
];

// Batches

function strings(texts: readonly string[]) {
  const parts = texts.map((text) => Buffer.from(text, 'utf8'));
  const offsets = new Uint32Array(parts.length + 1);
  parts.forEach((part, index) => {
    offsets[index + 1] = offsets[index] + part.length;
  });
  const hashes = Uint32Array.from(parts, (part) => hashBytes(part, 0, part.length));
  return { hashes, offsets, bytes: new Uint8Array(Buffer.concat(parts)) };
}

export function valuesOf(kind: ValueKind, values: readonly Stored[]): Values {
  switch (kind) {
    case 'bits':
      return { kind, bits: Uint8Array.from(values, Number) };
    case 'i32':
      return { kind, i32: Int32Array.from(values, Number) };
    case 'i64':
      return { kind, words: new Uint32Array(BigInt64Array.from(values as bigint[]).buffer) };
    case 'geo':
      return { kind, f64: Float64Array.from((values as [number, number][]).flat()) };
    case 'code':
      return { kind, ...strings(values as string[]) };
  }
}

/** Values as in a section; strings as their codes, given as numbers or digits. */
function coded(kind: ValueKind, value: Stored | number): { values: Values; codes: Uint32Array | null } {
  if (kind === 'code') return { values: NO_CODES, codes: Uint32Array.of(Number(value)) };
  const stored = typeof value === 'number' ? BigInt(value) : value;
  return { values: valuesOf(kind, [stored]), codes: null };
}

/** Sets the value in `row` of the column; strings are codes, given as numbers or digits. */
export function setValue(column: LatestColumn, row: number, value: Stored | number): void {
  const { values, codes } = coded(column.kind, value);
  column.setAll(Uint32Array.of(row), values, codes, 0, 1);
}

/** Appends an event to the table's last segment; strings are codes, given as numbers or digits. */
export function appendValue(table: EventTable, row: number, date: number, value: Stored | number): void {
  const { values, codes } = coded(table.kind, value);
  table.tail().appendAll({ rows: Uint32Array.of(row), dates: Uint32Array.of(date), values, codes }, 0, 1);
}

const NO_CODES: Values = valuesOf('code', []);

/** One batch of changes; an ID occurs in it once. */
export function batchOf(
  dimensionId: number,
  changes: readonly Change[],
  relationOf: RelationOf = UNRELATED,
): Batch {
  const { hashes, offsets, bytes } = strings(changes.map(({ id }) => id));
  const entries = changes.flatMap(({ fields }, row) => fields.map((field) => ({ row, field })));
  const columns = new Map(entries.map(({ field }) => [field.column.id, field.column]));
  const sections: Section[] = [];
  for (const column of columns.values()) {
    const own = entries.filter(({ field }) => field.column.id === column.id);
    const section = (form: Section['form'], rows: number[], values: readonly Stored[]): Section => ({
      columnId: column.id,
      form,
      rows: Uint32Array.from(rows),
      counts: null,
      dates: null,
      relationId: form === 'event' ? relationOf(column.id) : 0,
      valueCount: values.length,
      values: form === 'remove' ? NO_CODES : valuesOf(column.kind, values),
    });
    const latest = own.flatMap(({ row, field }) => ('latest' in field ? [{ row, value: field.latest }] : []));
    const set = latest.filter(({ value }) => value !== null);
    const removed = latest.filter(({ value }) => value === null);
    if (set.length > 0) {
      const rows = set.map(({ row }) => row);
      sections.push(
        section(
          'latest',
          rows,
          set.map(({ value }) => value as Stored),
        ),
      );
    }
    if (removed.length > 0)
      sections.push(
        section(
          'remove',
          removed.map(({ row }) => row),
          [],
        ),
      );
    const lists = own.flatMap(({ row, field }) => ('list' in field ? [{ row, list: field.list }] : []));
    if (lists.length > 0) {
      const rows = lists.map(({ row }) => row);
      const counts = Uint32Array.from(lists, ({ list }) => list.length);
      sections.push({
        ...section(
          'list',
          rows,
          lists.flatMap(({ list }) => list),
        ),
        counts,
      });
    }
    const events = own.flatMap(({ row, field }) =>
      'events' in field ? field.events.map((event) => ({ row, event })) : [],
    );
    if (events.length > 0) {
      const dates = Uint32Array.from(events, ({ event }) => event.seconds);
      const rows = events.map(({ row }) => row);
      sections.push({
        ...section(
          'event',
          rows,
          events.map(({ event }) => event.value),
        ),
        dates,
      });
    }
  }
  return {
    dimensionId,
    rowCount: changes.length,
    idHashes: hashes,
    idOffsets: offsets,
    idBytes: bytes,
    sections,
  };
}

// Plain maps

export function applyPlain(
  entities: StoredEntities,
  changes: readonly Change[],
  relationOf: RelationOf = UNRELATED,
): void {
  for (const { id, fields } of changes) {
    let entity = entities.get(id);
    if (entity === undefined) {
      entity = { attributes: new Map(), events: new Map() };
      entities.set(id, entity);
    }
    applyFields(entity, fields, relationOf);
  }
}

function applyFields(entity: StoredEntity, fields: readonly Field[], relationOf: RelationOf): void {
  const links = new Map<string, object>();
  for (const field of fields) {
    const { id: columnId } = field.column;
    if ('latest' in field) {
      if (field.latest === null) entity.attributes.delete(columnId);
      else entity.attributes.set(columnId, field.latest);
    } else if ('list' in field) {
      if (field.list.length === 0) entity.attributes.delete(columnId);
      else entity.attributes.set(columnId, field.list);
    } else if (field.events.length > 0) {
      const events = entity.events.get(columnId) ?? [];
      field.events.forEach((event, nth) => {
        const key = `${relationOf(columnId)}/${nth}`;
        const link = links.get(key) ?? {};
        links.set(key, link);
        events.push(relationOf(columnId) === 0 ? event : ({ ...event, link } as StoredEvent));
      });
      entity.events.set(columnId, events);
    }
  }
}

/** Sets the fields in each of the entities. */
export function updatePlain(
  entities: StoredEntities,
  ids: Iterable<string>,
  fields: readonly Field[],
  relationOf: RelationOf = UNRELATED,
): void {
  for (const id of ids) applyFields(entities.get(id) as StoredEntity, fields, relationOf);
}

export function expirePlain(entities: StoredEntities, columnId: number, beforeSeconds: number): void {
  for (const { events } of entities.values()) {
    const left = (events.get(columnId) ?? []).filter(({ seconds }) => seconds >= beforeSeconds);
    if (left.length === 0) events.delete(columnId);
    else events.set(columnId, left);
  }
}

export function dropColumnPlain(entities: StoredEntities, columnId: number): void {
  for (const { attributes, events } of entities.values()) {
    attributes.delete(columnId);
    events.delete(columnId);
  }
}

// Read back

/** One line per entity: its ID, attributes, events and which of them are related, in a canonical order. */
export type Dump = readonly string[];

const plainText = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part));

function line(
  id: string,
  attributes: ReadonlyMap<number, unknown>,
  events: ReadonlyMap<number, readonly DumpedEvent[]>,
): string {
  const sorted = [...attributes].sort(([a], [b]) => a - b);
  const sortedEvents = [...events]
    .filter(([, all]) => all.length > 0)
    .sort(([a], [b]) => a - b)
    .map(([columnId, all]) => [columnId, all.map(textOf).sort()]);
  return plainText([id, sorted, sortedEvents, groupsOf(events)]);
}

interface DumpedEvent {
  readonly seconds: number;
  readonly value: unknown;
  readonly link?: unknown;
}

const textOf = ({ seconds, value }: DumpedEvent): string => plainText({ seconds, value });

/** Events with the same link, of at least two columns. */
function groupsOf(events: ReadonlyMap<number, readonly DumpedEvent[]>): string[] {
  const groups = new Map<unknown, string[]>();
  for (const [columnId, all] of events) {
    for (const event of all) {
      if (event.link === undefined) continue;
      const group = groups.get(event.link) ?? [];
      group.push(`${columnId}: ${textOf(event)}`);
      groups.set(event.link, group);
    }
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => group.sort().join(' + '))
    .sort();
}

export function dumpPlain(entities: StoredEntities): Dump {
  return [...entities].map(([id, { attributes, events }]) => line(id, attributes, events)).sort();
}

/** The first line in which two dumps differ, shortened, or null; fast even for large dumps. */
export function differenceOf(is: Dump, wanted: Dump): string | null {
  const length = Math.max(is.length, wanted.length);
  for (let at = 0; at < length; at++) {
    if (is[at] !== wanted[at]) return `${is[at]?.slice(0, 400)} instead of ${wanted[at]?.slice(0, 400)}`;
  }
  return null;
}

function itemAt(
  kind: ValueKind,
  items: ArrayLike<number>,
  at: number,
  text: (code: number) => string,
): Stored {
  if (kind === 'code') return text(items[at]);
  if (kind === 'geo') return [items[at], items[at + 1]];
  return kind === 'i64'
    ? BigInt.asIntN(64, (BigInt(items[at + 1]) << 32n) | BigInt(items[at]))
    : BigInt(items[at]);
}

interface ValueLocation {
  readonly arena: LatestColumn['arena'];
  readonly kind: ValueKind;
  readonly width: Width;
  readonly valuesAt: number;
}

/** The value in `row` of values in an arena. */
export function valueAt(
  { arena, kind, width, valuesAt }: ValueLocation,
  row: number,
  text: (code: number) => string,
): Stored {
  switch (kind) {
    case 'bits':
      return BigInt((arena.u8[valuesAt + (row >> 3)] >> (row & 7)) & 1);
    case 'i32':
      return BigInt(arena.i32[(valuesAt >> 2) + row]);
    case 'i64':
      return itemAt(kind, readIntegers(arena, valuesAt + row * width, width, 1), 0, text);
    case 'geo':
      return itemAt(kind, arena.f64, (valuesAt >> 3) + row * 2, text);
    case 'code':
      return text(readCodes(arena, valuesAt, width, row + 1)[row]);
  }
}

/** The whole content of a dimension in a shard. */
export function dumpShard(shard: DimensionShard): Dump {
  const textIn =
    (columnId: number) =>
    (code: number): string => {
      const { offsets, bytes } = shard.dictionary(columnId);
      return Buffer.from(bytes.subarray(offsets[code], offsets[code + 1])).toString('utf8');
    };
  const byRow = new Map<
    number,
    { id: string; attributes: Map<number, unknown>; events: Map<number, DumpedEvent[]> }
  >();
  shard.segments.forEach((segment, index) => {
    const { offsets, bytes } = segment.ids();
    for (let segmentRow = 0; segmentRow < segment.rowCount; segmentRow++) {
      if (segment.isDead(segmentRow)) continue;
      const id = Buffer.from(bytes.subarray(offsets[segmentRow], offsets[segmentRow + 1])).toString('utf8');
      const attributes = new Map<number, unknown>();
      for (const columnId of segment.columnIds) {
        const column = segment.latest(columnId);
        if (column?.has(segmentRow)) attributes.set(columnId, valueAt(column, segmentRow, textIn(columnId)));
      }
      for (const columnId of segment.columnIds) {
        const column = segment.list(columnId);
        if (column === undefined || column.counts[segmentRow] === 0) continue;
        const count = column.counts[segmentRow];
        const from = column.starts[segmentRow];
        attributes.set(
          columnId,
          Array.from({ length: count }, (_, item) =>
            itemAt(column.kind, column.items, (from + item) * column.width, textIn(columnId)),
          ),
        );
      }
      byRow.set((index << 16) + segmentRow, { id, attributes, events: new Map() });
    }
  });
  for (const [columnId, table] of shard.events) {
    for (const segment of table.segments) {
      const { rows, dates } = segment.datesAndRows(segment.eventCount);
      const links = segment.links();
      for (let segmentRow = 0; segmentRow < rows.length; segmentRow++) {
        if (shard.isDead(rows[segmentRow])) continue;
        const entity = byRow.get(rows[segmentRow]);
        if (entity === undefined)
          throw new Error(`an event belongs to row ${rows[segmentRow]}, which has no entity`);
        const events = entity.events.get(columnId) ?? [];
        const link = links === null || links[segmentRow] === 0 ? undefined : links[segmentRow];
        events.push({
          seconds: dates[segmentRow],
          value: valueAt(segment, segmentRow, textIn(columnId)),
          link,
        });
        entity.events.set(columnId, events);
      }
    }
  }
  return [...byRow.values()].map(({ id, attributes, events }) => line(id, attributes, events)).sort();
}

// Generators

export interface ChangeOptions {
  readonly count: number;
  /** The number of different IDs. */
  readonly idCount: number;
  /** The number of distinct strings in a column. */
  readonly textCount: number;
  /** The probability that a column is written. */
  readonly density: number;
}

function generateStored(prng: Prng, kind: ValueKind, textCount: number): Stored {
  switch (kind) {
    case 'bits':
      return BigInt(prng.below(2));
    case 'i32':
      return prng.pick([-(2n ** 31n), 2n ** 31n - 1n, 0n, BigInt(prng.between(-30, 30))]);
    case 'i64':
      return prng.pick([
        -(2n ** 63n),
        2n ** 63n - 1n,
        2n ** 53n + 1n,
        -1n,
        BigInt(prng.between(-30, 30)),
        BigInt(prng.between(-30, 30)),
      ]);
    case 'geo':
      return [prng.between(-180, 180), prng.between(-90, 90)];
    case 'code':
      return `text-${prng.below(textCount)}-ß`;
  }
}

export function generateField(prng: Prng, column: StoredColumn, textCount: number): Field {
  const value = (): Stored => generateStored(prng, column.kind, textCount);
  if (column.form === 'latest') return { column, latest: prng.chance(0.1) ? null : value() };
  const several = Array.from({ length: prng.below(4) }, value);
  if (column.form === 'list') return { column, list: several };
  const events = several.map((one) => ({ seconds: 1_500_000_000 + prng.below(100_000), value: one }));
  return { column, events };
}

export function generateChanges(
  prng: Prng,
  columns: readonly StoredColumn[],
  { count, idCount, textCount, density }: ChangeOptions,
): Change[] {
  const ids = new Set(Array.from({ length: count }, () => `entity-${prng.below(idCount)}`));
  return [...ids].map((id) => ({
    id,
    fields: columns
      .filter(() => prng.chance(density))
      .map((column) => generateField(prng, column, textCount)),
  }));
}
