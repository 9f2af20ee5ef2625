/** Groups of decided levels, row by row and segment by segment, against those of plain entities. */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../../src/base/index.js';
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
      const byRow: string[] = [];
      for (let row = 0; row < shard.rowEnd; row++) {
        if ((row & SEGMENT_ROWS_MASK) >= shard.segments[row >>> SEGMENT_ROWS_SHIFT].rowCount) continue;
        groups.eachOfRow(row, (group) => byRow.push(`${row} ${group}`));
      }
      const bySegment: string[] = [];
      shard.segments.forEach((_, index) => {
        let last = -1;
        groups.eachInSegment(index, (place, group) => {
          if (place < last) wrong.push(`place ${place} comes after ${last}`);
          last = place;
          bySegment.push(`${(index << SEGMENT_ROWS_SHIFT) + place} ${group}`);
        });
      });
      const sorted = wanted.sort().join(', ');
      if (byRow.sort().join(', ') !== sorted) wrong.push(`by row: ${shown({ condition, decided })}`);
      if (bySegment.sort().join(', ') !== sorted) wrong.push(`by segment: ${shown({ condition, decided })}`);
      groups.release();
    }
    t.strictSame(wrong.slice(0, 3), []);
    t.equal(forms.size, 2, 'both forms of groups came up');
    t.notOk(pair.holdsTemporary);
  });
}
