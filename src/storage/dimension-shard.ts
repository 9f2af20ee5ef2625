/**
 * One dimension within one shard: its entities, attribute columns, dictionaries and event tables.
 * Invariants: row >> 16 is an entity's segment and row & 65535 its row in the segment (segments may have fewer rows, which leaves
 * gaps). An entity's row changes only when `delete` compacts; until then no living entity gets the row of a deleted one, so
 * events of a deleted entity never belong to another. New entities go to the first segment with capacity. Every change is
 * deterministic: replaying the same changes in the same order gives the same rows, codes and segments. Codes change only at the
 * end of a change (unused-strings.ts), so codes must not be kept across changes.
 */
import {
  bytesOf,
  type HeapUse,
  hashBytes,
  invariant,
  SEGMENT_ROWS_MASK,
  SEGMENT_ROWS_SHIFT,
} from '../base/index.js';
import type { Batch } from '../column/index.js';
import type { ValueKind } from '../schema/index.js';
import { applySections, applyToAll } from './apply-sections.js';
import type { ArenaPool } from './arena.js';
import { COMPACTION_DEAD_MIN, compactSegments, isCompactionDue } from './compaction.js';
import { Dictionary } from './dictionary.js';
import { EntityIndex, type ReadRow, type VisitRow } from './entity-index.js';
import { EntitySegment } from './entity-segment.js';
import { EventTable } from './event-table.js';
import { greatestLink, renumberLinks } from './links.js';
import { NO_COLUMN, type NoteMemory } from './memory.js';
import type { RowBitmap } from './row-bitmap.js';
import { SegmentBitmaps } from './segment-bitmaps.js';
import { TouchedRows } from './touched-rows.js';
import { UnusedStrings } from './unused-strings.js';

/** Limits that tests lower. */
export interface StorageBounds {
  /** The number of deleted rows from which a dimension's shard may be compacted. */
  readonly compactionDeadMin?: number;
  /** The greatest link of related events. */
  readonly linkMax?: number;
  /** The number of distinct strings of a column from which unused strings are searched during changes. */
  readonly unusedCodesMin?: number;
}

export class DimensionShard {
  readonly dimensionId: number;
  readonly segments: EntitySegment[] = [];
  readonly dictionaries = new Map<number, Dictionary>();
  readonly events = new Map<number, EventTable>();
  /** The dimensions of the database in this shard, by ID. */
  readonly siblings: ReadonlyMap<number, DimensionShard>;
  readonly touched = new TouchedRows();
  readonly segmentBitmaps = new SegmentBitmaps();
  readonly #pool: ArenaPool;
  readonly #index = new EntityIndex();
  readonly #compactionDeadMin: number;
  readonly #linkMax: number;
  readonly #unusedStrings: UnusedStrings;
  #entityCount = 0;
  /** Deleted rows that segments still contain. */
  #deadCount = 0;
  /** Segments before this one are full. */
  #firstOpen = 0;
  #nextLink = 1;
  /** The ID that `#same` compares with: bytes[from, to). */
  #idBytes: Uint8Array = new Uint8Array(0);
  #idFrom = 0;
  #idTo = 0;

  constructor(
    pool: ArenaPool,
    dimensionId: number,
    bounds: StorageBounds = {},
    siblings: ReadonlyMap<number, DimensionShard> = new Map(),
  ) {
    this.#pool = pool;
    this.siblings = siblings;
    this.dimensionId = dimensionId;
    this.#compactionDeadMin = bounds.compactionDeadMin ?? COMPACTION_DEAD_MIN;
    this.#linkMax = bounds.linkMax ?? 0xffffffff;
    this.#unusedStrings = new UnusedStrings(this, bounds.unusedCodesMin);
  }

  /** The number of living entities. */
  get entityCount(): number {
    return this.#entityCount;
  }

  /** Whether the entity in `row` was deleted; its events may still exist. */
  isDead(row: number): boolean {
    return this.segments[row >>> SEGMENT_ROWS_SHIFT].isDead(row & SEGMENT_ROWS_MASK);
  }

  /** One more than the greatest row; segments that are not full leave gaps below it. */
  get rowEnd(): number {
    const last = this.segments.length - 1;
    return last < 0 ? 0 : (last << SEGMENT_ROWS_SHIFT) + this.segments[last].rowCount;
  }

  /** Bytes outside the arenas, by use. */
  get heapMemory(): Readonly<Record<HeapUse, number>> {
    const memory = {
      'entity-indexes': this.#index.memoryBytes,
      dictionaries: 0,
      lists: 0,
      segments: this.segmentBitmaps.memoryBytes,
    };
    for (const dictionary of this.dictionaries.values()) memory.dictionaries += dictionary.memoryBytes;
    for (const segment of this.segments) memory.lists += segment.listBytes;
    return memory;
  }

  get heapBytes(): number {
    return bytesOf(this.heapMemory);
  }

