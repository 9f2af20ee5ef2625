/**
 * One key of a grouping by slots: its distinct values, numbered, and the value number of each row of its column's
 * domain.
 */
import { compile } from '../../../expression/index.js';
import type { Expression } from '../../../ir/index.js';
import type { WireVector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import type { DomainRows } from '../../scan/column-domain.js';
import type { ValueCodes } from './group-codes.js';
import { CodeNumbers } from './group-pairs.js';
import { valueCodes } from './group-value-codes.js';

export class SlotKey {
  readonly #codes: ValueCodes;
  readonly #numbers: CodeNumbers;
  /** By row of the domain: the number of its value, from 1. */
  readonly #numberOf: Uint32Array;
  /** A slot is the sum over all keys of (value number - 1) * stride. */
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

  /** The number of distinct values. */
  get count(): number {
    return this.#numbers.count;
  }

  /** Adds the key's contribution to the slot offset of each value of the column. */
  addSlotOffsets(slotOffsets: Uint16Array): void {
    for (let row = 0; row < slotOffsets.length; row++)
      slotOffsets[row] += (this.#numberOf[row] - 1) * this.#stride;
  }

  /** The key's value for each of the slots. Its memory is reserved in the run. Throws 9006. */
  values(slots: Uint32Array, run: QueryRun): WireVector {
    const codes = this.#numbers.codes();
    const { count } = this;
    return this.#codes.values(
      slots.map((slot) => codes[Math.floor(slot / this.#stride) % count]),
      run,
    );
  }
}
