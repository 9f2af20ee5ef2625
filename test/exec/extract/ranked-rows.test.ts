/** The algorithms that find the rows of an extraction without an order. */
import t from 'tap';
import { hashBytes, Prng } from '../../../src/base/index.js';
import {
  blockBits,
  cheapestAlgorithm,
  collectRows,
  expectedEntities,
  gatherRankedRows,
  rankedRows,
  walkRows,
} from '../../../src/exec/extract/ranked-rows.js';
import { countBits } from '../../../src/exec/extract/row-words.js';
import { ShardIds } from '../../../src/exec/scan/shard-ids.js';
import { rankOfId } from '../../../src/ir/index.js';
import { KEY } from '../../storage/shard-model.js';
import { bytesOf, Extraction, idOf, unbounded } from './extraction.js';

const SEED = 31_415;
t.comment(`seed ${SEED}`);

/** By rank, then by ID. */
const compareIds = (a: string, b: string): number =>
  rankOfId(a) - rankOfId(b) || Buffer.compare(bytesOf(a), bytesOf(b));

const rankedAt = (id: string | null) => (id === null ? null : { rank: rankOfId(id), id: bytesOf(id) });

/** IDs that each have the same hash as another one. */
function tiedIds(): string[] {
  const byHash = new Map<number, string>();
  const tied = new Set<string>();
  for (let number = 0; number < 200_000; number++) {
    const id = `tie-${number}`;
    const hash = hashBytes(bytesOf(id), 0, id.length);
    const other = byHash.get(hash);
    if (other === undefined) byHash.set(hash, id);
    else tied.add(other).add(id);
  }
  return [...tied];
}

t.test('all algorithms return the same rows, from and up to any row, even if hashes are equal', async (t) => {
  const prng = new Prng(SEED);
  const ties = tiedIds();
  t.ok(ties.length >= 4, `${ties.length} IDs share their hash with another ID`);
  const wrong: string[] = [];
  for (const deadMin of [1, 2 ** 31]) {
    const extraction = new Extraction(null, 1, { compactionDeadMin: deadMin });
    for (let round = 0; round < 8; round++) {
      const ids = new Set([...Array.from({ length: 700 }, () => idOf(prng.below(4_000))), ...ties]);
      extraction.insert([...ids].map((id) => ({ id, fields: [] })));
      extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.2)));
      const shard = extraction.shards[0].dimension(KEY);
      const shardIds = new ShardIds(shard);
      for (const part of [0, 0.02, 0.5, 1]) {
        const words = new Uint32Array(shard.segments.length * 2_048);
        const chosen: string[] = [];
        for (let row = 0; row < shard.rowEnd; row++) {
          if (shard.isDead(row) || !prng.chance(part)) continue;
          words[row >>> 5] |= 1 << (row & 31);
          chosen.push(shardIds.text(row));
        }
        const some = [...extraction.entities.keys(), 'an ID that does not exist'];
        const position = () => prng.pick(prng.chance(0.3) ? ties : some);
        for (let query = 0; query < 6; query++) {
          const limit = prng.pick([1, 5, 300, 5_000]);
          const after = prng.chance(0.6) ? position() : null;
          const until = prng.chance(0.5) ? position() : null;
          const page = { limit, after: rankedAt(after), until: rankedAt(until) };
          const selected = { words, count: countBits(words) };
          const bits = prng.below(13);
          const ways = {
            walked: walkRows(shard, words, shardIds, page, unbounded()),
            collected: collectRows(shard, selected, shardIds, page, unbounded()),
            gathered: gatherRankedRows(shard, words, shardIds, page, bits, unbounded()),
            chosen: rankedRows(shard, selected, shardIds, page, unbounded()),
          };
          const wanted = chosen
            .filter((id) => after === null || compareIds(id, after) > 0)
            .filter((id) => until === null || compareIds(id, until) < 0)
            .sort(compareIds)
            .slice(0, limit);
          for (const [way, rows] of Object.entries(ways)) {
            const found = [...rows].map((row) => shardIds.text(row));
            if (String(found) !== String(wanted)) {
              wrong.push(
                `${way}, ${bits} bits, ${limit} rows from ${after} to ${until}: ${found} instead of ${wanted}`,
              );
            }
          }
        }
      }
    }
  }
  t.strictSame(wrong.slice(0, 2), []);
});

t.test('without a condition all living entities are returned, and deleted ones are not', async (t) => {
  const prng = new Prng(SEED + 1);
  const extraction = new Extraction(null, 1, { compactionDeadMin: 2 ** 31 });
  extraction.insert(Array.from({ length: 3_000 }, (_, number) => ({ id: idOf(number), fields: [] })));
  extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.3)));
  const shard = extraction.shards[0].dimension(KEY);
  const ids = new ShardIds(shard);
  const all = [...extraction.entities.keys()].sort(compareIds);
  for (const limit of [1, 40, 1_000, 2_900, 5_000]) {
    const page = { limit, after: null, until: null };
    for (const rows of [
      rankedRows(shard, { words: null, count: shard.entityCount }, ids, page, unbounded()),
      gatherRankedRows(shard, null, ids, page, 8, unbounded()),
      walkRows(shard, null, ids, page, unbounded()),
    ]) {
      t.strictSame(
        [...rows].map((row) => ids.text(row)),
        all.slice(0, limit),
      );
    }
  }
});

t.test(
  'few rows are collected, the index is walked for a short distance and read for a long one',
  async (t) => {
    const entityCount = 5_000_000;
    const wayOf = (limit: number, count: number) =>
      cheapestAlgorithm(expectedEntities(limit, count, entityCount), count, entityCount);
    t.equal(wayOf(101, entityCount), 'walk');
    t.equal(wayOf(1_025, 0), 'collect');
    t.equal(wayOf(1_025, 1_000), 'collect');
    t.equal(wayOf(101, 41_500), 'gather');
    t.equal(wayOf(16_384, entityCount), 'gather');
    t.equal(wayOf(entityCount * 2, entityCount), 'gather');
  },
);

t.test('a block has more entities than are needed, but not many times as many', async (t) => {
  for (const met of [1, 70, 12_000, 500_000]) {
    for (const entityCount of [1, 900, 500_000, 5_000_000, 80_000_000]) {
      const entities = entityCount / 2 ** blockBits(met, entityCount);
      t.ok(entities >= Math.min(entityCount, met * 1.25), `${met} of ${entityCount}: ${entities}`);
      t.ok(
        entities <= Math.max(entityCount / 2 ** 16, met * 2.5 + 128),
        `${met} of ${entityCount}: ${entities}`,
      );
    }
  }
});