  /** Reports each piece of its memory, inside and outside the arenas. */
  noteMemory(note: NoteMemory): void {
    note('entity-indexes', NO_COLUMN, this.#index.memoryBytes);
    note('segments', NO_COLUMN, this.segmentBitmaps.memoryBytes);
    for (const [columnId, { memoryBytes }] of this.dictionaries) note('dictionaries', columnId, memoryBytes);
    for (const segment of this.segments) segment.noteMemory(note);
    for (const [columnId, { segments }] of this.events) {
      for (const { memoryBytes } of segments) note('events', columnId, memoryBytes);
    }
  }

  readonly #same = (row: number): boolean =>
    this.segments[row >>> SEGMENT_ROWS_SHIFT].idEquals(
      row & SEGMENT_ROWS_MASK,
      this.#idBytes,
      this.#idFrom,
      this.#idTo,
    );

  /** Returns the row of the entity with ID bytes[from, to) and that hash, or -1. */
  findRow(hash: number, bytes: Uint8Array, from: number, to: number): number {
    this.#idBytes = bytes;
    this.#idFrom = from;
    this.#idTo = to;
    return this.#index.find(hash, this.#same);
  }

  /** Returns the row of the entity with this ID, or -1. */
  rowOfId(id: Uint8Array): number {
    return this.findRow(hashBytes(id, 0, id.length), id, 0, id.length);
  }

  readonly #compareIds = (a: number, b: number): number => Buffer.compare(this.idOf(a), this.idOf(b));

  /** The bytes of the ID of the entity in `row`, also if it was deleted: a view, valid until the next change. */
  idOf(row: number): Uint8Array {
    const { offsets, bytes } = this.segments[row >>> SEGMENT_ROWS_SHIFT].ids();
    const rowInSegment = row & SEGMENT_ROWS_MASK;
    return bytes.subarray(offsets[rowInSegment], offsets[rowInSegment + 1]);
  }

  /**
   * Calls `visit` with the rows of the living entities from `fromHash` on, ordered by the bit-reversed hash of their IDs, then by
   * ID, until it returns false. The start position does not affect the cost.
   */
  scan(fromHash: number, visit: VisitRow): void {
    this.#index.scan(fromHash, this.#compareIds, visit);
  }

  /** Visits the living entities of a part of that order, unordered: see EntityIndex.gather. */
  gather(bits: number, ending: number, words: Uint32Array | null, take: ReadRow): void {
    this.#index.gather(bits, ending, words, take);
  }

  #rowOf(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const found = this.findRow(hash, bytes, from, to);
    return found >= 0 ? found : this.appendEntity(hash, bytes, from, to);
  }

  /** Adds an entity that does not exist yet and returns its row. */
  appendEntity(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const index = this.#segmentWithCapacity(to - from);
    const rowInSegment = this.segments[index].append(bytes, from, to);
    const row = ((index << SEGMENT_ROWS_SHIFT) | rowInSegment) >>> 0;
    this.#index.add(hash, row);
    this.#entityCount++;
    return row;
  }

