/**
 * How the memory of a shard's data is told piece by piece.
 * Invariant: what `noteMemory` tells of all dimensions adds up to what the arenas hold and what lies outside them.
 */
import type { DataUse } from '../base/index.js';

/** In the place of a column: what belongs to all of the dimension. */
export const NO_COLUMN = 0;

export type NoteMemory = (use: DataUse, columnId: number, bytes: number) => void;
