/**
 * Counts codes with kernels: one table of counts in each arena that holds a column of the level, for the duration of
 * one query. Tables are as long as the dictionary, so that kernels need no limit checks.
 */
import { bitmapBytes } from '../../kernels/index.js';
import type { Arena, LatestColumn } from '../../storage/index.js';
import type { RowFilter } from './row-filter.js';

export class CodeTables {
  readonly #codeCount: number;
  /** Byte offset of each arena's table. */
  readonly #tables = new Map<Arena, number>();

  /** `release` must be called at the end. `codeCount`: size of the dictionary, including code 0. */
  constructor(codeCount: number) {
    this.#codeCount = codeCount;
  }

  /**
   * Counts the codes of the `count` rows selected in the filter; missing values count as code 0. Returns false,
   * without counting, if the arena has no capacity for a table.
   */
  add({ arena, width, valuesAt }: LatestColumn, rowCount: number, filter: RowFilter, count: number): boolean {
    const table = this.#tableIn(arena);
    if (table === null) return false;
    const bitmap = count === rowCount ? 0 : arena.scratchBitmap(0);
    if (bitmap !== 0) {
      const from = filter.bitmapAt;
      arena.u8.set(filter.arena.u8.subarray(from, from + bitmapBytes(rowCount)), bitmap);
    }
    const { kernels } = arena;
    if (width === 1) kernels.countCodesU8(valuesAt, bitmap, rowCount, table);
    else if (width === 2) kernels.countCodesU16(valuesAt, bitmap, rowCount, table);
    else kernels.countCodesU32(valuesAt, bitmap, rowCount, table);
    return true;
  }

  #tableIn(arena: Arena): number | null {
    const made = this.#tables.get(arena);
    if (made !== undefined) return made;
    const table = arena.reserveTemporary(this.#codeCount * 4);
    if (table !== null) this.#tables.set(arena, table);
    return table;
  }

  /** Adds all counts to `counts`, by code. */
  addCountsTo(counts: Uint32Array): void {
    for (const [{ u32 }, table] of this.#tables) {
      const tableCounts = u32.subarray(table >> 2, (table >> 2) + this.#codeCount);
      for (let code = 0; code < tableCounts.length; code++) counts[code] += tableCounts[code];
    }
  }

  /** Releases the tables. */
  release(): void {
    for (const arena of this.#tables.keys()) arena.releaseTemporary();
    this.#tables.clear();
  }
}
