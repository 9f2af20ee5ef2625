/** Moments of events in sealed and unsealed segments, for integers of every width, compared with plain maps. */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import type { QueryRun } from '../../../src/exec/query-run.js';
import type { MetricStatistic } from '../../../src/ir/index.js';
import { compileKernels } from '../../../src/kernels/index.js';
import type { INTERVALS } from '../../../src/schema/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';
import { type Change, COLUMNS, type Stored, type StoredColumn } from '../../storage/stored.js';
import { boundedRun } from '../bounded.js';
import { generateCondition } from '../condition/conditions.js';
import { groupRule, type MomentsRequest } from './moment-oracle.js';
import { codeOf, DAY, generateRequest, MomentPair, NUMBER_MOMENTS, START } from './moment-pair.js';

const SEED = 161_804;
t.comment(`seed ${SEED}`);

/** Event columns whose integers take 1, 2, 4 and 8 bytes. */
const WIDE_EVENTS: readonly StoredColumn[] = [31, 32, 33, 34].map((id) => ({
  id,
  form: 'event',
  kind: 'i64',
}));
const EVENT_COLUMNS: readonly StoredColumn[] = [
  ...WIDE_EVENTS,
  ...COLUMNS.filter(({ form, kind }) => form === 'event' && kind === 'code'),
];

function eventValue(prng: Prng, column: StoredColumn): Stored {
  if (column.kind === 'code') return `text-${prng.below(40)}-ß`;
  const half = 2n ** (8n * BigInt(2 ** (column.id - 31)) - 1n);
  if (prng.chance(0.01)) return prng.pick([-half, half - 1n]);
  if (prng.chance(0.5)) return BigInt(prng.between(-35, 35));
  const wide = (BigInt(prng.u32()) << 32n) | BigInt(prng.u32());
  return (wide % (2n * half)) - half;
}

/** More events of every column than fit into one segment, spread over `days` days, in one batch per entity. */
function manyEvents(prng: Prng, columns: readonly StoredColumn[], days: number): Change[][] {
  const perEntity = 350;
  const entities = Math.ceil((SEGMENT_ROWS_MAX + 5_000) / perEntity / 4);
  return [0, 1, 2, 3].map(() =>
    Array.from({ length: entities }, (_, index) => ({
      id: `entity-${index}`,
      fields: columns.map((column) => ({
        column,
        events: Array.from({ length: perEntity }, () => ({
          seconds: START + prng.below(days) * DAY + prng.pick([0, DAY - 1, prng.below(DAY)]),
          value: eventValue(prng, column),
        })),
      })),
    })),
  );
}

const EVENT_DAYS = 100;
const MANY_EVENTS = manyEvents(new Prng(SEED - 1), EVENT_COLUMNS, EVENT_DAYS);

for (const [kernels, module] of [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const) {
  t.test(
    `${kernels} kernels: moments of events in sealed and unsealed segments equal the model`,
    async (t) => {
      const prng = new Prng(SEED + 1);
      const pair = new MomentPair(module);
      for (const changes of MANY_EVENTS) pair.apply(changes);
      const tables = EVENT_COLUMNS.map(({ id }) => pair.dimension.events.get(id));
      t.strictSame(
        tables.map((table) => table?.segments.map(({ sealed }) => sealed)),
        tables.map(() => [true, false]),
      );
      t.strictSame(
        tables.slice(0, 4).map((table) => table?.segments[0].width),
        [1, 2, 4, 8],
      );
      const span = { from: START, days: EVENT_DAYS };
      const wrong: string[] = [];
      const options = { columns: [...COLUMNS, ...WIDE_EVENTS], idCount: 60, textCount: 40 };
      const tryOne = (): void => {
        const request = generateRequest(prng, EVENT_COLUMNS, span, options.textCount);
        const condition = prng.chance(0.6) ? null : generateCondition(prng, { ...options, depth: 0 });
        const rule = prng.pick([null, null, null, groupRule(3)]);
        const difference = pair.difference(request, condition, rule);
        if (difference !== null) wrong.push(difference);
      };
      for (let query = 0; query < 20; query++) tryOne();
      pair.delete(['entity-3', 'entity-20']);
      t.equal(pair.dimension.segments[0].deadCount, 2, 'the deleted entities still have rows');
      for (let query = 0; query < 20; query++) tryOne();
      t.strictSame(wrong.slice(0, 3), [], `${wrong.length} wrong answers`);
    },
  );
}

t.test(
  'memory for group slots and distinct values is reserved in the memory account of the query',
  async (t) => {
    const pair = new MomentPair(null);
    pair.apply(MANY_EVENTS[0]);
    const check = (
      moment: MetricStatistic,
      interval: (typeof INTERVALS)[number],
      columnId: number,
    ): MomentsRequest => {
      const window = { from: START, to: START + EVENT_DAYS * DAY };
      const source = { from: 'events', columnId, kind: 'i64', window } as const;
      return { kind: 'moments', level: { source, tests: [] }, moment, buckets: { by: 'interval', interval } };
    };
    // The result for a hundred days fits into the memory; the result for ten thousand seconds does not.
    const run = (): QueryRun => boundedRun(2 ** 18);
    t.equal(
      codeOf(() => pair.run(check('sum', 'days', 33), null, null, run())),
      null,
    );
    for (const moment of NUMBER_MOMENTS) {
      t.equal(
        codeOf(() => pair.run(check(moment, 'seconds', 34), null, null, run())),
        9006,
        moment,
      );
    }
    t.equal(
      codeOf(() => pair.run(check('count', 'days', 33), null, groupRule(3), boundedRun(1_000))),
      9006,
    );
  },
);