  /** Returns the index of the first segment with capacity for an ID of `idBytes`; adds a segment if there is none. */
  #segmentWithCapacity(idBytes: number): number {
    let index = this.#firstOpen;
    while (index < this.segments.length && !this.segments[index].hasCapacity(idBytes)) index++;
    this.#firstOpen = index;
    if (index === this.segments.length) this.addSegment();
    return index;
  }

  /** Appends a segment with the IDs of a snapshot file (see restoreIds); `finishRestore` must follow. */
  restoreSegment(
    offsets: Int32Array | Uint32Array,
    bytes: Uint8Array,
    validity: Uint8Array | null,
  ): EntitySegment {
    const segment = this.addSegment();
    segment.restoreIds(offsets, bytes, validity);
    this.#entityCount += segment.rowCount - segment.deadCount;
    this.#deadCount += segment.deadCount;
    return segment;
  }

  /** Indexes the entities of all restored segments, and continues the links after the greatest one. */
  finishRestore(): void {
    this.#nextLink = greatestLink(this.events.values()) + 1;
    this.#unusedStrings.restored();
    const hashes = new Uint32Array(this.#entityCount);
    const rows = new Uint32Array(this.#entityCount);
    let at = 0;
    this.segments.forEach((segment, index) => {
      const { offsets, bytes } = segment.ids();
      for (let rowInSegment = 0; rowInSegment < segment.rowCount; rowInSegment++) {
        if (segment.deadCount > 0 && segment.isDead(rowInSegment)) continue;
        hashes[at] = hashBytes(bytes, offsets[rowInSegment], offsets[rowInSegment + 1]);
        rows[at++] = (index << SEGMENT_ROWS_SHIFT) + rowInSegment;
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
    invariant(table.kind === kind, `the kind of event column ${columnId} has changed`);
    return table;
  }

  /** Applies one batch; every later query sees all of it. */
  apply(batch: Batch): void {
    const { rowCount, idHashes, idOffsets, idBytes } = batch;
    const rows = new Uint32Array(rowCount);
    this.#index.approach(idHashes, rows);
    for (let entity = 0; entity < rowCount; entity++) {
      rows[entity] = this.#rowOf(idHashes[entity], idBytes, idOffsets[entity], idOffsets[entity + 1]);
    }
    this.touched.add(rows);
    applySections(this, batch.sections, rows);
    for (const { columnId, rows: entries } of batch.sections) {
      this.#unusedStrings.changed(columnId, entries.length);
    }
  }

  /**
   * Applies the sections of a batch of one entity to each of the living entities in `rows`, which ascend, as if each had its own
   * batch; the batch's ID is ignored.
   */
  update(rows: Uint32Array, batch: Batch): void {
    if (rows.length === 0) return;
    this.touched.add(rows);
    applyToAll(this, batch.sections, rows);
    for (const { columnId } of batch.sections) this.#unusedStrings.changed(columnId, rows.length);
  }

  /**
   * Deletes the living entities in `rows`, which ascend: they are no longer found or counted, and lose their values. Compaction,
   * which moves other entities to new rows, removes their rows and events.
   */
  delete(rows: Uint32Array): void {
    for (let from = 0, to = 0; from < rows.length; from = to) {
      const index = rows[from] >>> SEGMENT_ROWS_SHIFT;
      while (to < rows.length && rows[to] >>> SEGMENT_ROWS_SHIFT === index) to++;
      const segment = this.segments[index];
      const rowsInSegment = rows.slice(from, to);
      for (let at = 0; at < rowsInSegment.length; at++) {
        rowsInSegment[at] &= SEGMENT_ROWS_MASK;
        this.#index.remove(segment.hashOf(rowsInSegment[at]), rows[from + at]);
      }
      segment.delete(rowsInSegment);
    }
    this.touched.add(rows);
    this.#entityCount -= rows.length;
    this.#deadCount += rows.length;
    if (isCompactionDue(this.#deadCount, this.#entityCount, this.#compactionDeadMin)) this.#compact();
  }

  #compact(): void {
    this.touched.forget();
    const rows = compactSegments(this.#pool, this.segments);
    this.#index.remap(rows);
    this.#firstOpen = 0;
    this.#deadCount = this.segments.reduce((sum, segment) => sum + segment.deadCount, 0);
    for (const table of [...this.events.values()]) {
      table.remap(rows);
      this.#forgetIfEmpty(table);
    }
    for (const columnId of this.dictionaries.keys()) this.#unusedStrings.look(columnId);
    this.#pool.dropEmpty();
  }

  #forgetIfEmpty(table: EventTable): void {
    if (table.segments.length > 0) return;
    this.events.delete(table.columnId);
    for (const segment of this.segments) segment.dropOwners(table.columnId);
  }

  /** Drops a column: its values, strings and events. A running checkpoint keeps them. */
  dropColumn(columnId: number): void {
    this.touched.forget();
    for (const segment of this.segments) {
      segment.dropColumn(columnId);
      segment.dropOwners(columnId);
    }
    this.events.get(columnId)?.drop();
    this.events.delete(columnId);
    this.dictionaries.delete(columnId);
    this.#unusedStrings.forget(columnId);
  }

  /** Removes the column's events that are older than `before`, in seconds since 1970-01-01. */
  expire(columnId: number, before: number): void {
    const table = this.events.get(columnId);
    if (table === undefined || !table.expire(before)) return;
    this.touched.forget();
    for (const segment of this.segments) segment.dropOwners(columnId);
    for (const segment of table.segments) {
      this.markOwners(columnId, segment.datesAndRows(segment.eventCount).rows);
    }
    this.#forgetIfEmpty(table);
    this.#unusedStrings.look(columnId);
  }

  /** Records that the living entities among `rows` have events of the column. */
  markOwners(columnId: number, rows: Uint32Array): void {
    const owners: (RowBitmap | undefined)[] = [];
    for (let event = 0; event < rows.length; event++) {
      const index = rows[event] >>> SEGMENT_ROWS_SHIFT;
      const rowInSegment = rows[event] & SEGMENT_ROWS_MASK;
      const segment = this.segments[index];
      if (segment.deadCount > 0 && segment.isDead(rowInSegment)) continue;
      owners[index] ??= segment.ownersOf(columnId);
      owners[index].set(rowInSegment);
    }
  }

  /** Reserves `count` unused links and returns the first. */
  reserveLinks(count: number): number {
    if (this.#nextLink + count - 1 > this.#linkMax)
      this.#nextLink = renumberLinks([...this.events.values()]) + 1;
    const first = this.#nextLink;
    this.#nextLink += count;
    invariant(this.#nextLink - 1 <= this.#linkMax, 'a dimension has more related events than links');
    return first;
  }

  /** Frees all memory. */
  release(): void {
    for (const segment of this.segments) {
      segment.snapshot.forget();
      segment.release();
    }
    for (const table of this.events.values()) table.release();
  }
}
