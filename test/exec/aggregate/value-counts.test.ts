/** Values of a level within groups, counted over one shard and over plain entities. */
import t from 'tap';
import { Prng, QuarryError, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import { runRound } from '../../../src/exec/aggregate/round.js';
import { QueryRun } from '../../../src/exec/query-run.js';
import type { Condition, DecidedLevel, LevelPlan, RoundPlan, ValueCounts } from '../../../src/ir/index.js';
import { compileKernels } from '../../../src/kernels/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';
import { batchOf, COLUMNS, generateChanges } from '../../storage/stored.js';
import { boundedRun } from '../bounded.js';
import { generateCondition } from '../condition/conditions.js';
import {
  countPlain,
  generateDecided,
  generateLevel,
  INTEGERS,
  type Integers,
  linesOf,
  shown,
  valueList,
  withIntegers,
} from './rounds.js';
import { KEY, ShardPair } from './shard-pair.js';

const SEED = 5_150_321;
t.comment(`seed ${SEED}`);

type ValuesPlan = RoundPlan & { readonly request: { readonly kind: 'values' } };

const planOf = (
  entities: Condition | null,
  decided: readonly DecidedLevel[],
  level: LevelPlan,
): ValuesPlan => ({ ...KEY, entities, decided, request: { kind: 'values', level, best: null } });

function countOf(pair: ShardPair, plan: RoundPlan, run: QueryRun = boundedRun()): ValueCounts {
  const partial = runRound(pair.shard, plan, pair.scratch, run);
  if (partial?.answers !== 'values') throw new Error('the round counts values');
  return partial;
}

/** null if the shard returns the same result as the plain entities. */
function differenceOf(pair: ShardPair, plan: ValuesPlan): string | null {
  const found = linesOf(countOf(pair, plan));
  const wanted = countPlain(pair.entities, plan.entities, plan.decided, plan.request.level);
  if (found.join('\n') === wanted.join('\n')) return null;
  const [more, less] = [found.filter((l) => !wanted.includes(l)), wanted.filter((l) => !found.includes(l))];
  return `found ${more.slice(0, 4)} and not ${less.slice(0, 4)}, ${found.length} lines: ${shown(plan)}`;
}

function generatePlan(prng: Prng, pair: ShardPair, textCount: number, idCount: number): ValuesPlan {
  const levels = Array.from({ length: prng.pick([0, 0, 1, 1, 2, 3]) }, () =>
    generateLevel(prng, COLUMNS, textCount),
  );
  const options = { columns: COLUMNS, idCount, textCount, depth: 1 };
  const entities = prng.chance(0.5) ? null : generateCondition(prng, options);
  const decided = generateDecided(prng, levels, pair.entities, prng.pick([3, 12, 60]));
  return planOf(entities, decided, generateLevel(prng, COLUMNS, textCount));
}

const KERNELS = [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const;

for (const [kernels, module] of KERNELS) {
  // The numbering of integers does not depend on the kernels.
  for (const integers of module === null ? (['any'] as const) : (Object.keys(INTEGERS) as Integers[])) {
    t.test(
      `${kernels} kernels: rounds over ${integers} integers return the counts of the plain entities`,
      async (t) => {
        const prng = new Prng(SEED + integers.length);
        const pair = new ShardPair(module);
        const wrong = [];
        for (let step = 0; step < 4; step++) {
          const options = { count: 110, idCount: 240, textCount: prng.pick([5, 300]), density: 0.45 };
          pair.apply(withIntegers(generateChanges(prng, COLUMNS, options), integers));
          if (step > 0) pair.delete([...pair.entities.keys()].filter(() => prng.chance(0.08)));
          for (let query = 0; query < 60; query++) {
            const difference = differenceOf(pair, generatePlan(prng, pair, options.textCount, 240));
            if (difference !== null) wrong.push(difference);
          }
        }
        t.strictSame(wrong.slice(0, 3), []);
        t.notOk(pair.holdsTemporary);
      },
    );
  }

  t.test(
    `${kernels} kernels: rounds over three segments, in which most rows have no values, return correct counts`,
    async (t) => {
      const prng = new Prng(SEED + 1);
      const pair = new ShardPair(module);
      const options = { count: 120, idCount: 240, textCount: 40, density: 0.7 };
      pair.apply(generateChanges(prng, COLUMNS, options));
      for (const part of ['a', 'b']) {
        const filler = Array.from({ length: SEGMENT_ROWS_MAX - 60 }, (_, at) => `${part}${at}`);
        const changes = filler.map((id) => ({ id, fields: [] }));
        pair.shard.apply(KEY.databaseId, batchOf(KEY.dimensionId, changes));
        pair.apply(generateChanges(prng, COLUMNS, { ...options, idCount: 500 }));
      }
      t.equal(pair.dimension.segments.length, 3);
      const wrong = [];
      for (let query = 0; query < 60; query++) {
        const plan = generatePlan(prng, pair, 40, 500);
        // The filler rows, which are not in the plain entities, have only IDs.
        if (plan.request.level.source.from === 'entity-id') continue;
        const difference = differenceOf(pair, plan);
        if (difference !== null) wrong.push(difference);
      }
      t.strictSame(wrong.slice(0, 3), []);
    },
  );
}

t.test('a thousand groups by a thousand IDs by many integers are counted correctly', async (t) => {
  const prng = new Prng(SEED + 2);
  const pair = new ShardPair(compileKernels(SIMD_KERNELS));
  const [group, value] = [COLUMNS[2], COLUMNS[7]];
  pair.apply(
    Array.from({ length: 1_200 }, (_, at) => ({
      id: `entity-${at}`,
      fields: [
        { column: group, latest: BigInt(at) * 10_000_000n },
        { column: value, list: Array.from({ length: 5 }, () => BigInt(prng.below(6_000))) },
      ],
    })),
  );
  const ids = [...pair.entities.keys()];
  const own = ids.map((_, at) => BigInt(at) * 10_000_000n);
  const decided: DecidedLevel[] = [
    {
      level: { source: { from: 'attribute', columnId: group.id, kind: 'i64' }, tests: [] },
      parents: new Uint32Array(ids.length),
      values: valueList('i64', own),
    },
    {
      level: { source: { from: 'entity-id' }, tests: [] },
      // Every third ID is listed in another ID's group, which is therefore empty.
      parents: Uint32Array.from(ids, (_, at) => (at % 3 === 0 ? (at * 7) % ids.length : at)),
      values: valueList('text', ids),
    },
  ];
  const tests = [{ kind: 'ranges', ranges: [{ low: 1_000n, high: 5_500n }], negated: false } as const];
  const source = { from: 'attribute', columnId: value.id, kind: 'i64' } as const;
  const plan = planOf(null, decided, { source, tests });
  t.ok(countOf(pair, plan).counts.length > 2_500);
  t.equal(differenceOf(pair, plan), null);
});

/** A shard with values in every column. */
function filledPair(prng: Prng): ShardPair {
  const pair = new ShardPair(compileKernels(SIMD_KERNELS));
  for (let step = 0; step < 3; step++) {
    pair.apply(generateChanges(prng, COLUMNS, { count: 150, idCount: 300, textCount: 90, density: 0.5 }));
  }
  pair.delete(['entity-1', 'entity-2', 'entity-3', 'entity-5', 'entity-8']);
  return pair;
}

t.test(
  'a round with too little memory is refused with 9006 and leaves no memory reserved in arenas',
  async (t) => {
    const prng = new Prng(SEED + 3);
    const pair = filledPair(prng);
    let refused = 0;
    let answered = 0;
    for (let query = 0; query < 300; query++) {
      const plan = generatePlan(prng, pair, 90, 300);
      const run = boundedRun(Math.floor(2 ** (prng.unit() * 23)));
      try {
        const found = linesOf(countOf(pair, plan, run));
        t.strictSame(found, countPlain(pair.entities, plan.entities, plan.decided, plan.request.level));
        answered++;
      } catch (error) {
        if (!(error instanceof QuarryError) || error.code !== 9006) throw error;
        refused++;
      }
      if (pair.holdsTemporary) t.fail(`memory is still reserved in an arena after ${shown(plan)}`);
    }
    t.ok(refused > 20, `${refused} were refused`);
    t.ok(answered > 20, `${answered} were answered`);
  },
);

t.test('a round releases all memory except the memory of its result', async (t) => {
  const prng = new Prng(SEED + 4);
  const pair = filledPair(prng);
  for (let query = 0; query < 200; query++) {
    const plan = { ...generatePlan(prng, pair, 90, 300), entities: null };
    // Memory of tests of IDs, as of any condition, stays reserved until the query ends.
    const levels = [...plan.decided.map(({ level }) => level), plan.request.level];
    if (levels.some(({ source, tests }) => source.from === 'entity-id' && tests.length > 0)) continue;
    const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
    const { values, counts, groupKeys } = countOf(pair, plan, run);
    const parts =
      values.kind === 'text'
        ? [values.offsets, values.bytes]
        : [values.kind === 'i64' ? values.words : values.points];
    const arrays = [...parts, counts, ...(groupKeys === null ? [] : [groupKeys])];
    // Whole buffers are transferred between threads.
    const bytes = arrays.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    if (run.reservedBytes !== bytes) t.equal(run.reservedBytes, bytes, shown(plan));
  }
});

t.test('a canceled round stops with 9005', async (t) => {
  const prng = new Prng(SEED + 5);
  const pair = filledPair(prng);
  const run = new QueryRun(Int32Array.of(0, 1), 1, 2 ** 30);
  for (let query = 0; query < 40; query++) {
    const plan = generatePlan(prng, pair, 90, 300);
    try {
      const { counts } = countOf(pair, plan, run);
      if (counts.length > 0) t.fail(`not stopped: ${shown(plan)}`);
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      t.equal(error.code, 9005);
    }
  }
});

t.test('-0 and 0 are the same coordinate, which is returned as 0', async (t) => {
  const pair = new ShardPair(null);
  const [latest, list, event] = [COLUMNS[4], COLUMNS[9], COLUMNS[12]];
  const points = [
    [-0, 5],
    [0, 5],
    [-0, -0],
    [0, 0],
  ] as const;
  pair.apply(
    points.map((point, at) => ({
      id: `entity-${at}`,
      fields: [
        { column: latest, latest: point },
        { column: list, list: [point, point] },
        { column: event, events: [{ seconds: 1_500_000_000, value: point }] },
      ],
    })),
  );
  const window = { from: 0, to: 2_000_000_000 };
  for (const source of [
    { from: 'attribute', columnId: latest.id, kind: 'geo' },
    { from: 'attribute', columnId: list.id, kind: 'geo' },
    { from: 'events', columnId: event.id, kind: 'geo', window },
  ] as const) {
    const { values, counts } = countOf(pair, planOf(null, [], { source, tests: [] }));
    t.strictSame(values, { kind: 'geo', points: Float64Array.of(0, 5, 0, 0) });
    t.ok(values.kind === 'geo' && values.points.every((part) => !Object.is(part, -0)));
    t.strictSame(counts, Float64Array.of(2, 2));
    const chosen: DecidedLevel = {
      level: { source, tests: [] },
      parents: Uint32Array.of(0),
      values: valueList('geo', [[-0, 5]]),
    };
    t.strictSame(countOf(pair, planOf(null, [chosen], { source, tests: [] })).counts, Float64Array.of(2));
  }
});

t.test(
  'with `best`, exactly the values above restMax are returned, and their number is about `best`',
  async (t) => {
    const prng = new Prng(SEED + 6);
    const pair = filledPair(prng);
    let shortened = 0;
    for (let query = 0; query < 150; query++) {
      const { request } = generatePlan(prng, pair, 90, 300);
      const best = prng.pick([1, 2, 5, 20]);
      const plan: RoundPlan = { ...KEY, entities: null, decided: [], request: { ...request, best } };
      const found = countOf(pair, plan);
      const all = countPlain(pair.entities, null, [], request.level);
      const countIn = (line: string): number => Number(line.split(' | ')[2]);
      const { restMax } = found;
      const retained = all.filter((line) => countIn(line) > restMax);
      if (linesOf(found).join() !== retained.join()) t.fail(`above ${restMax}: ${shown(plan)}`);
      if (restMax === 0) continue;
      shortened++;
      // At least the requested number of values reach restMax, and at most that number are above it.
      const reached = all.filter((line) => countIn(line) >= restMax);
      if (reached.length < best || retained.length > best) t.fail(`restMax is ${restMax}: ${shown(plan)}`);
    }
    t.ok(shortened > 20, `${shortened} results were shortened`);
  },
);
