/** Snapshot files of one shard count as batches for another: every entity is moved whole to its new shard. */
import t from 'tap';
import { hashBytes, Prng, shardOf } from '../../src/base/index.js';
import { createLz4, type SnapshotFileEntry } from '../../src/format/index.js';
import { batchesOfShard, type SnapshotStore, WorkerCheckpoint } from '../../src/recovery/index.js';
import { ArenaPool, Shard } from '../../src/storage/index.js';
import {
  applyPlain,
  batchOf,
  COLUMNS,
  dumpPlain,
  dumpShard,
  expirePlain,
  generateChanges,
  type RelationOf,
  type StoredEntities,
} from '../storage/stored.js';
import { faultyDisk } from '../support/faulty-disk.js';
import { KEY, MODEL } from './models.js';

const SEED = 299_792;
t.comment(`seed ${SEED}`);

const newShards = (count: number): Shard[] => {
  const pool = new ArenaPool(null);
  return Array.from({ length: count }, (_, index) => new Shard(pool, index));
};

function shardOfId(id: string, shardCount: number): number {
  const bytes = Buffer.from(id, 'utf8');
  return shardOf(hashBytes(bytes, 0, bytes.length), shardCount);
}

for (const [before, after] of [
  [1, 3],
  [3, 1],
  [2, 5],
]) {
  t.test(
    `${before} shards become ${after} with every value, list, event and relation of a living entity`,
    async (t) => {
      const prng = new Prng(SEED + before);
      const store: SnapshotStore = { fs: faultyDisk(), dir: '/store', lz4: createLz4() };
      const shards = newShards(before);
      const entities: StoredEntities = new Map();
      // Each pair of event columns is related for some time, so that some events have one partner and some have two.
      const relations: RelationOf[] = [
        () => 9,
        (id) => (id === 23 ? 0 : 7),
        (id) => (id === 21 ? 0 : 8),
        () => 0,
      ];
      for (let round = 0; round < 10; round++) {
        const options = { count: 100, idCount: 400, textCount: 500, density: 0.4 };
        const changes = generateChanges(prng, COLUMNS, options);
        const relationOf = prng.pick(relations);
        applyPlain(entities, changes, relationOf);
        for (const shard of shards) {
          const own = changes.filter(({ id }) => shardOfId(id, before) === shard.index);
          if (own.length > 0) shard.apply(KEY.databaseId, batchOf(KEY.dimensionId, own, relationOf));
        }
      }
      for (const id of [...entities.keys()].filter((_, index) => index % 7 === 0)) {
        const stored = shards[shardOfId(id, before)].dimension(KEY);
        const bytes = Buffer.from(id, 'utf8');
        stored.delete(
          Uint32Array.of(stored.findRow(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length)),
        );
        entities.delete(id);
      }
      expirePlain(entities, 22, 1_500_020_000);
      for (const shard of shards) shard.expire(KEY, 22, 1_500_020_000);

      const checkpoint = new WorkerCheckpoint(store, 1, before, shards, [MODEL]);
      while (!(await checkpoint.step()));
      const files: readonly SnapshotFileEntry[] = await checkpoint.finish();

      const moved = newShards(after);
      for (const { index } of shards) {
        const own = files.filter(({ shard }) => shard === index);
        for await (const { databaseId, shard, batch } of batchesOfShard(store, own, after)) {
          t.equal(databaseId, KEY.databaseId);
          moved[shard].apply(databaseId, batch);
        }
      }
      const dumps = moved.map((shard) => dumpShard(shard.dimension(KEY)));
      t.strictSame(dumps.flat().sort(), dumpPlain(entities));
      for (const shard of moved) {
        for (const line of dumps[shard.index]) {
          t.equal(shardOfId((JSON.parse(line) as [string])[0], after), shard.index);
        }
      }
    },
  );
}
