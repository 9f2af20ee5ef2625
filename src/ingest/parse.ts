import type { WireError } from '../base/index.js';
import type { Column, DatabaseModel, Dimension } from '../schema/index.js';

/** What a parse needs beside the bytes. */
export interface ParseContext {
  readonly model: DatabaseModel;
  readonly shardCount: number;
  /** The request's time, decided by main: the date of events that carry none, and what "future" means. */
  readonly nowMs: number;
  /** Custom keys may not use auto-create: 511 when it names `dimension`, else 505. */
  readonly customKey: boolean;
  /** Ids of the columns that may be written, all others are refused with 506; null = all may. */
  readonly columnIds: readonly number[] | null;
  /** What messages call the thing at fault: the entity by its ID (as when absent), or the "set" of an update. */
  readonly subject?: 'entity' | 'set';
}

export interface BatchPlace {
  readonly shard: number;
  readonly dimensionId: number;
  /** 8-aligned place in `buffer`. */
  readonly offset: number;
  readonly byteLength: number;
}

export interface ParsedInsert {
  readonly entityCount: number;
  readonly valueCount: number;
  /** One encoded batch per shard and dimension that the request touches, one behind the other; valid until the next parse. */
  readonly buffer: ArrayBufferLike;
  readonly batches: readonly BatchPlace[];
  /** What auto-create makes, with the ids that the model's counters give next; empty otherwise. */
  readonly createdDimensions: readonly Omit<Dimension, 'columns' | 'relations'>[];
  readonly createdColumns: readonly { readonly dimensionId: number; readonly column: Column }[];
}

export type ParseOutcome = { readonly parsed: ParsedInsert } | { readonly error: WireError };
