/** Some rows of a source, as a source: what a branch reads that not all rows come to. */
import type { Vector } from '../vector/index.js';
import { gather } from '../vector/index.js';
import type { Node, RowSource } from './node.js';

class PickedRows implements RowSource {
  readonly count: number;
  readonly #source: RowSource;
  readonly #rows: Uint32Array;
  readonly #inputs: (Vector | undefined)[] = [];

  constructor(source: RowSource, rows: Uint32Array) {
    this.count = rows.length;
    this.#source = source;
    this.#rows = rows;
  }

  input(index: number): Vector {
    const known = this.#inputs[index];
    if (known !== undefined) return known;
    const picked = gather(this.#source.input(index), this.#rows, this.count);
    this.#inputs[index] = picked;
    return picked;
  }
}

/** A node's values of some rows: row r of the source stands at row r (`whole`), or row rows[i] at row i. */
export interface RowValues {
  readonly vector: Vector;
  readonly whole: boolean;
}

/** Shares of rows from which on it is cheaper to evaluate all of them than to pick their inputs. */
const WHOLE_SHARE = 0.5;

/** The values of `rows` (rising, at least one). What may throw is evaluated for these alone. */
export function valuesFor(node: Node, source: RowSource, rows: Uint32Array): RowValues {
  const many = !node.mayFault && rows.length >= source.count * WHOLE_SHARE;
  if (node.constant || many || rows.length === source.count) {
    return { vector: node.evaluate(source), whole: true };
  }
  return { vector: node.evaluate(new PickedRows(source, rows)), whole: false };
}

/** 0, 1, 2, ... */
export function allRows(count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  return rows;
}
