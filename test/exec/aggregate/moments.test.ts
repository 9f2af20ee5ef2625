/** Moments over one shard compared with a scan of plain maps, with both sets of kernels. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/query-run.js';
import type { Buckets, ValueSource } from '../../../src/ir/index.js';
import { compileKernels } from '../../../src/kernels/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';
import { COLUMNS, generateChanges } from '../../storage/stored.js';
import { boundedRun } from '../bounded.js';
import { generateCondition } from '../condition/conditions.js';
import { groupRule, type MomentsRequest } from './moment-oracle.js';
import { codeOf, generateRequest, MomentPair, NUMBER_MOMENTS, START } from './moment-pair.js';

const SEED = 161_803;
t.comment(`seed ${SEED}`);

for (const [kernels, module] of [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const) {
  t.test(`${kernels} kernels: moments of columns of all kinds equal the model`, async (t) => {
    const prng = new Prng(SEED);
    const pair = new MomentPair(module);
    const options = { columns: COLUMNS, idCount: 400, textCount: 12 };
    const span = { from: START, days: 2 };
    for (let round = 0; round < 4; round++) {
      pair.apply(generateChanges(prng, COLUMNS, { ...options, count: 160, density: 0.5 }));
      if (round > 0) pair.delete([...pair.entities.keys()].filter(() => prng.chance(0.1)));
      const wrong = [];
      for (let query = 0; query < 150; query++) {
        const request = generateRequest(prng, COLUMNS, span, options.textCount);
        const condition = prng.chance(0.5) ? null : generateCondition(prng, { ...options, depth: 1 });
        const rule = prng.pick([null, null, groupRule(1), groupRule(5), groupRule(90_000)]);
        const difference = pair.difference(request, condition, rule);
        if (difference !== null) wrong.push(difference);
      }
      t.strictSame(wrong.slice(0, 3), [], `${wrong.length} wrong answers`);
    }
  });
}

t.test('a canceled query stops at the next segment', async (t) => {
  const pair = new MomentPair(null);
  pair.apply(generateChanges(new Prng(SEED), COLUMNS, { count: 20, idCount: 20, textCount: 3, density: 1 }));
  const flags = new Int32Array(new SharedArrayBuffer(4));
  flags[0] = 1;
  const sources: readonly ValueSource[] = [
    { from: 'entity-id' },
    ...COLUMNS.map(({ id: columnId, form, kind }): ValueSource => {
      const window = { from: 0, to: 2 ** 32 - 1 };
      return form === 'event'
        ? { from: 'events', columnId, kind, window }
        : { from: 'attribute', columnId, kind };
    }),
  ];
  for (const source of sources) {
    const request: MomentsRequest = {
      kind: 'moments',
      level: { source, tests: [] },
      moment: 'count',
      buckets: null,
    };
    const stopped = new QueryRun(flags, 0, 2 ** 30);
    t.equal(
      codeOf(() => pair.run(request, null, null, stopped)),
      9005,
      JSON.stringify(source),
    );
  }
});

t.test('a request releases all memory except the memory of its result', async (t) => {
  const pair = new MomentPair(null);
  pair.apply(generateChanges(new Prng(SEED), COLUMNS, { count: 50, idCount: 50, textCount: 3, density: 1 }));
  // A deleted entity makes a bitmap of the entities necessary.
  pair.delete([...pair.entities.keys()].slice(0, 1));
  const run = boundedRun(2 ** 22);
  const window = { from: 0, to: 2 ** 32 - 1 };
  const sources: readonly ValueSource[] = [
    { from: 'events', columnId: 21, kind: 'i64', window },
    { from: 'attribute', columnId: 3, kind: 'i64' },
    { from: 'attribute', columnId: 13, kind: 'i64' },
    { from: 'entity-id' },
  ];
  for (const source of sources) {
    const moments = source.from === 'entity-id' ? (['count', 'values'] as const) : NUMBER_MOMENTS;
    for (const moment of moments) {
      const buckets: Buckets | null =
        source.from === 'events' ? { by: 'interval', interval: 'months' } : null;
      const request: MomentsRequest = { kind: 'moments', level: { source, tests: [] }, moment, buckets };
      for (const rule of [null, groupRule(2), null, groupRule(2)]) pair.run(request, null, rule, run);
    }
  }
  // Each of these results holds less than a kilobyte.
  t.doesNotThrow(() => run.reserve(2 ** 22 - 4 * 17 * 1_000));
});
