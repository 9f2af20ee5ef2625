/** A compiled expression, and the properties that its parent nodes use. */
import { invariant, QuarryError } from '../base/index.js';
import type { SqlType, Value, Vector } from '../vector/index.js';
import { constantVector, gather, memoryBytesOf, valueAt } from '../vector/index.js';

/** A batch of rows and the inputs that expressions read; each input is materialized on first use. */
export interface RowSource {
  readonly count: number;
  /** Input `index`, a vector of `count` rows; repeated calls return the same object. */
  input(index: number): Vector;
}

/**
 * Computes the value of each row. Throws 6000 for values that cannot be computed: more digits than DIGITS_MAX, a text that
 * is not a number.
 */
export type Evaluate = (rows: RowSource) => Vector;

/** Who is asked before memory is kept from batch to batch; a QueryRun is one. */
export interface Memory {
  /** Throws 9006 when there is not that much. */
  take(bytes: number): void;
}

export interface Node {
  readonly type: SqlType;
  /** The value is the same for all rows: the node reads no input. */
  readonly constant: boolean;
  /** Some row could raise an error, so the node must be evaluated only for rows that reach it. */
  readonly mayFail: boolean;
  readonly evaluate: Evaluate;
}

/** One row without inputs, over which constant expressions are evaluated. */
export const ONE_ROW: RowSource = {
  count: 1,
  input: () => {
    invariant(false, 'an expression of constants reads no input');
  },
};

/** A node with the same value for all rows. */
export function constantNode(type: SqlType, value: Value, memory: Memory | null): Node {
  return { type, constant: true, mayFail: false, evaluate: broadcast(type, () => value, memory) };
}

/** Folds a constant node: it is evaluated for one row when the first batch arrives. */
export function folded(node: Node, memory: Memory | null): Node {
  return { ...node, evaluate: broadcast(node.type, () => valueAt(node.evaluate(ONE_ROW), 0), memory) };
}

/** The value of a constant node. Throws 6000. */
export const constantValue = (node: Node): Value => valueAt(node.evaluate(ONE_ROW), 0);

/** Repeats a value in a vector that is built once and reused, or built per batch if there is no memory to keep it. */
function broadcast(type: SqlType, value: () => Value, memory: Memory | null): Evaluate {
  let one: Vector | null = null;
  let kept: Vector | null = null;
  return ({ count }) => {
    if (count === 0) return constantVector(type, null, 0);
    one ??= constantVector(type, value(), 1);
    if (count === 1) return one;
    if (kept !== null && kept.count >= count) return withCount(kept, count);
    // All rows share one text.
    const rowCount = kept === null ? count : Math.max(count, kept.count * 2);
    const vector = gather(one, new Uint32Array(rowCount), rowCount);
    if (mayKeep(vector, memory)) kept = vector;
    return withCount(vector, count);
  };
}

export function mayKeep(vector: Vector, memory: Memory | null): boolean {
  try {
    memory?.take(memoryBytesOf(vector));
    return true;
  } catch (error) {
    if (error instanceof QuarryError) return false;
    throw error;
  }
}

/** The first `count` rows of a vector. */
export function withCount(vector: Vector, count: number): Vector {
  return vector.count === count ? vector : { ...vector, count };
}
