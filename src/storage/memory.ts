/**
 * The form in which a shard reports the memory of its data piece by piece.
 * Invariant: the pieces that `noteMemory` reports for all dimensions add up to the memory in the arenas and outside them.
 */
import type { DataUse } from '../base/index.js';

/** Replaces the column ID for memory that belongs to the whole dimension. */
export const NO_COLUMN = 0;

export type NoteMemory = (use: DataUse, columnId: number, bytes: number) => void;
