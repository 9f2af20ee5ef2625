/** Both ways to the rows of an extraction without an order. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { collectRows, walkPays, walkRows } from '../../../src/exec/extract/ranked-rows.js';
import { countBits } from '../../../src/exec/extract/row-words.js';
import { ShardIds } from '../../../src/exec/extract/shard-ids.js';
import { KEY } from '../../storage/shard-model.js';
import { Extraction, idOf, unbounded } from './extraction.js';

const SEED = 31_415;
t.comment(`seed ${SEED}`);

t.test(
  'the walk over the index and the collected rows give the same rows, from and up to any row',
  async (t) => {
    const prng = new Prng(SEED);
    for (const deadMin of [1, 2 ** 31]) {
      const extraction = new Extraction(null, 1, { compactionDeadMin: deadMin });
      for (let round = 0; round < 8; round++) {
        const ids = new Set(Array.from({ length: 700 }, () => idOf(prng.below(4_000))));
        extraction.insert([...ids].map((id) => ({ id, fields: [] })));
        extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.2)));
        const shard = extraction.shards[0].dimension(KEY);
        const shardIds = new ShardIds(shard);
        for (const part of [0, 0.02, 0.5, 1]) {
          const words = new Uint32Array(shard.segments.length * 2_048);
          for (let row = 0; row < shard.rowEnd; row++) {
            if (!shard.isDead(row) && prng.chance(part)) words[row >>> 5] |= 1 << (row & 31);
          }
          const selected = { words, count: countBits(words) };
          const some = [...extraction.entities.keys(), 'an ID that is not there'];
          const position = () => ({ id: prng.pick(some), score: 0, distanceKm: 0, values: [] });
          for (let query = 0; query < 6; query++) {
            const page = {
              limit: prng.pick([1, 5, 300]),
              after: prng.chance(0.6) ? position() : null,
              until: prng.chance(0.5) ? position() : null,
            };
            const walked = walkRows(shard, words, shardIds, page, unbounded());
            const collected = collectRows(shard, selected, shardIds, page, unbounded());
            t.strictSame(walked, collected);
          }
        }
      }
    }
  },
);

t.test('the index is walked when many entities are selected, and not for a few', async (t) => {
  t.equal(walkPays(1_001, 5_000_000, 5_000_000), true);
  t.equal(walkPays(1_001, 1_000, 5_000_000), false);
  t.equal(walkPays(10, 0, 5_000_000), false);
});
