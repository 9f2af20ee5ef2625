/**
 * Tables of counts by code, one in each arena that holds a part of a column, so that kernels need no limit checks.
 * Invariant  `release` returns all temporary arena memory.
 */
import { bitmapBytes } from '../../kernels/index.js';
import type { Arena, EntitySegment, LatestColumn } from '../../storage/index.js';
import type { EntitySelection } from '../condition/selection.js';

/** Rows of a segment in the arena of a column. */
export interface ColumnRows {
  /** Their bitmap; 0 = all rows of the segment. */
  readonly bitmapAt: number;
  readonly count: number;
}

/** The `count` selected rows. Their bitmap is valid until the scratch bitmap 0 of the arena is written again. */
export function rowsIn(
  arena: Arena,
  { rowCount }: EntitySegment,
  selection: EntitySelection,
  count: number,
): ColumnRows {
  if (count === rowCount) return { bitmapAt: 0, count };
  const bitmapAt = arena.scratchBitmap(0);
  const from = selection.bitmapAt;
  arena.u8.set(selection.arena.u8.subarray(from, from + bitmapBytes(rowCount)), bitmapAt);
  return { bitmapAt, count };
}

/** Those of the `count` selected rows in which the column has a value, valid as long as the result of `rowsIn`. */
export function presentRowsIn(
  column: LatestColumn,
  segment: EntitySegment,
  selection: EntitySelection,
  count: number,
): ColumnRows {
  const { rowCount, deadCount } = segment;
  const { arena, presentCount, validityAt } = column;
  const isFull = presentCount === rowCount - deadCount;
  if (count === rowCount && !isFull) return { bitmapAt: validityAt, count: presentCount };
  const rows = rowsIn(arena, segment, selection, count);
  if (isFull) return rows;
  return { ...rows, count: arena.kernels.and(rows.bitmapAt, validityAt, rowCount, rows.bitmapAt) };
}

export class CodeTables {
  readonly #codeCount: number;
  /** Byte offset of each arena's table. */
  readonly #tables = new Map<Arena, number>();

  /** `release` must be called at the end. `codeCount`: number of codes, including code 0. */
  constructor(codeCount: number) {
    this.#codeCount = codeCount;
  }

  /** Whether nothing was counted. */
  get isEmpty(): boolean {
    return this.#tables.size === 0;
  }

  /**
   * Counts the codes of the rows of a segment in the bitmap (0 = all); missing values count as code 0. Returns false,
   * without counting, if the arena has no capacity for a table.
   */
  add({ arena, width, valuesAt }: LatestColumn, bitmapAt: number, rowCount: number): boolean {
    const table = this.#tableIn(arena);
    if (table === null) return false;
    const { kernels } = arena;
    if (width === 1) kernels.countCodesU8(valuesAt, bitmapAt, rowCount, table);
    else if (width === 2) kernels.countCodesU16(valuesAt, bitmapAt, rowCount, table);
    else kernels.countCodesU32(valuesAt, bitmapAt, rowCount, table);
    return true;
  }

  #tableIn(arena: Arena): number | null {
    const made = this.#tables.get(arena);
    if (made !== undefined) return made;
    const table = arena.reserveTemporary(this.#codeCount * 4);
    if (table !== null) this.#tables.set(arena, table);
    return table;
  }

  /** Adds the count of code c to counts[c]. */
  addCountsTo(counts: Uint32Array): void {
    for (const [{ u32 }, table] of this.#tables) {
      const tableCounts = u32.subarray(table >> 2, (table >> 2) + this.#codeCount);
      for (let code = 0; code < tableCounts.length; code++) counts[code] += tableCounts[code];
    }
  }

  release(): void {
    for (const arena of this.#tables.keys()) arena.releaseTemporary();
    this.#tables.clear();
  }
}
