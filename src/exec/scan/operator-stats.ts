/** Collects statistics of one shard's operators for EXPLAIN ANALYZE. Without profiling it does nothing. */
import type { OperatorStats } from '../../protocol/index.js';

interface OperatorTotals {
  rows: number;
  milliseconds: number;
  notes: string[];
}

export class ShardOperatorStats {
  readonly #shard: number;
  readonly #profiled: boolean;
  readonly #totals = new Map<string, OperatorTotals>();

  constructor(shard: number, profiled: boolean) {
    this.#shard = shard;
    this.#profiled = profiled;
  }

  /** The start time for `add`. */
  start(): number {
    return this.#profiled ? performance.now() : 0;
  }

  /** Records that the operator returned `rows` more rows and ran since `start`. */
  add(operator: string, start: number, rows: number): void {
    if (!this.#profiled) return;
    const sum = this.#totalsOf(operator);
    sum.rows += rows;
    sum.milliseconds += performance.now() - start;
  }

  note(operator: string, notes: readonly string[]): void {
    if (this.#profiled) this.#totalsOf(operator).notes.push(...notes);
  }

  #totalsOf(operator: string): OperatorTotals {
    let sum = this.#totals.get(operator);
    if (sum === undefined) {
      sum = { rows: 0, milliseconds: 0, notes: [] };
      this.#totals.set(operator, sum);
    }
    return sum;
  }

  /** Returns and resets the statistics since the last call, in the order in which operators first ran. */
  take(): OperatorStats[] {
    const stats = [...this.#totals].map(([operator, sum]) => ({ shard: this.#shard, operator, ...sum }));
    this.#totals.clear();
    return stats;
  }
}
