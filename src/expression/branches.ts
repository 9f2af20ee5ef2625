/** case, coalesce, null-if: a branch is evaluated only for the rows that reach it. */
import type { MemoryAccount } from '../base/index.js';
import type { SqlType, Vector } from '../vector/index.js';
import { compareVectors } from './compare.js';
import { booleanOf } from './kinds.js';
import { type MergePart, merge, TextUnion } from './merge.js';
import type { Evaluate, Node, RowSource } from './node.js';
import { allRows, type RowValues, valuesFor } from './picked-rows.js';
import { bothValid } from './validity.js';

export interface BranchNode {
  readonly when: Node;
  readonly result: Node;
}

export function evaluateCase(
  type: SqlType,
  branches: readonly BranchNode[],
  otherwise: Node | null,
  memory: MemoryAccount | null,
): Evaluate {
  const union = new TextUnion(memory);
  return (rows) => {
    const parts: MergePart[] = [];
    let open = allRows(rows.count);
    for (const { when, result } of branches) {
      if (open.length === 0) break;
      const condition = valuesFor(when, rows, open);
      const { vector } = condition;
      const split = splitRows(open, condition.whole, booleanOf(vector).bits, vector.valid);
      addPart(parts, result, rows, split.taken);
      open = split.rest;
    }
    if (otherwise !== null) addPart(parts, otherwise, rows, open);
    return put(type, rows.count, parts, union);
  };
}

function addPart(parts: MergePart[], node: Node, rows: RowSource, to: Uint32Array): void {
  if (to.length === 0) return;
  const { vector, whole } = valuesFor(node, rows, to);
  parts.push({ vector, from: whole ? to : allRows(to.length), to });
}

export function evaluateCoalesce(
  type: SqlType,
  members: readonly Node[],
  memory: MemoryAccount | null,
): Evaluate {
  const union = new TextUnion(memory);
  return (rows) => {
    const parts: MergePart[] = [];
    let open = allRows(rows.count);
    for (const member of members) {
      if (open.length === 0) break;
      const values = valuesFor(member, rows, open);
      const { taken, rest } = splitRows(open, values.whole, null, values.vector.valid);
      if (taken.length > 0)
        parts.push({ vector: values.vector, from: positions(values, open, taken), to: taken });
      open = rest;
    }
    return put(type, rows.count, parts, union);
  };
}

/** The row indexes at which the values of `taken`, a subset of `open`, are stored. */
function positions({ whole }: RowValues, open: Uint32Array, taken: Uint32Array): Uint32Array {
  if (whole) return taken;
  const from = new Uint32Array(taken.length);
  let found = 0;
  for (let index = 0; found < taken.length; index++) if (open[index] === taken[found]) from[found++] = index;
  return from;
}

/** Merges the parts. A part that provides all rows in order is returned as it is. */
function put(type: SqlType, count: number, parts: readonly MergePart[], union: TextUnion): Vector {
  if (parts.length === 1 && parts[0].to.length === count && parts[0].vector.count === count) {
    return parts[0].vector;
  }
  return merge(type, count, parts, union);
}

/** Splits rows into those that are true (if `bits` is null: that have a value) and the others. */
function splitRows(
  rows: Uint32Array,
  whole: boolean,
  bits: Uint8Array | null,
  valid: Uint8Array | null,
): { taken: Uint32Array; rest: Uint32Array } {
  const taken = new Uint32Array(rows.length);
  const rest = new Uint32Array(rows.length);
  let takenCount = 0;
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index];
    const valueIndex = whole ? row : index;
    const isTrue = (bits === null ? 1 : bits[valueIndex]) & (valid === null ? 1 : valid[valueIndex]);
    taken[takenCount] = row;
    rest[index - takenCount] = row;
    takenCount += isTrue;
  }
  return { taken: taken.subarray(0, takenCount), rest: rest.subarray(0, rows.length - takenCount) };
}

/** Returns `of` with NULL in the rows where both sides are equal. */
export function nullIf(of: Vector, equals: Vector): Vector {
  const { bits, valid, count } = compareVectors('=', of, equals);
  const different = new Uint8Array(count);
  for (let row = 0; row < count; row++) different[row] = 1 ^ (bits[row] & (valid === null ? 1 : valid[row]));
  return { ...of, valid: bothValid(of.valid, different, count) };
}
