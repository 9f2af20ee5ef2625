/** Lookups of entities by ID, with and without a condition that excludes some of them. */
import t from 'tap';
import { hashBytes, Prng, shardOf } from '../../src/base/index.js';
import { lookUp } from '../../src/exec/index.js';
import { Arena, ArenaPool, Shard } from '../../src/storage/index.js';
import { countMatches } from '../ir/evaluate.js';
import { applyPlain, batchOf, COLUMNS, generateChanges, type StoredEntities } from '../storage/stored.js';
import { boundedRun } from './bounded.js';
import { generateCondition } from './condition/conditions.js';

const SEED = 57_721;
t.comment(`seed ${SEED}`);

const KEY = { databaseId: 1, dimensionId: 2 };

t.test('an ID is found if a shard contains it and its entity satisfies the condition', async (t) => {
  const prng = new Prng(SEED);
  const scratch = new Arena(null);
  const pool = new ArenaPool(null);
  const shardCount = 3;
  // This worker has two of the three shards.
  const shards = new Map([0, 2].map((index) => [index, new Shard(pool, index)]));
  const entities: StoredEntities = new Map();
  const shardOfId = (id: string): number => {
    const bytes = Buffer.from(id, 'utf8');
    return shardOf(hashBytes(bytes, 0, bytes.length), shardCount);
  };
  for (let round = 0; round < 5; round++) {
    const changes = generateChanges(prng, COLUMNS, { count: 100, idCount: 200, textCount: 20, density: 0.4 });
    const own = changes.filter(({ id }) => shards.has(shardOfId(id)));
    applyPlain(entities, own);
    for (const [index, shard] of shards) {
      shard.apply(
        KEY.databaseId,
        batchOf(
          KEY.dimensionId,
          own.filter(({ id }) => shardOfId(id) === index),
        ),
      );
    }
  }
  for (const id of ['entity-1', 'entity-2', 'entity-3', 'entity-5', 'entity-8']) {
    const dimension = shards.get(shardOfId(id))?.find(KEY);
    const bytes = Buffer.from(id, 'utf8');
    const row = dimension?.findRow(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length) ?? -1;
    if (row >= 0) dimension?.delete(Uint32Array.of(row));
    entities.delete(id);
  }
  const wrong: string[] = [];
  for (let query = 0; query < 300; query++) {
    const ids = Array.from({ length: prng.between(0, 40) }, () => `entity-${prng.below(300)}`);
    const condition =
      query % 10 === 0
        ? null
        : generateCondition(prng, { columns: COLUMNS, idCount: 200, textCount: 20, depth: prng.below(3) });
    const wanted = ids.map((id) => {
      const entity = entities.get(id);
      if (entity === undefined || condition === null) return entity === undefined ? 0 : 1;
      return countMatches(new Map([[KEY.dimensionId, new Map([[id, entity]])]]), KEY.dimensionId, condition);
    });
    const found = lookUp(shards, shardCount, KEY, ids, condition, scratch, boundedRun());
    if (found.join() !== wanted.join()) wrong.push(`query ${query}: ${found.join()} not ${wanted.join()}`);
  }
  t.strictSame(wrong.slice(0, 2), []);
});

t.test('no entity is found in a dimension without data', async (t) => {
  const shards = new Map([[0, new Shard(new ArenaPool(null), 0)]]);
  const found = lookUp(
    shards,
    1,
    KEY,
    ['a', 'b'],
    { op: 'entity-id', tests: [] },
    new Arena(null),
    boundedRun(),
  );
  t.strictSame(found, new Uint8Array(2));
});
