/**
 * Assigns codes to the values of an expression within one shard: equal values get equal codes, whatever vector they
 * come from. Keys are grouped and distinct values counted as integers.
 */
import type { Allocator } from '../../../answer/index.js';
import type { PartitionedTexts } from '../../../ir/index.js';
import type { Vector, WireVector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';

/** The code of row i is codes[i] + shift. The array is read-only and valid until the next call. */
export interface Coded {
  readonly codes: Uint32Array;
  readonly shift: 0 | 1;
}

/** Code 0 is the missing value. */
export interface ValueCodes {
  /** Exclusive upper limit of the codes; `code` may raise it. */
  readonly bound: number;
  /** The code of each row, in `out` or in an array of the vector. Throws 9006. */
  code(vector: Vector, out: Uint32Array): Coded;
  /** A vector of the values with the given codes. Its memory is reserved in the run. Throws 9006. */
  values(codes: Uint32Array, run: QueryRun): WireVector;
  /** The texts with the given codes (all above 0), partitioned by hash. Absent or null if the hashes are not known. */
  partitioned?(codes: Uint32Array, run: QueryRun, allocator: Allocator): PartitionedTexts | null;
}

/** The validity of the codes, 0 for the missing value; null if none is missing. */
export function validOf(codes: Uint32Array): Uint8Array | null {
  if (!codes.includes(0)) return null;
  return Uint8Array.from(codes, (code) => (code === 0 ? 0 : 1));
}

/** Whether no row has a value. */
export function isAllMissing({ valid, count }: Vector): boolean {
  if (valid === null || count === 0) return false;
  for (let row = 0; row < count; row++) if (valid[row] !== 0) return false;
  return true;
}
