/** One key of a grouping by cells: its different values, numbered, and which of them each value of its column has. */
import { compile } from '../../expression/index.js';
import type { Expression } from '../../ir/index.js';
import type { WireVector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { DomainRows } from './cell-domain.js';
import type { ValueCodes } from './group-codes.js';
import { CodeNumbers } from './group-pairs.js';
import { valueCodes } from './group-value-codes.js';

export class CellKey {
  readonly #codes: ValueCodes;
  readonly #numbers: CodeNumbers;
  /** By row of the domain: the number of its value, from 1. */
  readonly #numberOf: Uint32Array;
  /** A cell is the sum over all keys of the value's number less one, times this. */
  readonly #stride: number;

  /** Throws 6000, 9006. */
  constructor(expression: Expression, rows: DomainRows, stride: number, memory: QueryRun) {
    const { count } = rows;
    this.#codes = valueCodes(expression.type, memory);
    this.#numbers = new CodeNumbers(memory);
    this.#numberOf = memory.u32(count);
    this.#stride = stride;
    const coded = this.#codes.code(compile(expression, memory)(rows), memory.u32(count));
    this.#numbers.number(coded, this.#codes.bound, count, this.#numberOf);
  }

  /** Different values. */
  get count(): number {
    return this.#numbers.count;
  }

  /** Adds to what each value of the column adds to a cell. */
  addTo(adds: Uint16Array): void {
    for (let row = 0; row < adds.length; row++) adds[row] += (this.#numberOf[row] - 1) * this.#stride;
  }

  /** The value of each of the cells; the memory that it takes is the run's. Throws 9006. */
  values(cells: Uint32Array, run: QueryRun): WireVector {
    const codes = this.#numbers.codes();
    const { count } = this;
    return this.#codes.values(
      cells.map((cell) => codes[Math.floor(cell / this.#stride) % count]),
      run,
    ).values;
  }
}
