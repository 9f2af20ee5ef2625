/**
 * Codes of pairs of codes in chains: the pairs with an equal code, by which the table is ordered, in the order of rows.
 * Rows with equal codes are often neighbours, so that a chain is a cache line, where a hash table has a cache miss per pair.
 * Layout  heads[a] is the code of the first pair of code a, 0 = none. Pair p has its other code at links[2 p], and the
 *         next pair of its chain, or 0, at links[2 p + 1].
 */
import type { QueryRun } from '../../query-run.js';

/** A longer chain belongs in another table. */
const CHAIN_MAX = 32;
const ROW_BYTES = 12;
const PAIRS_PER_LIST = 8_192;

/** The pair (firsts[i], seconds[i]) has code codes[i]. */
export interface PairList {
  readonly firsts: Int32Array;
  readonly seconds: Int32Array;
  readonly codes: Int32Array;
}

export class PairChains {
  readonly #run: QueryRun;
  readonly #bytes: number;
  /** Whether chains are by the second code of a pair. */
  readonly #bySecond: boolean;
  readonly #heads: Int32Array;
  readonly #links: Int32Array;

  /** For codes of at most `rowCount` rows. Throws 9006. */
  constructor(rowCount: number, bySecond: boolean, run: QueryRun) {
    this.#bytes = (rowCount + 1) * ROW_BYTES;
    run.reserve(this.#bytes);
    this.#run = run;
    this.#bySecond = bySecond;
    this.#heads = new Int32Array(rowCount + 1);
    this.#links = new Int32Array((rowCount + 1) * 2);
  }

  /**
   * Replaces codes[row] with the code of the pair (codes[row], others[row]), for rows from `from` on. Returns the first
   * row that is not replaced, because its chain is too long, or `to`.
   */
  add(from: number, to: number, codes: Int32Array, others: Int32Array): number {
    const [keys, values] = this.#bySecond ? [others, codes] : [codes, others];
    for (let row = from; row < to; row++) {
      const code = keys[row] === 0 || values[row] === 0 ? 0 : this.#add(keys[row], values[row], row + 1);
      if (code < 0) return row;
      codes[row] = code;
    }
    return to;
  }

  /** The code of the pair; a new pair gets `code`. -1 = its chain is too long. */
  #add(key: number, value: number, code: number): number {
    const heads = this.#heads;
    const links = this.#links;
    let last = 0;
    let pair = heads[key];
    for (let length = 0; pair !== 0; length++) {
      if (links[2 * pair] === value) return pair;
      if (length === CHAIN_MAX) return -1;
      last = pair;
      pair = links[2 * pair + 1];
    }
    links[2 * code] = value;
    if (last === 0) heads[key] = code;
    else links[2 * last + 1] = code;
    return code;
  }

  /** Replaces codes[row] with the code of the pair (codes[row], others[row]), or 0, for rows below `count`. */
  find(count: number, codes: Int32Array, others: Int32Array): void {
    const [keys, values] = this.#bySecond ? [others, codes] : [codes, others];
    const heads = this.#heads;
    const links = this.#links;
    for (let row = 0; row < count; row++) {
      const key = keys[row];
      const value = values[row];
      let pair = key === 0 || value === 0 ? 0 : heads[key];
      while (pair !== 0 && links[2 * pair] !== value) pair = links[2 * pair + 1];
      codes[row] = pair;
    }
  }

  addAll(lists: Iterable<PairList>): boolean {
    for (const { firsts, seconds, codes } of lists) {
      const [keys, values] = this.#bySecond ? [seconds, firsts] : [firsts, seconds];
      for (let at = 0; at < codes.length; at++)
        if (this.#add(keys[at], values[at], codes[at]) < 0) return false;
    }
    return true;
  }

  /** All pairs; a list is valid until the next one is read. */
  *pairs(): Generator<PairList> {
    const [keys, values, codes] = [0, 1, 2].map(() => new Int32Array(PAIRS_PER_LIST));
    const [firsts, seconds] = this.#bySecond ? [values, keys] : [keys, values];
    let count = 0;
    for (let key = 0; key < this.#heads.length; key++) {
      for (let pair = this.#heads[key]; pair !== 0; pair = this.#links[2 * pair + 1]) {
        keys[count] = key;
        values[count] = this.#links[2 * pair];
        codes[count++] = pair;
        if (count < PAIRS_PER_LIST) continue;
        yield { firsts, seconds, codes };
        count = 0;
      }
    }
    yield { firsts, seconds, codes: codes.subarray(0, count) };
  }

  release(): void {
    this.#run.release(this.#bytes);
  }
}
