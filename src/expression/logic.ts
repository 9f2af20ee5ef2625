/** Three-valued logic: and, or, not, is null. */
import type { BooleanVector, Vector } from '../vector/index.js';
import { booleanOf } from './kinds.js';
import type { Evaluate, Node } from './node.js';
import { valuesFor } from './picked-rows.js';
import { simplified } from './validity.js';

/**
 * Evaluates the members from left to right. A later member is evaluated only for the undecided rows if it can raise an error
 * or if few rows are left, so that `x <> '' and cast(x as integer) > 1` does not cast empty texts.
 */
export function evaluateLogic(op: 'and' | 'or', members: readonly Node[]): Evaluate {
  // The value of a member that decides the row: false for and, true for or.
  const settling = op === 'and' ? 0 : 1;
  return (rows) => {
    const { count } = rows;
    const settled = new Uint8Array(count);
    const missing = new Uint8Array(count);
    members.forEach((member, index) => {
      if (index === 0) {
        decide(booleanOf(member.evaluate(rows)), settling, settled, missing);
        return;
      }
      const openCount = count - countOf(settled, count);
      if (openCount === 0) return;
      if (!member.mayFail && openCount * 4 >= count) {
        decide(booleanOf(member.evaluate(rows)), settling, settled, missing);
        return;
      }
      const open = openRows(settled, count);
      const { vector, whole } = valuesFor(member, rows, open);
      if (whole) decide(booleanOf(vector), settling, settled, missing);
      else decidePicked(booleanOf(vector), settling, settled, missing, open);
    });
    return outcome(settling, settled, missing, count);
  };
}

/** Counts the elements equal to 1. */
function countOf(bits: Uint8Array, count: number): number {
  let ones = 0;
  for (let row = 0; row < count; row++) ones += bits[row];
  return ones;
}

function decide(member: BooleanVector, settling: number, settled: Uint8Array, missing: Uint8Array): void {
  const { bits, valid, count } = member;
  const flip = settling ^ 1;
  if (valid === null) {
    for (let row = 0; row < count; row++) settled[row] |= bits[row] ^ flip;
    return;
  }
  for (let row = 0; row < count; row++) {
    settled[row] |= (bits[row] ^ flip) & valid[row];
    missing[row] |= valid[row] ^ 1;
  }
}

function decidePicked(
  member: BooleanVector,
  settling: number,
  settled: Uint8Array,
  missing: Uint8Array,
  rows: Uint32Array,
): void {
  const { bits, valid, count } = member;
  const flip = settling ^ 1;
  for (let index = 0; index < count; index++) {
    const known = valid === null ? 1 : valid[index];
    settled[rows[index]] |= (bits[index] ^ flip) & known;
    missing[rows[index]] |= known ^ 1;
  }
}

function openRows(settled: Uint8Array, count: number): Uint32Array {
  const rows = new Uint32Array(count);
  let found = 0;
  for (let row = 0; row < count; row++) {
    rows[found] = row;
    found += settled[row] ^ 1;
  }
  return rows.subarray(0, found);
}

/** Builds the result, which takes over `decided` and `missing`. */
function outcome(settling: number, settled: Uint8Array, missing: Uint8Array, count: number): BooleanVector {
  const flip = settling ^ 1;
  for (let row = 0; row < count; row++) {
    missing[row] = (missing[row] ^ 1) | settled[row];
    settled[row] ^= flip;
  }
  return { kind: 'boolean', count, valid: simplified(missing, count), bits: settled };
}

export function negated(vector: Vector): BooleanVector {
  const { bits, valid, count } = booleanOf(vector);
  const flipped = new Uint8Array(count);
  for (let row = 0; row < count; row++) flipped[row] = bits[row] ^ 1;
  return { kind: 'boolean', count, valid, bits: flipped };
}

/** IS NULL; with `not`, IS NOT NULL. */
export function isMissing({ valid, count }: Vector, not: boolean): BooleanVector {
  const bits = new Uint8Array(count);
  if (valid === null) bits.fill(not ? 1 : 0);
  else for (let row = 0; row < count; row++) bits[row] = not ? valid[row] : valid[row] ^ 1;
  return { kind: 'boolean', count, valid: null, bits };
}
