/** Groups of decided levels, joined with rows, compared with the groups of plain entities. */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../../src/base/index.js';
import { type GroupsOfRows, JoinedEntries } from '../../../src/exec/aggregate/group-rows.js';
import { groupsOf } from '../../../src/exec/aggregate/groups.js';
import { EntitySelection } from '../../../src/exec/condition/selection.js';
import { compileKernels } from '../../../src/kernels/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';
import { COLUMNS, generateChanges } from '../../storage/stored.js';
import { boundedRun } from '../bounded.js';
import { generateCondition } from '../condition/conditions.js';
import { generateDecided, generateLevel, groupFinder, satisfies, shown } from './rounds.js';
import { ShardPair } from './shard-pair.js';

const SEED = 90_125;
t.comment(`seed ${SEED}`);

/** Each row of the shard with its groups, joined in parts; the entries of a part ascend. */
function joinedWith(groups: GroupsOfRows, { dimension }: ShardPair, prng: Prng): string[] {
  const rows = Uint32Array.from({ length: dimension.rowEnd }, (_, row) => row).filter(
    (row) => (row & SEGMENT_ROWS_MASK) < dimension.segments[row >>> SEGMENT_ROWS_SHIFT].rowCount,
  );
  const memory = boundedRun().child();
  const out = new JoinedEntries(dimension, groups.groupsOfRowMax, memory);
  const found: string[] = [];
  for (let from = 0; from < rows.length; ) {
    const count = Math.min(rows.length, from + prng.between(1, 100));
    from = groups.join(rows, from, count, out);
    for (let at = 0; at < out.count; at++) {
      if (at > 0 && out.entries[at] < out.entries[at - 1]) throw new Error('entries do not ascend');
      found.push(`${rows[out.entries[at]]} ${out.groups[at]}`);
    }
  }
  memory.releaseAll();
  return found;
}

for (const [kernels, module] of [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const) {
  t.test(`${kernels} kernels: each selected entity is in its groups, once in each`, async (t) => {
    const prng = new Prng(SEED);
    const pair = new ShardPair(module);
    for (let step = 0; step < 3; step++) {
      pair.apply(generateChanges(prng, COLUMNS, { count: 120, idCount: 260, textCount: 30, density: 0.5 }));
    }
    pair.delete([...pair.entities.keys()].filter(() => prng.chance(0.05)));
    const shard = pair.dimension;
    const forms = new Set<string>();
    const wrong = [];
    for (let query = 0; query < 120; query++) {
      const levels = Array.from({ length: prng.between(1, 3) }, () => generateLevel(prng, COLUMNS, 30));
      const decided = generateDecided(prng, levels, pair.entities, prng.pick([2, 20, 200]));
      const options = { columns: COLUMNS, idCount: 260, textCount: 30, depth: 1 };
      const condition = prng.chance(0.4) ? null : generateCondition(prng, options);
      const run = boundedRun();
      const selection = new EntitySelection(shard, condition, pair.scratch, run);
      const groups = groupsOf(shard, selection, decided, run);
      selection.release();
      if (groups.groupCount !== decided[decided.length - 1].parents.length) wrong.push('groupCount');
      forms.add(groups.isSingle ? 'single' : 'many');

      const wanted: string[] = [];
      const groupsOfEntity = groupFinder(decided);
      for (const [id, entity] of pair.entities) {
        if (!satisfies(condition, id, entity)) continue;
        for (const group of groupsOfEntity(id, entity)) wanted.push(`${pair.rowOf(id)} ${group}`);
      }
      const members: string[] = [];
      for (let row = 0; row < shard.rowEnd; row++) {
        if ((groups.members[row >>> 3] & (1 << (row & 7))) !== 0) members.push(String(row));
      }
      const sorted = wanted.sort().join(', ');
      const found = joinedWith(groups, pair, prng);
      if (found.sort().join(', ') !== sorted) wrong.push(`joined: ${shown({ condition, decided })}`);
      const rows = [...new Set(wanted.map((text) => text.split(' ')[0]))];
      if (members.sort().join() !== rows.sort().join())
        wrong.push(`members: ${shown({ condition, decided })}`);
      groups.release();
    }
    t.strictSame(wrong.slice(0, 3), []);
    t.equal(forms.size, 2, 'both representations of groups occurred');
    t.notOk(pair.holdsTemporary);
  });
}
