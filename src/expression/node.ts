/** Compiled expressions: the interface of their nodes, and constant nodes. */
import { invariant, type MemoryAccount, QuarryError } from '../base/index.js';
import type { SqlType, Value, Vector } from '../vector/index.js';
import { constantVector, gather, memoryBytesOf, valueAt } from '../vector/index.js';

/** A batch of rows and the inputs that expressions read; each input is materialized on first use. */
export interface RowSource {
  readonly count: number;
  /** About how many rows the scan of this batch reads, if it reads all of them. */
  readonly scannedRows?: number;
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

/** A node with the same `value` for every row. */
export function constantNode(type: SqlType, value: Value, memory: MemoryAccount | null): Node {
  return { type, constant: true, mayFail: false, evaluate: broadcast(type, () => value, memory) };
}

/** A node that reads no input: evaluated for one row, when its value is first needed. */
export function folded(node: Node, memory: MemoryAccount | null): Node {
  return { ...node, evaluate: broadcast(node.type, () => valueAt(node.evaluate(ONE_ROW), 0), memory) };
}

/** The value of a constant node. Throws 6000. */
export const constantValue = (node: Node): Value => valueAt(node.evaluate(ONE_ROW), 0);

/** Returns a vector that is stored for later batches, or created for each batch if the memory account is exhausted. */
function broadcast(type: SqlType, value: () => Value, memory: MemoryAccount | null): Evaluate {
  let one: Vector | null = null;
  let stored: Vector | null = null;
  return ({ count }) => {
    if (count === 0) return constantVector(type, null, 0);
    one ??= constantVector(type, value(), 1);
    if (count === 1) return one;
    if (stored !== null && stored.count >= count) return withCount(stored, count);
    // All rows share one text.
    const rowCount = stored === null ? count : Math.max(count, stored.count * 2);
    const vector = gather(one, new Uint32Array(rowCount), rowCount);
    if (mayStore(vector, memory)) stored = vector;
    return withCount(vector, count);
  };
}

export function mayStore(vector: Vector, memory: MemoryAccount | null): boolean {
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
