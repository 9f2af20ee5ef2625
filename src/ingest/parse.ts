import type { WireError } from '../base/index.js';
import type { Column, DatabaseModel, Dimension, Relation } from '../schema/index.js';

/** The input of a parse besides the bytes. */
export interface ParseContext {
  readonly model: DatabaseModel;
  readonly shardCount: number;
  /** The request's timestamp, set by the main thread: the date of events without one, and the limit for future dates. */
  readonly nowMs: number;
  /** Custom keys may not use auto-create: 511 when it names `dimension`, else 505. */
  readonly customKey: boolean;
  /** IDs of the columns that may be written; all others are refused with 506. null = all. */
  readonly columnIds: readonly number[] | null;
  /** Whether entities may have the same ID, as if they came one after the other (default: refused with 2019). */
  readonly repeatsIds?: boolean;
  /** The name of an event: its new columns are of one relation (default: of none). See infer/relate.ts. */
  readonly relates?: string;
  /** How messages name the subject of an error: the entity by its ID (default), or the "set" of an update. */
  readonly subject?: 'entity' | 'set';
}

export interface BatchRange {
  readonly shard: number;
  readonly dimensionId: number;
  /** 8-aligned offset in `buffer`. */
  readonly offset: number;
  readonly byteLength: number;
}

export interface ParsedInsert {
  readonly entityCount: number;
  readonly valueCount: number;
  /** One encoded batch per shard and dimension that the request touches, concatenated; valid until the next parse. */
  readonly buffer: ArrayBufferLike;
  readonly batches: readonly BatchRange[];
  /** Objects that auto-create creates, with the next IDs of the model's counters; empty otherwise. */
  readonly createdDimensions: readonly Omit<Dimension, 'columns' | 'relations' | 'segments'>[];
  readonly createdColumns: readonly { readonly dimensionId: number; readonly column: Column }[];
  /** Relations that new columns are added to, with all their columns. */
  readonly createdRelations: readonly { readonly dimensionId: number; readonly relation: Relation }[];
}

export type ParseOutcome = { readonly parsed: ParsedInsert } | { readonly error: WireError };
