/** Returns sorted rows of a plan from disk, part by part: its outputs, and the values of its order. */
import { type IsOver, invariant } from '../../base/index.js';
import type { SelectPlan } from '../../ir/index.js';
import type { Field } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { type PartBuilder, type PartRows, partBuilder } from '../scan/part-rows.js';
import type { RowPage } from '../spill/partition-pages.js';

/** The columns of the rows: the outputs, then the order. */
export const storedFields = ({ outputs, order }: Pick<SelectPlan, 'outputs' | 'order'>): readonly Field[] => [
  ...outputs,
  ...order.map(({ of }, index) => ({ name: String(index), type: of.type })),
];

export class StoredParts {
  readonly #outputCount: number;
  readonly #part: PartBuilder;
  readonly #pages: Generator<RowPage | null, undefined>;
  /** A page whose rows before `from` were returned. */
  #page: RowPage | null = null;
  #from = 0;
  #left: number;
  isDone = false;

  /** `pages`: all rows in the plan's order; null = a step without rows. `release` must be called at the end. */
  constructor(plan: SelectPlan, pages: Generator<RowPage | null, undefined>, run: QueryRun) {
    this.#outputCount = plan.outputs.length;
    this.#part = partBuilder(storedFields(plan), null, run);
    this.#pages = pages;
    this.#left = plan.limit === null ? Number.POSITIVE_INFINITY : plan.offset + plan.limit;
  }

  /** The next rows, at most `rowsMax` and about `bytesMax` bytes; null = the slice ended. Throws 189, 9002, 9005, 9006. */
  next(rowsMax: number, bytesMax: number, isOver: IsOver): PartRows | null {
    const isWanted = (): boolean => this.#part.rowCount < rowsMax && this.#part.bytes < bytesMax;
    let cut = false;
    while (isWanted() && !this.isDone && !cut) {
      this.#append(rowsMax - this.#part.rowCount);
      cut = isOver();
    }
    if (isWanted() && !this.isDone) return null;
    const part = this.#part.finish();
    invariant(part.gives === 'columns', 'ordered rows are returned as columns');
    const outputs = part.outputs.slice(0, this.#outputCount);
    return { ...part, outputs, order: part.outputs.slice(this.#outputCount) };
  }

  #append(wanted: number): void {
    if (this.#page === null) {
      const { done, value } = this.#pages.next();
      if (done === true || this.#left === 0) this.isDone = true;
      else this.#page = value;
      this.#from = 0;
      return;
    }
    const { count, vectors } = this.#page;
    const to = Math.min(count, this.#from + wanted, this.#from + this.#left);
    this.#part.append(vectors, this.#from, to);
    this.#left -= to - this.#from;
    this.#from = to;
    if (to === count || this.#left === 0) this.#page = null;
  }

  release(): void {
    this.#pages.return(undefined);
  }
}
