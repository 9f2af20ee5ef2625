/**
 * Codes for the values of an expression within one shard: equal values have equal codes, whatever vector they come in, so
 * that keys are grouped and distinct values counted as integers.
 */
import type { Allocator } from '../../answer/index.js';
import type { PartitionedTexts } from '../../ir/index.js';
import type { Vector, WireVector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';

export interface CodedValues {
  readonly values: WireVector;
  /** hashBytes of each text of the vector, where it is known. */
  readonly hashes: Uint32Array | null;
}

/** The code of row i is codes[i] + shift. The array is not to be written, and good until the next call. */
export interface Coded {
  readonly codes: Uint32Array;
  readonly shift: 0 | 1;
}

/** Code 0 is that of missing values. */
export interface ValueCodes {
  /** All codes lie below it; it may grow with `code`. */
  readonly bound: number;
  /** The code of each row: in `out`, or in an array of the vector's. Throws 9006. */
  code(vector: Vector, out: Uint32Array): Coded;
  /** A vector of the values with these codes; the memory that it takes is the run's. Throws 9006. */
  values(codes: Uint32Array, run: QueryRun): CodedValues;
  /** The same, of codes above 0, as texts put together by their hashes, where these are known; absent, or null, where they are not. */
  partitioned?(codes: Uint32Array, run: QueryRun, room: Allocator): PartitionedTexts | null;
}

/** 0 where a code is that of missing values; null where none is. */
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
