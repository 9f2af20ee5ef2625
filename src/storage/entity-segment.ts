/**
 * A run of at most SEGMENT_ROWS_MAX entities of one dimension in one shard: their IDs and attribute columns, and per event column
 * a bitmap of the entities with such an event.
 * Invariants: rows are appended and never move within a segment (compaction makes a new one); IDs never change and are stored as
 * in an Arrow Utf8 column (offsets, bytes); a column exists here only once one of these rows has had a value of it; a deleted row
 * is marked by its tombstone, keeps its row number, and has no value and no event owner's bit.
 */
import { hashBytes, invariant, SEGMENT_ROWS_MAX } from '../base/index.js';
import type { ValueKind } from '../schema/index.js';
import type { Arena, ArenaPool, Block } from './arena.js';
import { LatestColumn } from './latest-column.js';
import { ListColumn } from './list-column.js';
import { NO_COLUMN, type NoteMemory } from './memory.js';
import { RowBitmap } from './row-bitmap.js';
import { SnapshotState } from './snapshot-state.js';
import type { Width } from './width.js';

const CAPACITY_MIN = 256;
const ID_BYTES_MIN = 2_048;
/** Limit of all IDs of a segment together; a segment with longer IDs has fewer rows. */
const ID_BYTES_MAX = 16 * 2 ** 20;
/** Capacity that every ID is assumed to need, so that whether a segment is full does not depend on the next ID. */
const ID_BYTES_RESERVED = 8_192;

export class EntitySegment {
  readonly snapshot = new SnapshotState();
  /** Columns grow to the segment's capacity only when they are used, so that rows with few columns do not cost all of them. */
  readonly #latest = new Map<number, LatestColumn>();
  readonly #lists = new Map<number, ListColumn>();
  /** By event column: the rows with an event. */
  readonly #eventOwners = new Map<number, RowBitmap>();
  readonly #pool: ArenaPool;
  #offsets: Block;
  #bytes: Block;
  #capacity = CAPACITY_MIN;
  #rowCount = 0;
  #idEnd = 0;
  #tombstones: RowBitmap | null = null;
  #deadCount = 0;

