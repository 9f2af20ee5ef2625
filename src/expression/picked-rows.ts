/** A subset of a source's rows as a row source, for branches that only some rows reach. */
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

/** The values of a node for some rows: row r of the source is at index r (`whole`), or row rows[i] at index i. */
export interface RowValues {
  readonly vector: Vector;
  readonly whole: boolean;
}

/** If at least this share of rows is needed, evaluating all rows is cheaper than gathering their inputs. */
const WHOLE_SHARE = 0.5;

/** Evaluates `node` for `rows` (ascending, at least one). A node that can raise an error is evaluated only for these. */
export function valuesFor(node: Node, source: RowSource, rows: Uint32Array): RowValues {
  const many = !node.mayFail && rows.length >= source.count * WHOLE_SHARE;
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
