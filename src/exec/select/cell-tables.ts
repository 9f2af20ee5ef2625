/**
 * What grouping by cells keeps in the arenas while it runs: the cells of the segment at hand, and counts and sums by cell, in
 * each arena in which a column lies.
 * Invariant: what an arena has taken is given back by `release`; nothing is held there between two queries.
 */
import { SEGMENT_ROWS_MAX } from '../../base/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import type { Arena } from '../../storage/index.js';

/** Byte offsets in one arena. */
export interface ArenaTables {
  readonly arena: Arena;
  /** u16 per row of the segment. */
  readonly cells: number;
  /** What the values of each column add: u16 each. */
  readonly adds: readonly number[];
  /** u32 per cell: rows. */
  readonly counts: number;
  /** By value column: i64 per cell; 0 where it is not summed. */
  readonly sums: readonly number[];
  /** By value column, u32 per cell: rows without a value. */
  readonly missing: readonly number[];
  /** By value column: two i32 per cell, the least and the greatest value; 0 where they are not wanted. */
  readonly extremes: readonly number[];
}

/** What is kept of a value column beside the count of its missing values. */
export interface KeptOfColumn {
  readonly sums: boolean;
  readonly extremes: boolean;
}

export class CellTables {
  readonly #adds: readonly Uint16Array[];
  /** Cells, those of no group included. */
  readonly #cellEnd: number;
  readonly #values: readonly KeptOfColumn[];
  readonly #tables = new Map<Arena, ArenaTables>();
  /** Where the cells of the segment at hand were put together, and the arenas that have a copy. */
  #from: ArenaTables | null = null;
  readonly #copies = new Set<Arena>();
  /** Pieces that were taken of each arena. */
  readonly #taken = new Map<Arena, number>();

  /** `release` must be called at the end. */
  constructor(adds: readonly Uint16Array[], cellEnd: number, values: readonly KeptOfColumn[]) {
    this.#adds = adds;
    this.#cellEnd = cellEnd;
    this.#values = values;
  }

  get all(): Iterable<ArenaTables> {
    return this.#tables.values();
  }

  /** The tables of the arena; null where it has no room for them. */
  of(arena: Arena): ArenaTables | null {
    const known = this.#tables.get(arena);
    if (known !== undefined) return known;
    const perCell = (bytes: number): number => this.#take(arena, this.#cellEnd * bytes);
    const tables = {
      arena,
      cells: this.#take(arena, SEGMENT_ROWS_MAX * 2),
      adds: this.#adds.map((adds) => this.#place(arena, adds)),
      counts: perCell(4),
      sums: this.#values.map(({ sums }) => (sums ? perCell(8) : 0)),
      missing: this.#values.map(() => perCell(4)),
      extremes: this.#values.map(({ extremes: wanted }) => (wanted ? perCell(8) : 0)),
    };
    const { cells, counts, adds, sums, missing, extremes } = tables;
    if ([cells, counts, ...adds, ...sums, ...missing, ...extremes].includes(NO_ROOM)) return null;
    for (const at of extremes) if (at > 0) forgetExtremes(arena, at, this.#cellEnd);
    this.#tables.set(arena, tables);
    return tables;
  }

  #take(arena: Arena, bytes: number): number {
    const at = arena.takeTemporary(bytes);
    if (at === null) return NO_ROOM;
    this.#taken.set(arena, (this.#taken.get(arena) ?? 0) + 1);
    return at;
  }

  #place(arena: Arena, adds: Uint16Array): number {
    const at = this.#take(arena, adds.byteLength);
    if (at !== NO_ROOM) arena.u16.set(adds, at >> 1);
    return at;
  }

  /** Begins with a segment: the cells of its rows are put together in that arena, from 0. null: see `of`. */
  begin(arena: Arena, rowCount: number): ArenaTables | null {
    const tables = this.of(arena);
    if (tables === null) return null;
    this.#from = tables;
    this.#copies.clear();
    arena.u16.fill(0, tables.cells >> 1, (tables.cells >> 1) + rowCount);
    return tables;
  }

  /** Goes on with the cells in another arena. */
  move(arena: Arena, rowCount: number): ArenaTables | null {
    const tables = this.copyIn(arena, rowCount);
    this.#from = tables;
    this.#copies.clear();
    return tables;
  }

  /** The tables of an arena, with the cells of the segment at hand. */
  copyIn(arena: Arena, rowCount: number): ArenaTables | null {
    const from = this.#from;
    if (from === null || from.arena === arena || this.#copies.has(arena)) return this.of(arena);
    const tables = this.of(arena);
    if (tables === null) return null;
    const { cells } = from;
    arena.u8.set(from.arena.u8.subarray(cells, cells + rowCount * 2), tables.cells);
    this.#copies.add(arena);
    return tables;
  }

  /** By cell, what a table of u32 holds in all arenas together. */
  totals(tableOf: (tables: ArenaTables) => number, cellCount: number): Float64Array {
    const totals = new Float64Array(cellCount);
    for (const tables of this.all) {
      const first = tableOf(tables) >> 2;
      const { u32 } = tables.arena;
      for (let cell = 0; cell < cellCount; cell++) totals[cell] += u32[first + cell];
    }
    return totals;
  }

  release(): void {
    for (const [arena, count] of this.#taken)
      for (let piece = 0; piece < count; piece++) arena.releaseTemporary();
    this.#taken.clear();
    this.#tables.clear();
  }
}

const NO_ROOM = -1;

function forgetExtremes({ i32 }: Arena, at: number, cellEnd: number): void {
  for (let place = at >> 2; place < (at >> 2) + cellEnd * 2; place += 2) {
    i32[place] = I32_MAX;
    i32[place + 1] = -I32_MAX - 1;
  }
}

const I32_MAX = 2 ** 31 - 1;

/** Copies a bitmap over `rowCount` rows into scratch bitmap 0 of an arena; its byte offset. */
export function bitmapIn(arena: Arena, from: Arena, bitmapAt: number, rowCount: number): number {
  const at = arena.scratchBitmap(0);
  arena.u8.set(from.u8.subarray(bitmapAt, bitmapAt + bitmapBytes(rowCount)), at);
  return at;
}
