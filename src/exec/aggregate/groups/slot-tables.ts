/**
 * The arena tables of a grouping by slots: the slots of the current segment, and counts, sums and extremes by slot,
 * in each arena that holds a column.
 * Invariant  `release` returns all temporary arena memory; nothing is kept there between two queries.
 */
import { SEGMENT_ROWS_MAX } from '../../../base/index.js';
import { bitmapBytes } from '../../../kernels/index.js';
import type { Arena } from '../../../storage/index.js';

/** Byte offsets in one arena. */
export interface ArenaSlotTables {
  readonly arena: Arena;
  /** u16 per row of the segment: the row's slot. */
  readonly slots: number;
  /** By column: u16 per value, its slot offset. */
  readonly slotOffsets: readonly number[];
  /** u32 per slot: rows. */
  readonly counts: number;
  /** By value column: i64 per slot; 0 = not summed. */
  readonly sums: readonly number[];
  /** By value column: u32 per slot, rows without a value. */
  readonly missing: readonly number[];
  /** By value column: two i32 per slot, the least and the greatest value; 0 = not requested. */
  readonly extremes: readonly number[];
}

/** The accumulators of a value column besides the count of its missing values. */
export interface ColumnAccumulators {
  readonly sums: boolean;
  readonly extremes: boolean;
}

export class SlotTables {
  readonly #slotOffsets: readonly Uint16Array[];
  /** Number of slots, including those that belong to no group. */
  readonly #slotEnd: number;
  readonly #values: readonly ColumnAccumulators[];
  readonly #tables = new Map<Arena, ArenaSlotTables>();
  /**
   * The tables in which the slots of the current segment were computed, and the arenas that have a copy of the slots.
   */
  #from: ArenaSlotTables | null = null;
  readonly #copies = new Set<Arena>();
  /** Number of temporary allocations by arena. */
  readonly #allocationCounts = new Map<Arena, number>();

  /** `release` must be called at the end. */
  constructor(slotOffsets: readonly Uint16Array[], slotEnd: number, values: readonly ColumnAccumulators[]) {
    this.#slotOffsets = slotOffsets;
    this.#slotEnd = slotEnd;
    this.#values = values;
  }

  get all(): Iterable<ArenaSlotTables> {
    return this.#tables.values();
  }

  /** The tables of the arena; null if the arena has no capacity for them. */
  of(arena: Arena): ArenaSlotTables | null {
    const known = this.#tables.get(arena);
    if (known !== undefined) return known;
    const perSlot = (bytes: number): number => this.#allocate(arena, this.#slotEnd * bytes);
    const tables = {
      arena,
      slots: this.#allocate(arena, SEGMENT_ROWS_MAX * 2),
      slotOffsets: this.#slotOffsets.map((slotOffsets) => this.#allocateOffsets(arena, slotOffsets)),
      counts: perSlot(4),
      sums: this.#values.map(({ sums }) => (sums ? perSlot(8) : 0)),
      missing: this.#values.map(() => perSlot(4)),
      extremes: this.#values.map(({ extremes: wanted }) => (wanted ? perSlot(8) : 0)),
    };
    const { slots, counts, slotOffsets, sums, missing, extremes } = tables;
    if ([slots, counts, ...slotOffsets, ...sums, ...missing, ...extremes].includes(ARENA_FULL)) return null;
    for (const at of extremes) if (at > 0) resetExtremes(arena, at, this.#slotEnd);
    this.#tables.set(arena, tables);
    return tables;
  }

  #allocate(arena: Arena, bytes: number): number {
    const at = arena.reserveTemporary(bytes);
    if (at === null) return ARENA_FULL;
    this.#allocationCounts.set(arena, (this.#allocationCounts.get(arena) ?? 0) + 1);
    return at;
  }

  #allocateOffsets(arena: Arena, slotOffsets: Uint16Array): number {
    const at = this.#allocate(arena, slotOffsets.byteLength);
    if (at !== ARENA_FULL) arena.u16.set(slotOffsets, at >> 1);
    return at;
  }

  /** Begins a segment: the slots of its rows are computed in `arena`, from 0. Returns null as `of` does. */
  begin(arena: Arena, rowCount: number): ArenaSlotTables | null {
    const tables = this.of(arena);
    if (tables === null) return null;
    this.#from = tables;
    this.#copies.clear();
    arena.u16.fill(0, tables.slots >> 1, (tables.slots >> 1) + rowCount);
    return tables;
  }

  /** Moves the slots of the current segment to another arena. */
  move(arena: Arena, rowCount: number): ArenaSlotTables | null {
    const tables = this.copyIn(arena, rowCount);
    this.#from = tables;
    this.#copies.clear();
    return tables;
  }

  /** The tables of an arena, with a copy of the current segment's slots. */
  copyIn(arena: Arena, rowCount: number): ArenaSlotTables | null {
    const from = this.#from;
    if (from === null || from.arena === arena || this.#copies.has(arena)) return this.of(arena);
    const tables = this.of(arena);
    if (tables === null) return null;
    const { slots } = from;
    arena.u8.set(from.arena.u8.subarray(slots, slots + rowCount * 2), tables.slots);
    this.#copies.add(arena);
    return tables;
  }

  /** By slot, the sums over all arenas of one u32 table. */
  totals(tableOf: (tables: ArenaSlotTables) => number, slotCount: number): Float64Array {
    const totals = new Float64Array(slotCount);
    for (const tables of this.all) {
      const first = tableOf(tables) >> 2;
      const { u32 } = tables.arena;
      for (let slot = 0; slot < slotCount; slot++) totals[slot] += u32[first + slot];
    }
    return totals;
  }

  release(): void {
    for (const [arena, count] of this.#allocationCounts)
      for (let piece = 0; piece < count; piece++) arena.releaseTemporary();
    this.#allocationCounts.clear();
    this.#tables.clear();
  }
}

const ARENA_FULL = -1;

function resetExtremes({ i32 }: Arena, at: number, slotEnd: number): void {
  for (let element = at >> 2; element < (at >> 2) + slotEnd * 2; element += 2) {
    i32[element] = I32_MAX;
    i32[element + 1] = -I32_MAX - 1;
  }
}

const I32_MAX = 2 ** 31 - 1;

/** Copies a bitmap of `rowCount` rows into scratch bitmap 0 of an arena; returns its byte offset. */
export function copyBitmap(arena: Arena, from: Arena, bitmapAt: number, rowCount: number): number {
  const at = arena.scratchBitmap(0);
  arena.u8.set(from.u8.subarray(bitmapAt, bitmapAt + bitmapBytes(rowCount)), at);
  return at;
}