  constructor(pool: ArenaPool, near: Arena | null) {
    this.#pool = pool;
    [this.#offsets, this.#bytes] = pool.allocate([(CAPACITY_MIN + 1) * 4, ID_BYTES_MIN], near, 'entity-ids');
  }

  /** The number of rows, including deleted ones. */
  get rowCount(): number {
    return this.#rowCount;
  }
  /** The number of deleted rows that compaction has not removed yet. */
  get deadCount(): number {
    return this.#deadCount;
  }
  /** Bit 1 = the row was deleted; null = no row was. */
  get tombstones(): RowBitmap | null {
    this.#tombstones?.reserve(this.#capacity);
    return this.#tombstones;
  }
  get arena(): Arena {
    return this.#bytes.arena;
  }

  /** Views of the offsets of the first `rows` IDs and of their bytes. */
  ids(rows = this.#rowCount): { offsets: Uint32Array; bytes: Uint8Array } {
    const { arena, at } = this.#offsets;
    const offsets = arena.u32.subarray(at >> 2, (at >> 2) + rows + 1);
    return { offsets, bytes: this.#bytes.arena.u8.subarray(this.#bytes.at, this.#bytes.at + offsets[rows]) };
  }

  hasCapacity(idBytes: number): boolean {
    const reservedBytes = Math.max(idBytes, ID_BYTES_RESERVED);
    return this.#rowCount < SEGMENT_ROWS_MAX && this.#idEnd + reservedBytes <= ID_BYTES_MAX;
  }

  /** Appends an entity with ID bytes[from, to) and returns its row in the segment. */
  append(bytes: Uint8Array, from: number, to: number): number {
    if (this.#rowCount === this.#capacity) this.#grow();
    const length = to - from;
    if (this.#idEnd + length > this.#bytes.bytes) {
      [this.#bytes] = this.#pool.resize(
        [this.#bytes],
        [Math.max(this.#bytes.bytes * 2, this.#idEnd + length)],
      );
    }
    const { u8 } = this.#bytes.arena;
    const at = this.#bytes.at + this.#idEnd;
    for (let index = 0; index < length; index++) u8[at + index] = bytes[from + index];
    this.#idEnd += length;
    const row = this.#rowCount++;
    this.#offsets.arena.u32[(this.#offsets.at >> 2) + row + 1] = this.#idEnd;
    this.snapshot.appended();
    return row;
  }

  /**
   * Fills an empty segment with the IDs of a snapshot file: ID i is bytes[offsets[i], offsets[i + 1]); rows whose bit in
   * `validity` (null = all set) is clear were deleted.
   */
  restoreIds(offsets: Int32Array | Uint32Array, bytes: Uint8Array, validity: Uint8Array | null): void {
    invariant(this.#rowCount === 0, 'only an empty segment can be restored');
    this.#rowCount = offsets.length - 1;
    this.#idEnd = offsets[this.#rowCount];
    while (this.#capacity < this.#rowCount) this.#capacity *= 2;
    const idBytes = Math.max(ID_BYTES_MIN, this.#idEnd);
    [this.#offsets, this.#bytes] = this.#pool.resize(
      [this.#offsets, this.#bytes],
      [(this.#capacity + 1) * 4, idBytes],
    );
    this.#offsets.arena.u32.set(offsets, this.#offsets.at >> 2);
    this.#bytes.arena.u8.set(bytes.subarray(0, this.#idEnd), this.#bytes.at);
    if (validity === null) return;
    for (let row = 0; row < this.#rowCount; row++) {
      if ((validity[row >> 3] & (1 << (row & 7))) === 0) this.#markDead(row);
    }
  }

  #markDead(row: number): void {
    this.#tombstones ??= new RowBitmap(this.#pool, this.arena, this.#capacity);
    this.#tombstones.reserve(this.#capacity);
    this.#tombstones.set(row);
    this.#deadCount++;
  }

  isDead(row: number): boolean {
    return this.#deadCount > 0 && (this.tombstones as RowBitmap).has(row);
  }

  /** The living rows, ascending. */
  livingRows(): Uint32Array {
    const rows = new Uint32Array(this.#rowCount - this.#deadCount);
    for (let row = 0, at = 0; row < this.#rowCount; row++) if (!this.isDead(row)) rows[at++] = row;
    return rows;
  }

  /** The hash of the ID in `row`. */
  hashOf(row: number): number {
    const { arena, at } = this.#offsets;
    const [from, to] = [arena.u32[(at >> 2) + row], arena.u32[(at >> 2) + row + 1]];
    return hashBytes(this.#bytes.arena.u8, this.#bytes.at + from, this.#bytes.at + to);
  }

  /** Deletes living rows: their values, lists and owners' bits are removed at once, their IDs by compaction. */
  delete(rows: Uint32Array): void {
    this.snapshot.beforeChange();
    for (const row of rows) this.#markDead(row);
    for (const column of this.#latest.values()) for (const row of rows) column.remove(row);
    for (const column of this.#lists.values()) for (const row of rows) column.remove(row);
    for (const owners of this.#eventOwners.values()) for (const row of rows) owners.clear(row);
  }

  /** Copies the rows `sourceRows` (living, ascending) of another segment to this empty one. */
  copyFrom(source: EntitySegment, sourceRows: Uint32Array): void {
    invariant(this.#rowCount === 0, 'rows can be copied only to an empty segment');
    const { offsets, bytes } = source.ids();
    for (const sourceRow of sourceRows) this.append(bytes, offsets[sourceRow], offsets[sourceRow + 1]);
    for (const [columnId, column] of source.#latest) {
      column.reserve(source.#capacity);
      if (column.presentCount > 0) {
        this.latestColumn(columnId, column.kind, column.width).copyFrom(column, sourceRows);
      }
    }
    for (const [columnId, column] of source.#lists) {
      column.reserve(source.#capacity);
      if (column.presentCount > 0) this.listColumn(columnId, column.kind).copyFrom(column, sourceRows);
    }
    for (const [columnId, owners] of source.#eventOwners) {
      owners.reserve(source.#capacity);
      this.ownersOf(columnId).copyFrom(owners, sourceRows);
    }
  }

  /** Returns whether the ID in `row` is bytes[from, to). */
  idEquals(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    const offset = (this.#offsets.at >> 2) + row;
    const { u32 } = this.#offsets.arena;
    const start = u32[offset];
    const length = to - from;
    if (u32[offset + 1] - start !== length) return false;
    const { u8 } = this.#bytes.arena;
    const at = this.#bytes.at + start;
    for (let index = 0; index < length; index++) if (u8[at + index] !== bytes[from + index]) return false;
    return true;
  }

  /** IDs of the attribute columns in which some row has or had a value. */
  get columnIds(): readonly number[] {
    return [...this.#latest.keys(), ...this.#lists.keys()];
  }

  /** The latest-value columns by ID; a column may be shorter than the segment. */
  get latestColumns(): ReadonlyMap<number, LatestColumn> {
    return this.#latest;
  }

  /** The latest-value column with the length of the segment, or undefined if no row has had a value. */
  latest(columnId: number): LatestColumn | undefined {
    const column = this.#latest.get(columnId);
    column?.reserve(this.#capacity);
    return column;
  }

  list(columnId: number): ListColumn | undefined {
    const column = this.#lists.get(columnId);
    column?.reserve(this.#capacity);
    return column;
  }

  /** The rows with an event of the column; undefined if there are none. */
  eventOwners(columnId: number): RowBitmap | undefined {
    const owners = this.#eventOwners.get(columnId);
    owners?.reserve(this.#capacity);
    return owners;
  }

  /** Returns the latest-value column; creates it with the initial `width` if the segment lacks it. */
  latestColumn(columnId: number, kind: ValueKind, width: Width): LatestColumn {
    let column = this.#latest.get(columnId);
    if (column === undefined) {
      column = new LatestColumn(this.#pool, this.arena, kind, this.#capacity, width);
      this.#latest.set(columnId, column);
    }
    column.reserve(this.#capacity);
    return column;
  }

  listColumn(columnId: number, kind: ValueKind): ListColumn {
    let column = this.#lists.get(columnId);
    if (column === undefined) {
      column = new ListColumn(kind, this.#capacity);
      this.#lists.set(columnId, column);
    }
    column.reserve(this.#capacity);
    return column;
  }

  ownersOf(columnId: number): RowBitmap {
    let owners = this.#eventOwners.get(columnId);
    if (owners === undefined) {
      owners = new RowBitmap(this.#pool, this.arena, this.#capacity);
      this.#eventOwners.set(columnId, owners);
    }
    owners.reserve(this.#capacity);
    return owners;
  }

  /** The number of values that `markCodes` reads. */
  codeSlotCount(columnId: number): number {
    return (this.#latest.get(columnId)?.codeSlotCount ?? 0) + (this.#lists.get(columnId)?.codeSlotCount ?? 0);
  }

  /** Sets used[c] to 1 for every code c of the string column. */
  markCodes(columnId: number, used: Uint8Array): void {
    this.#latest.get(columnId)?.markCodes(used);
    this.#lists.get(columnId)?.markCodes(used);
  }

  /** Replaces every code c of the column with codes[c], which is not greater. The strings must remain the same. */
  recode(columnId: number, codes: Uint32Array): void {
    this.#latest.get(columnId)?.recode(codes);
    this.#lists.get(columnId)?.recode(codes);
  }

  /** Drops all values of an attribute column. */
  dropColumn(columnId: number): void {
    const latest = this.#latest.get(columnId);
    if (latest === undefined && !this.#lists.has(columnId)) return;
    this.snapshot.beforeChange();
    latest?.release();
    this.#latest.delete(columnId);
    this.#lists.delete(columnId);
  }

  /** Drops the owners' bits of the column. */
  dropOwners(columnId: number): void {
    this.#eventOwners.get(columnId)?.release();
    this.#eventOwners.delete(columnId);
  }

  #grow(): void {
    this.#capacity *= 2;
    [this.#offsets] = this.#pool.resize([this.#offsets], [(this.#capacity + 1) * 4]);
  }

  /** Memory of the list columns, which is outside the arenas. */
  get listBytes(): number {
    let sum = 0;
    for (const column of this.#lists.values()) sum += column.memoryBytes;
    return sum;
  }

  /** Reports each piece of its memory. */
  noteMemory(note: NoteMemory): void {
    note('entity-ids', NO_COLUMN, this.#offsets.bytes + this.#bytes.bytes);
    note('bitmaps', NO_COLUMN, this.#tombstones?.memoryBytes ?? 0);
    for (const [columnId, { valueBytes, validityBytes }] of this.#latest) {
      note('values', columnId, valueBytes);
      note('bitmaps', columnId, validityBytes);
    }
    for (const [columnId, column] of this.#lists) note('lists', columnId, column.memoryBytes);
    for (const [columnId, owners] of this.#eventOwners) note('bitmaps', columnId, owners.memoryBytes);
  }

  release(): void {
    for (const block of [this.#offsets, this.#bytes]) block.arena.release(block);
    for (const column of this.#latest.values()) column.release();
    for (const owners of this.#eventOwners.values()) owners.release();
    this.#tombstones?.release();
  }
}
