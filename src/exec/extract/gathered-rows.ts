/** Collects rows with their ranks in any order and then sorts them by rank and ID. */
import { longerCopy } from '../../base/index.js';
import type { QueryRun } from '../query-run.js';
import type { ShardIds } from '../scan/shard-ids.js';

const ROWS_MIN = 256;
const ROW_BYTES = 8;

export class GatheredRows {
  readonly #run: QueryRun;
  /** For each row, its number and its rank. Read as little-endian 64-bit numbers, the pairs sort by rank. */
  #pairs = new Uint32Array(ROWS_MIN * 2);
  #count = 0;

  /** Throws 9006. */
  constructor(run: QueryRun) {
    this.#run = run;
    run.reserve(ROWS_MIN * ROW_BYTES);
  }

  clear(): void {
    this.#count = 0;
  }

  /** Throws 9006. */
  add(rank: number, row: number): void {
    if (this.#count * 2 === this.#pairs.length) this.#grow();
    const at = this.#count++ * 2;
    this.#pairs[at] = row;
    this.#pairs[at + 1] = rank;
  }

  #grow(): void {
    this.#run.reserve(this.#count * ROW_BYTES);
    this.#pairs = longerCopy(this.#pairs, this.#pairs.length * 2);
  }

  /** Yields the rank and number of each row, in order. */
  *inOrder(ids: ShardIds): Generator<readonly [rank: number, row: number], void, void> {
    const pairs = this.#pairs;
    new BigUint64Array(pairs.buffer, 0, this.#count).sort();
    for (let at = 0, end = 0; at < this.#count; at = end) {
      const rank = pairs[at * 2 + 1];
      for (end = at + 1; end < this.#count && pairs[end * 2 + 1] === rank; ) end++;
      if (end === at + 1) yield [rank, pairs[at * 2]];
      else {
        const tied = Array.from({ length: end - at }, (_, nth) => pairs[(at + nth) * 2]);
        for (const row of tied.sort((a, b) => ids.compare(a, b))) yield [rank, row];
      }
    }
  }
}
