/** What the operators of one shard did since they were last asked: for EXPLAIN ANALYZE. Costs nothing when it is not wanted. */
import type { OperatorStats } from '../../protocol/index.js';

interface Sum {
  rows: number;
  milliseconds: number;
  notes: string[];
}

export class ShardFigures {
  readonly #shard: number;
  readonly #profiled: boolean;
  readonly #sums = new Map<string, Sum>();

  constructor(shard: number, profiled: boolean) {
    this.#shard = shard;
    this.#profiled = profiled;
  }

  /** What `add` measures from. */
  start(): number {
    return this.#profiled ? performance.now() : 0;
  }

  /** The operator gave `rows` more, at work since `start`. */
  add(operator: string, start: number, rows: number): void {
    if (!this.#profiled) return;
    const sum = this.#sumOf(operator);
    sum.rows += rows;
    sum.milliseconds += performance.now() - start;
  }

  note(operator: string, notes: readonly string[]): void {
    if (this.#profiled) this.#sumOf(operator).notes.push(...notes);
  }

  #sumOf(operator: string): Sum {
    let sum = this.#sums.get(operator);
    if (sum === undefined) {
      sum = { rows: 0, milliseconds: 0, notes: [] };
      this.#sums.set(operator, sum);
    }
    return sum;
  }

  /** All since the last call, in the order in which operators first worked. */
  take(): OperatorStats[] {
    const figures = [...this.#sums].map(([operator, sum]) => ({ shard: this.#shard, operator, ...sum }));
    this.#sums.clear();
    return figures;
  }
}
