/** One dimension in one shard and a model of its expected content. */
import { hashBytes } from '../../../src/base/index.js';
import { ARENA_BYTES, Arena, ArenaPool, type DimensionShard, Shard } from '../../../src/storage/index.js';
import { applyPlain, batchOf, type Change, type StoredEntities } from '../../storage/stored.js';

export const KEY = { databaseId: 1, dimensionId: 2 };

/** The start of temporary query memory in an arena without temporary allocations. */
const TEMPORARY_AT = ARENA_BYTES - 8 * 2 ** 20;

export class ShardPair {
  readonly shard: Shard;
  readonly scratch: Arena;
  readonly entities: StoredEntities = new Map();

  constructor(module: WebAssembly.Module | null) {
    this.shard = new Shard(new ArenaPool(module), 0);
    this.scratch = new Arena(module);
  }

  get dimension(): DimensionShard {
    return this.shard.dimension(KEY);
  }

  apply(changes: readonly Change[]): void {
    this.shard.apply(KEY.databaseId, batchOf(KEY.dimensionId, changes));
    applyPlain(this.entities, changes);
  }

  rowOf(id: string): number {
    const bytes = Buffer.from(id, 'utf8');
    return this.dimension.findRow(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length);
  }

  /** Deletes the entities with these IDs that exist. */
  delete(ids: readonly string[]): void {
    const stored = ids.filter((id) => this.entities.delete(id));
    this.dimension.delete(Uint32Array.from(stored, (id) => this.rowOf(id)).sort());
  }

  /** Whether a query has not released its temporary memory in an arena. */
  get holdsTemporary(): boolean {
    const { segments, events } = this.dimension;
    const arenas = new Set([this.scratch, ...segments.map(({ arena }) => arena)]);
    for (const table of events.values()) for (const { arena } of table.segments) arenas.add(arena);
    for (const segment of segments) {
      for (const id of segment.columnIds) {
        const column = segment.latest(id);
        if (column !== undefined) arenas.add(column.arena);
      }
    }
    return [...arenas].some((arena) => {
      const at = arena.reserveTemporary(64);
      arena.releaseTemporary();
      return at !== TEMPORARY_AT;
    });
  }
}
