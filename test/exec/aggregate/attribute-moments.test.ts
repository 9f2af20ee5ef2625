/** Moments of attributes over whole segments and over bitmaps, compared with plain maps. */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import type { Condition, MetricStatistic } from '../../../src/ir/index.js';
import { compileKernels } from '../../../src/kernels/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';
import type { Change, StoredColumn } from '../../storage/stored.js';
import { generateTest } from '../condition/conditions.js';
import { groupRule, type MomentsRequest } from './moment-oracle.js';
import { MomentPair } from './moment-pair.js';

const SEED = 161_805;
t.comment(`seed ${SEED}`);

/**
 * Columns of latest values for many entities: narrow columns in which every entity has a value, and others in which few
 * entities have one.
 */
const DENSE: readonly StoredColumn[] = [
  { id: 41, form: 'latest', kind: 'i64' },
  { id: 42, form: 'latest', kind: 'i32' },
  { id: 43, form: 'latest', kind: 'i64' },
];

function manyEntities(prng: Prng): Change[] {
  return Array.from({ length: SEGMENT_ROWS_MAX + 300 }, (_, index) => {
    const values = [prng.between(-100, 100), prng.between(-(2 ** 31), 2 ** 31 - 1), prng.u32() * 2 ** 20];
    const present = DENSE.filter(({ id }) => id < 43 || prng.chance(0.01));
    return {
      id: `entity-${index}`,
      fields: present.map((column) => ({ column, latest: BigInt(values[column.id - 41]) })),
    };
  });
}

const MOMENTS_OF: readonly (readonly MetricStatistic[])[] = [
  ['extremes', 'squares', 'values'],
  ['sum', 'extremes'],
  ['squares', 'values'],
];
const MANY_ENTITIES = manyEntities(new Prng(SEED - 2));

for (const [kernels, module] of [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const) {
  t.test(`${kernels} kernels: moments of attributes over two segments equal the model`, async (t) => {
    const prng = new Prng(SEED + 2);
    const pair = new MomentPair(module);
    pair.apply(MANY_ENTITIES);
    t.equal(pair.dimension.segments.length, 2);
    const wrong: string[] = [];
    for (const deleted of [[], ['entity-7', 'entity-65000', `entity-${SEGMENT_ROWS_MAX + 8}`]]) {
      if (deleted.length > 0) pair.delete(deleted);
      for (const { id: columnId, kind } of DENSE) {
        for (const moment of deleted.length > 0 ? (['sum'] as const) : MOMENTS_OF[columnId - 41]) {
          const tests = prng.chance(0.5) ? [] : [generateTest(prng, kind, 1)];
          const level = { source: { from: 'attribute', columnId, kind }, tests } as const;
          const half: Condition = { op: 'attribute', columnId: 41, tests: [generateTest(prng, 'i64', 1)] };
          const request: MomentsRequest = { kind: 'moments', level, moment, buckets: null };
          const difference = pair.difference(
            request,
            prng.pick([null, half]),
            prng.pick([null, null, groupRule(4)]),
          );
          if (difference !== null) wrong.push(difference);
        }
      }
    }
    t.strictSame(wrong.slice(0, 3), [], `${wrong.length} wrong answers`);
  });
}
