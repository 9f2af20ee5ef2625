/** Counts, by value, entities of two segments. Memory is reserved in the run of the query. */
import { type ComparedValues, comparedKey } from '../../ir/index.js';
import type { QueryRun } from '../query-run.js';

/** Memory of an entry besides its text. */
const ENTRY_BYTES = 120;
const CAPACITY_MIN = 64;

export class ValuePairs {
  readonly #run: QueryRun;
  readonly #indexes = new Map<string, number>();
  #counts = new Float64Array(CAPACITY_MIN * 2);

  constructor(run: QueryRun) {
    this.#run = run;
  }

  /** Throws 9006. */
  add(column: number, value: string, first: number, second: number): void {
    const key = comparedKey(column, value);
    let index = this.#indexes.get(key);
    if (index === undefined) {
      this.#run.reserve(ENTRY_BYTES + key.length * 2);
      index = this.#indexes.size;
      this.#indexes.set(key, index);
      if (index * 2 === this.#counts.length) {
        const longer = new Float64Array(index * 4);
        longer.set(this.#counts);
        this.#counts = longer;
      }
    }
    this.#counts[index * 2] += first;
    this.#counts[index * 2 + 1] += second;
  }

  result(): ComparedValues {
    return { keys: [...this.#indexes.keys()], counts: this.#counts.slice(0, this.#indexes.size * 2) };
  }
}
