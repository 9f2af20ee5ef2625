/**
 * One dimension within one shard: its entities, their attribute columns, the dictionaries and the event tables.
 * Invariants: an entity's row never changes; row >> 16 names its segment and row & 65535 its place there (segments
 * may hold fewer rows, which leaves gaps); `apply` is deterministic, so replaying the same batches in the same
 * order gives the same rows, codes and segments.
 */
import { hashBytes, invariant, SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../base/index.js';
import type { Batch, Section, Values } from '../column/index.js';
import type { ValueKind } from '../schema/index.js';
import type { ArenaPool } from './arena.js';
import { Dictionary } from './dictionary.js';
import { EntityIndex } from './entity-index.js';
import { EntitySegment } from './entity-segment.js';
import { EventTable } from './event-table.js';
import type { Width } from './width.js';

type CodeValues = Extract<Values, { kind: 'code' }>;

export class DimensionShard {
  readonly dimensionId: number;
  readonly segments: EntitySegment[] = [];
  readonly dictionaries = new Map<number, Dictionary>();
  readonly events = new Map<number, EventTable>();
  readonly #pool: ArenaPool;
  readonly #index = new EntityIndex();
  #entityCount = 0;
  /** The ID that `#same` compares with: bytes[from, to). */
  #idBytes: Uint8Array = new Uint8Array(0);
  #idFrom = 0;
  #idTo = 0;

  constructor(pool: ArenaPool, dimensionId: number) {
    this.#pool = pool;
    this.dimensionId = dimensionId;
  }

  get entityCount(): number {
    return this.#entityCount;
  }

  /** One more than the greatest row; segments that are not full leave gaps below it. */
  get rowEnd(): number {
    const last = this.segments.length - 1;
    return last < 0 ? 0 : (last << SEGMENT_ROWS_SHIFT) + this.segments[last].rowCount;
  }

  /** Bytes outside the arenas: index, dictionaries, lists. */
  get heapBytes(): number {
    let sum = this.#index.memoryBytes;
    for (const dictionary of this.dictionaries.values()) sum += dictionary.memoryBytes;
    for (const segment of this.segments) sum += segment.listBytes;
    return sum;
  }

  readonly #same = (row: number): boolean =>
    this.segments[row >>> SEGMENT_ROWS_SHIFT].idEquals(
      row & SEGMENT_ROWS_MASK,
      this.#idBytes,
      this.#idFrom,
      this.#idTo,
    );

  /** The row of the entity with ID bytes[from, to) and that hash, or -1. */
  findRow(hash: number, bytes: Uint8Array, from: number, to: number): number {
    this.#idBytes = bytes;
    this.#idFrom = from;
    this.#idTo = to;
    return this.#index.find(hash, this.#same);
  }

  #rowOf(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const found = this.findRow(hash, bytes, from, to);
    return found >= 0 ? found : this.appendEntity(hash, bytes, from, to);
  }

  /** Adds an entity that is known to be absent; returns its row. */
  appendEntity(hash: number, bytes: Uint8Array, from: number, to: number): number {
    let segment = this.segments.at(-1);
    if (segment === undefined || !segment.hasRoom(to - from)) segment = this.addSegment();
    const place = segment.append(bytes, from, to);
    const row = ((this.segments.length - 1) << SEGMENT_ROWS_SHIFT) + place;
    this.#index.add(hash, row);
    this.#entityCount++;
    return row;
  }

  /** Appends a segment with the IDs of a snapshot file; they are found only after `rebuildIndex`. */
  restoreSegment(offsets: Int32Array | Uint32Array, bytes: Uint8Array): EntitySegment {
    const segment = this.addSegment();
    segment.restoreIds(offsets, bytes);
    this.#entityCount += segment.rowCount;
    return segment;
  }

  /** Makes the entities of all restored segments known by their IDs. The index must be empty. */
  rebuildIndex(): void {
    const hashes = new Uint32Array(this.#entityCount);
    const rows = new Uint32Array(this.#entityCount);
    let at = 0;
    this.segments.forEach((segment, index) => {
      const { offsets, bytes } = segment.ids();
      for (let place = 0; place < segment.rowCount; place++, at++) {
        hashes[at] = hashBytes(bytes, offsets[place], offsets[place + 1]);
        rows[at] = (index << SEGMENT_ROWS_SHIFT) + place;
      }
    });
    this.#index.fill(hashes, rows);
  }

  addSegment(): EntitySegment {
    const segment = new EntitySegment(this.#pool, this.segments.at(-1)?.arena ?? null);
    this.segments.push(segment);
    return segment;
  }

  dictionary(columnId: number): Dictionary {
    let dictionary = this.dictionaries.get(columnId);
    if (dictionary === undefined) {
      dictionary = new Dictionary();
      this.dictionaries.set(columnId, dictionary);
    }
    return dictionary;
  }

  eventTable(columnId: number, kind: ValueKind): EventTable {
    let table = this.events.get(columnId);
    if (table === undefined) {
      table = new EventTable(this.#pool, columnId, kind);
      this.events.set(columnId, table);
    }
    invariant(table.kind === kind, `event column ${columnId} changed its kind`);
    return table;
  }

  /** Applies one batch; every later query sees all of it. */
  apply(batch: Batch): void {
    const { rowCount, idHashes, idOffsets, idBytes } = batch;
    const rows = new Uint32Array(rowCount);
    for (let entity = 0; entity < rowCount; entity++) {
      rows[entity] = this.#rowOf(idHashes[entity], idBytes, idOffsets[entity], idOffsets[entity + 1]);
    }
    for (const section of batch.sections) {
      if (section.form === 'latest') this.#applyLatest(section, rows);
      else if (section.form === 'event') this.#applyEvents(section, rows);
      else if (section.form === 'list') this.#applyLists(section, rows);
      else this.#applyRemovals(section, rows);
    }
  }

  /** Codes of all strings of a section, new ones included. */
  #codesOf(columnId: number, values: CodeValues, count: number): Uint32Array {
    const { hashes, offsets, bytes } = values;
    const dictionary = this.dictionary(columnId);
    const codes = new Uint32Array(count);
    for (let index = 0; index < count; index++) {
      codes[index] = dictionary.intern(hashes[index], bytes, offsets[index], offsets[index + 1]);
    }
    return codes;
  }

  #applyLatest(section: Section, rows: Uint32Array): void {
    const { columnId, values, rows: entries } = section;
    const { kind } = values;
    const codes = kind === 'code' ? this.#codesOf(columnId, values, entries.length) : null;
    let segmentIndex = -1;
    let segment: EntitySegment | null = null;
    let column = null;
    for (let entry = 0; entry < entries.length; entry++) {
      const row = rows[entries[entry]];
      if (row >>> SEGMENT_ROWS_SHIFT !== segmentIndex || segment === null || column === null) {
        segmentIndex = row >>> SEGMENT_ROWS_SHIFT;
        segment = this.segments[segmentIndex];
        column = segment.latestColumn(columnId, kind, this.#widthBefore(segmentIndex, columnId));
        segment.snapshot.beforeChange();
      }
      const place = row & SEGMENT_ROWS_MASK;
      switch (kind) {
        case 'code':
          column.setCode(place, (codes as Uint32Array)[entry]);
          break;
        case 'i64':
          column.setI64(place, values.words[entry * 2], values.words[entry * 2 + 1]);
          break;
        case 'i32':
          column.setI32(place, values.i32[entry]);
          break;
        case 'bits':
          column.setBit(place, values.bits[entry]);
          break;
        case 'geo':
          column.setPoint(place, values.f64[entry * 2], values.f64[entry * 2 + 1]);
          break;
      }
    }
  }

  /** The width of the column in the segment before: what its values will need here too. */
  #widthBefore(segmentIndex: number, columnId: number): Width {
    return this.segments[segmentIndex - 1]?.latest(columnId)?.width ?? 1;
  }

  #applyRemovals(section: Section, rows: Uint32Array): void {
    for (const entry of section.rows) {
      const row = rows[entry];
      const segment = this.segments[row >>> SEGMENT_ROWS_SHIFT];
      segment.snapshot.beforeChange();
      segment.latest(section.columnId)?.remove(row & SEGMENT_ROWS_MASK);
    }
  }

  #applyLists(section: Section, rows: Uint32Array): void {
    const { columnId, values, rows: entries } = section;
    const counts = section.counts as Uint32Array;
    const codes = values.kind === 'code' ? this.#codesOf(columnId, values, section.valueCount) : null;
    let from = 0;
    for (let entry = 0; entry < entries.length; entry++) {
      const row = rows[entries[entry]];
      const segment = this.segments[row >>> SEGMENT_ROWS_SHIFT];
      segment.snapshot.beforeChange();
      const column = segment.listColumn(columnId, values.kind);
      column.replace(row & SEGMENT_ROWS_MASK, values, codes, from, counts[entry]);
      from += counts[entry];
    }
  }

  #applyEvents(section: Section, rows: Uint32Array): void {
    const { columnId, values, rows: entries } = section;
    const dates = section.dates as Uint32Array;
    const codes = values.kind === 'code' ? this.#codesOf(columnId, values, entries.length) : null;
    const table = this.eventTable(columnId, values.kind);
    for (let entry = 0; entry < entries.length; entry++) {
      const row = rows[entries[entry]];
      const tail = table.tail();
      const place = tail.append(row, dates[entry]);
      if (codes !== null) tail.setCode(place, codes[entry]);
      else if (values.kind === 'i64')
        tail.setI64(place, values.words[entry * 2], values.words[entry * 2 + 1]);
      else if (values.kind === 'geo') tail.setPoint(place, values.f64[entry * 2], values.f64[entry * 2 + 1]);
      tail.snapshot.appended();
      this.segments[row >>> SEGMENT_ROWS_SHIFT].ownersOf(columnId).set(row & SEGMENT_ROWS_MASK);
    }
  }

  /** Gives all memory back. */
  release(): void {
    for (const segment of this.segments) {
      segment.snapshot.forget();
      segment.release();
    }
    for (const table of this.events.values()) table.release();
  }
}
