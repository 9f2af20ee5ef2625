/**
 * One shard: a part of every dimension of every database, by hash of the entity ID; owned by one worker.
 */
import { HEAP_USES, type HeapUse } from '../base/index.js';
import type { Batch } from '../column/index.js';
import type { ArenaPool } from './arena.js';
import { DimensionShard, type StorageBounds } from './dimension-shard.js';

/** A dimension of a database; dimension IDs are unique only within their database. */
export interface DimensionKey {
  readonly databaseId: number;
  readonly dimensionId: number;
}

export class Shard {
  readonly index: number;
  readonly #pool: ArenaPool;
  readonly #bounds: StorageBounds;
  readonly #databases = new Map<number, Map<number, DimensionShard>>();

  constructor(pool: ArenaPool, index: number, bounds: StorageBounds = {}) {
    this.#pool = pool;
    this.#bounds = bounds;
    this.index = index;
  }

  /** Returns the dimension's part in this shard, or undefined if it has no data here. */
  find({ databaseId, dimensionId }: DimensionKey): DimensionShard | undefined {
    return this.#databases.get(databaseId)?.get(dimensionId);
  }

  /** Returns the dimension's part in this shard; creates it if it does not exist. */
  dimension({ databaseId, dimensionId }: DimensionKey): DimensionShard {
    let database = this.#databases.get(databaseId);
    if (database === undefined) {
      database = new Map();
      this.#databases.set(databaseId, database);
    }
    let dimension = database.get(dimensionId);
    if (dimension === undefined) {
      dimension = new DimensionShard(this.#pool, dimensionId, this.#bounds, database);
      database.set(dimensionId, dimension);
    }
    return dimension;
  }

  apply(databaseId: number, batch: Batch): void {
    this.dimension({ databaseId, dimensionId: batch.dimensionId }).apply(batch);
  }

  /** Drops the dimension and frees its memory. */
  drop({ databaseId, dimensionId }: DimensionKey): void {
    const database = this.#databases.get(databaseId);
    database?.get(dimensionId)?.release();
    database?.delete(dimensionId);
    this.#pool.dropEmpty();
  }

  /** Drops all dimensions of the database and frees their memory. */
  dropDatabase(databaseId: number): void {
    for (const dimension of this.#databases.get(databaseId)?.values() ?? []) dimension.release();
    this.#databases.delete(databaseId);
    this.#pool.dropEmpty();
  }

  /** Drops all values or events of the column and frees their memory. */
  dropColumn(key: DimensionKey, columnId: number): void {
    this.find(key)?.dropColumn(columnId);
    this.#pool.dropEmpty();
  }

  /** Removes the column's events that are older than `beforeSeconds` (since 1970-01-01). */
  expire(key: DimensionKey, columnId: number, beforeSeconds: number): void {
    this.find(key)?.expire(columnId, beforeSeconds);
    this.#pool.dropEmpty();
  }

  /** Returns the date of the column's oldest event in this shard, seconds since 1970-01-01; Infinity if there is none. */
  oldestEvent(key: DimensionKey, columnId: number): number {
    return this.find(key)?.events.get(columnId)?.oldest ?? Number.POSITIVE_INFINITY;
  }

  /** Every dimension with data here, by database and dimension ID. */
  *dimensions(): Generator<DimensionKey & { readonly shard: DimensionShard }> {
    for (const [databaseId, dimensions] of [...this.#databases].sort(([a], [b]) => a - b)) {
      for (const [dimensionId, shard] of [...dimensions].sort(([a], [b]) => a - b)) {
        yield { databaseId, dimensionId, shard };
      }
    }
  }

  get entityCount(): number {
    let sum = 0;
    for (const { shard } of this.dimensions()) sum += shard.entityCount;
    return sum;
  }

  /** Bytes outside the arenas, by use. */
  get heapMemory(): Readonly<Record<HeapUse, number>> {
    const memory = { 'entity-indexes': 0, dictionaries: 0, lists: 0, segments: 0 };
    for (const { shard } of this.dimensions()) {
      const { heapMemory } = shard;
      for (const use of HEAP_USES) memory[use] += heapMemory[use];
    }
    return memory;
  }
}
