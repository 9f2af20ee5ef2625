/**
 * What the server's front end may ask of the engine. One engine serves all databases of a data directory.
 * Every method rejects with a QuarryError for faults of the request or of the moment (disk full, memory full,
 * shard being rebuilt) and never after a write was acknowledged.
 */
import type { Catalog, CatalogChange } from '../catalog/index.js';
import type { CountEntityPlan } from '../ir/index.js';

export interface InsertRequest {
  readonly databaseId: number;
  /** The whole body; copied before `insert` returns, so its memory may be used again at once. */
  readonly body: Uint8Array;
  readonly customKey: boolean;
}

export interface InsertAnswer {
  readonly entityCount: number;
  readonly valueCount: number;
}

/** What a change of the catalog decides against the newest version: the changes to log, and the caller's answer. */
export interface Decision<T> {
  readonly changes: readonly CatalogChange[];
  readonly answer: T;
}

export interface EngineStats {
  readonly lsnAppended: number;
  readonly lsnDurable: number;
  readonly lsnApplied: number;
  readonly lsnCheckpoint: number;
  readonly logFsyncCount: number;
  readonly logFsyncSecondsSum: number;
  readonly logBytesWritten: number;
  readonly logRecordCount: number;
  readonly checkpointCount: number;
  readonly memoryUsedBytes: number;
  readonly memoryLimitBytes: number;
  readonly laneCount: number;
  readonly shardCount: number;
  readonly lanesDown: number;
  readonly laneRestartCount: number;
}

export interface EngineApi {
  /** False until replay is done and while the engine closes. */
  readonly ready: boolean;
  /** The newest catalog whose changes are durable. */
  catalog(): Catalog;
  /** Parses, logs and applies one insert; resolves when it is durable and visible. Whole or not at all. */
  insert(request: InsertRequest): Promise<InsertAnswer>;
  /**
   * Changes the catalog: `decide` sees the newest version and may throw a QuarryError. It must do nothing else, for it
   * runs again when it had to wait; the last run counts.
   */
  change<T>(decide: (catalog: Catalog) => Decision<T>): Promise<T>;
  /** One exact count per plan, all at one LSN. */
  countEntities(plans: readonly CountEntityPlan[]): Promise<readonly number[]>;
  /** Entities of the named dimensions together, at one LSN. */
  countAll(databaseId: number, dimensionIds: readonly number[]): Promise<number>;
  /** For each ID (lower-cased by the caller), whether the dimension holds such an entity. */
  exist(databaseId: number, dimensionId: number, ids: readonly string[]): Promise<readonly boolean[]>;
  stats(): EngineStats;
  /** Drains, makes everything durable, stops the lanes. */
  close(): Promise<void>;
}
