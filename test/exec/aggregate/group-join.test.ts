/** Entries of groups, including rows that belong to more groups than fit into a batch. */
import t from 'tap';
import { GroupJoin } from '../../../src/exec/aggregate/group-join.js';
import { ManyGroups, PairList } from '../../../src/exec/aggregate/group-rows.js';
import { BATCH_MAX } from '../../../src/exec/aggregate/value-batch.js';
import { QueryRun, UNBOUNDED } from '../../../src/exec/query-run.js';
import { ArenaPool, DimensionShard } from '../../../src/storage/index.js';

const GROUPS = BATCH_MAX + 10_000;

t.test('each position is returned once for every group of its row, in batches', async (t) => {
  const shard = new DimensionShard(new ArenaPool(null), 1);
  for (let row = 0; row < 4; row++) shard.appendEntity(row, Uint8Array.of(97 + row), 0, 1);
  const pairs = new PairList(UNBOUNDED.child());
  const all = Uint32Array.from({ length: GROUPS }, (_, group) => group);
  pairs.append(new Uint32Array(GROUPS).fill(2), all, GROUPS);
  pairs.append(Uint32Array.of(0, 0, 3), Uint32Array.of(5, 7, 9), 3);
  const groups = new ManyGroups(shard, GROUPS, pairs, UNBOUNDED.child());
  let stored = 0;
  const run = new QueryRun(null, 0, 2 ** 24);
  const join = new GroupJoin(shard, groups, run);
  const found: string[] = [];
  join.each(Uint32Array.of(3, 1, 0, 2, 3, 2), Uint32Array.of(10, 11, 12, 13, 14, 15), (positions, of) => {
    stored = Math.max(stored, positions.length);
    for (let at = 0; at < positions.length; at++) found.push(`${positions[at]}/${of[at]}`);
  });
  const wanted = ['10/9', '12/5', '12/7', '14/9'];
  for (const group of all) wanted.push(`13/${group}`, `15/${group}`);
  t.equal(found.length, wanted.length);
  t.equal(JSON.stringify(found.sort()), JSON.stringify(wanted.sort()));
  t.equal(stored, BATCH_MAX);
  join.release();
  // All memory was released.
  t.doesNotThrow(() => run.reserve(2 ** 24));
});
