/** The sum of the memory of a shard's parts equals the counters of arenas and structures. */
import t from 'tap';
import { ARENA_USES, DATA_USES, HEAP_USES, NO_DATA_MEMORY, Prng } from '../../src/base/index.js';
import { ArenaPool, Shard } from '../../src/storage/index.js';
import { ShardModel } from './shard-model.js';

const SEED = 9_001;
t.comment(`seed ${SEED}`);

t.test('the parts add up to the allocated memory per use, after changes of every kind', async (t) => {
  for (let round = 0; round < 3; round++) {
    const prng = new Prng(SEED + round);
    const model = new ShardModel();
    const pool = new ArenaPool(null);
    model.shard = new Shard(pool, 0, model.bounds);
    const kinds = new Set<string>();
    const faults: string[] = [];
    for (let step = 0; step < 60; step++) {
      const kind = model.step(prng, { idCount: 400, textCount: 300, count: 120 });
      kinds.add(kind.split(' ')[0]);
      const noted = { ...NO_DATA_MEMORY };
      model.dimension.noteMemory((use, _column, bytes) => {
        noted[use] += bytes;
      });
      const used = { ...pool.used, ...model.shard.heapMemory };
      for (const use of DATA_USES) {
        if (noted[use] !== used[use])
          faults.push(`round ${round}, step ${step} (${kind}): ${use} ${noted[use]} of ${used[use]}`);
      }
    }
    t.strictSame(faults.slice(0, 3), []);
    t.ok(kinds.size >= 4, [...kinds].join(', '));
    model.shard.drop({ databaseId: 1, dimensionId: 2 });
    for (const use of ARENA_USES) t.equal(pool.used[use], 0, `${use} are released`);
    for (const use of HEAP_USES) t.equal(model.shard.heapMemory[use], 0);
  }
});
