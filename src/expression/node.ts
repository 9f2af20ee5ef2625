/** An expression made ready, and what those who put nodes together ask of it. */
import { invariant, type MemoryAccount, QuarryError } from '../base/index.js';
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

/** `value` for however many rows. */
export function constantNode(type: SqlType, value: Value, memory: MemoryAccount | null): Node {
  return { type, constant: true, mayFail: false, evaluate: broadcast(type, () => value, memory) };
}

/** A node of constants alone: worked out for one row, when rows come first. */
export function folded(node: Node, memory: MemoryAccount | null): Node {
  return { ...node, evaluate: broadcast(node.type, () => valueAt(node.evaluate(ONE_ROW), 0), memory) };
}

/** The value of a constant node. Throws 6000. */
export const constantValue = (node: Node): Value => valueAt(node.evaluate(ONE_ROW), 0);

/** A vector that is made once and kept, or made for each batch where there is no memory to keep it. */
function broadcast(type: SqlType, value: () => Value, memory: MemoryAccount | null): Evaluate {
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

export function mayKeep(vector: Vector, memory: MemoryAccount | null): boolean {
  try {
    memory?.reserve(memoryBytesOf(vector));
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
