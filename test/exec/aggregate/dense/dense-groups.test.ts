/** Dense tables return the same groups as row-by-row grouping, for both sets of kernels and any mix of shards. */

import t from 'tap';
import { Prng, type QuarryError, runToEnd, SEGMENT_ROWS_MAX } from '../../../../src/base/index.js';
import { DenseGroups } from '../../../../src/exec/aggregate/dense/dense-groups.js';
import type { DenseOptions } from '../../../../src/exec/aggregate/dense/dense-table.js';
import {
  DEFAULT_GROUP_OPTIONS,
  type GroupOptions,
  groupShard,
} from '../../../../src/exec/aggregate/groups/group.js';
import { allocateFresh } from '../../../../src/exec/aggregate/groups/text-partitions.js';
import { QueryMemories, QueryRun } from '../../../../src/exec/index.js';
import { ShardOperatorStats } from '../../../../src/exec/scan/operator-stats.js';
import { ShardRows } from '../../../../src/exec/scan/shard-rows.js';
import type { Aggregate, Expression, GroupPartial, SelectPlan } from '../../../../src/ir/index.js';
import { ARENA_RESERVED_BYTES } from '../../../../src/kernels/index.js';
import { finishGroups, type Table } from '../../../../src/plan/index.js';
import { Arena, type Shard } from '../../../../src/storage/index.js';
import { fromWire, valueAt } from '../../../../src/vector/index.js';
import { KEY } from '../../../storage/shard-model.js';
import { COLUMNS, type Field } from '../../../storage/stored.js';
import { COUNT_ROWS } from '../../../support/aggregates.js';
import { generateCondition } from '../../condition/conditions.js';
import { MODULES } from '../../extract/extract-plans.js';
import {
  Extraction,
  type GenerateOptions,
  generateEntities,
  generateValue,
} from '../../extract/extraction.js';
import { columnOf, ID_INPUT, INTEGER, inputAt, inputOf, PLAIN, shown } from '../../scan/select-rows.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);
t.setTimeout(180_000);

/** Booleans, dates, numbers, texts. */
const INPUTS = [1, 2, 3, 4].map((id) => inputOf(columnOf(id)));
const SHARED = { ...PLAIN, inputs: INPUTS };
const [DATE, NUMBER] = [1, 2];

const ATTRIBUTES = COLUMNS.filter(({ form, kind }) => form === 'latest' && kind !== 'geo');

/** How slots are found. */
const WAYS: Record<string, DenseOptions> = {
  computed: {},
  hashed: { directSlotsMax: 0 },
  partitioned: { directSlotsMax: 0, cachedBytes: 0 },
};

const unbounded = (): QueryRun => new QueryRun(null, 0, Number.POSITIVE_INFINITY);
const noStats = (): ShardOperatorStats => new ShardOperatorStats(0, false);

const generateConstant = (prng: Prng): Expression => ({
  op: 'constant',
  type: INTEGER,
  value: BigInt(prng.between(-100, 100)),
});

/** An expression that kernels compute unless its values are too large. Products of `wide` values have too many digits. */
function generateInteger(prng: Prng, depth: number, wide: boolean): Expression {
  if (depth === 0 || prng.chance(0.3)) {
    return prng.chance(0.6) ? inputAt(SHARED, NUMBER) : generateConstant(prng);
  }
  const operator = prng.pick(['+', '-', '*'] as const);
  const left = generateInteger(prng, depth - 1, wide);
  const right = wide && operator === '*' ? generateConstant(prng) : generateInteger(prng, depth - 1, wide);
  return { op: 'arithmetic', type: INTEGER, operator, left, right };
}

function generateAggregate(prng: Prng, wide: boolean): Aggregate {
  const common = { distinct: false, feed: 'rows', fraction: null } as const;
  const number = prng.chance(0.5) ? inputAt(SHARED, NUMBER) : generateInteger(prng, prng.between(1, 3), wide);
  switch (prng.below(7)) {
    case 0:
      return { ...common, function: 'count', of: null, type: INTEGER };
    case 1:
      return { ...common, function: 'count', of: inputAt(SHARED, prng.below(4)), type: INTEGER };
    case 2: {
      const of = prng.chance(0.5) ? inputAt(SHARED, DATE) : number;
      return { ...common, function: prng.pick(['min', 'max'] as const), of, type: of.type };
    }
    case 3: {
      const of = prng.chance(0.5) ? inputAt(SHARED, DATE) : number;
      return { ...common, function: 'count', distinct: true, of, type: INTEGER };
    }
    case 4: {
      const fraction = prng.pick([0, 0.25, 0.5, 0.95, 1]);
      return { ...common, function: 'percentile', fraction, of: number, type: { type: 'float' } };
    }
    case 5:
      return { ...common, function: 'stddev', of: number, type: { type: 'float' } };
    default: {
      const name = prng.pick(['sum', 'avg'] as const);
      return {
        ...common,
        function: name,
        of: number,
        type: name === 'sum' ? number.type : { type: 'float' },
      };
    }
  }
}

function generatePlan(prng: Prng, idCount: number, wide: boolean): SelectPlan {
  const keys = Array.from({ length: prng.below(4) }, () => inputAt(SHARED, prng.pick([0, 1, 2, 3])));
  const aggregates = Array.from({ length: prng.between(1, 5) }, () => generateAggregate(prng, wide));
  const condition = prng.chance(0.6)
    ? generateCondition(prng, { columns: COLUMNS, idCount, textCount: 30, depth: 2 })
    : null;
  const results = [...keys, ...aggregates].map(({ type }, input) => ({
    name: String(input),
    type,
    of: { op: 'input', type, input } as const,
  }));
  return { ...SHARED, condition, grouping: { keys, perEntity: false, aggregates }, outputs: results };
}

function densely(
  shard: Shard,
  plan: SelectPlan,
  scratch: Arena,
  memories: QueryMemories,
  run = unbounded(),
  options: DenseOptions = {},
): GroupPartial | null {
  const dimension = shard.find(KEY);
  if (dimension === undefined) return null;
  const dense = DenseGroups.of(
    { dimension, plan, scratch, memories, allocator: allocateFresh, options },
    run,
    noStats(),
  );
  if (dense === null) return null;
  try {
    return runToEnd(dense.groups());
  } finally {
    dense.release();
  }
}

function byRows(shard: Shard, plan: SelectPlan, scratch: Arena): GroupPartial {
  const [partial] = byBatches(shard, plan, scratch);
  return partial;
}

/** The groups of batches, in dense tables where `options` has memories for them. */
function byBatches(
  shard: Shard,
  plan: SelectPlan,
  scratch: Arena,
  options: Partial<GroupOptions> = {},
  run = unbounded(),
): GroupPartial[] {
  const dimension = shard.find(KEY);
  if (dimension === undefined) throw new Error('the shard is empty');
  const rows = new ShardRows(dimension, plan, [], scratch, run, noStats());
  const partials = runToEnd(groupShard(rows, plan, run, noStats(), { ...DEFAULT_GROUP_OPTIONS, ...options }));
  rows.release();
  return partials;
}

function rowsOf({ columns, rowCount }: Table): string[] {
  return Array.from({ length: rowCount }, (_, row) => shown(columns.map((column) => valueAt(column, row))));
}

const answer = (plan: SelectPlan, partials: readonly GroupPartial[]): string[] =>
  rowsOf(runToEnd(finishGroups(plan, partials, Number.POSITIVE_INFINITY)));

for (const [kernels, module] of MODULES) {
  for (const wide of [false, true]) {
    t.test(
      `${kernels} kernels, ${wide ? '64-bit' : 'narrow'} values: results equal row-by-row grouping`,
      async (t) => {
        const prng = new Prng(SEED + (wide ? 1 : 0));
        const options: GenerateOptions = { idCount: 400, wide, density: prng.pick([0.4, 0.8, 1]) };
        const extraction = new Extraction(module, 3, { compactionDeadMin: 1_000 });
        const scratch = new Arena(module);
        const memories = new QueryMemories(module);
        const wrong: string[] = [];
        let [dense, mixed] = [0, 0];
        for (let round = 0; round < 4; round++) {
          extraction.insert(generateEntities(prng, 300, options));
          if (round > 1) extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.1)));
          for (let requested = 0; requested < 30; requested++) {
            const plan = generatePlan(prng, 400, wide);
            const rows = extraction.shards.map((shard) => byRows(shard, plan, scratch));
            const way = WAYS[prng.pick(Object.keys(WAYS))];
            const found = extraction.shards.map((shard) =>
              densely(shard, plan, scratch, memories, unbounded(), way),
            );
            dense += found.filter((partial) => partial !== null).length;
            // Shards may use different algorithms.
            const partials = found.map((partial, shard) =>
              partial === null || prng.chance(0.2) ? rows[shard] : partial,
            );
            if (
              partials.some((partial) => rows.includes(partial)) &&
              partials.some((partial) => !rows.includes(partial))
            )
              mixed++;
            const [got, wanted] = [answer(plan, partials), answer(plan, rows)];
            if (shown(got) !== shown(wanted)) {
              wrong.push(`${shown(plan)}\n  returns ${shown(got)}\n  instead of ${shown(wanted)}`);
            }
          }
        }
        t.strictSame(wrong.slice(0, 2), [], `${wrong.length} differ`);
        t.ok(dense > 20, `${dense} of 360 shards were grouped by dense tables`);
        t.ok(mixed > 2, `${mixed} of 120 results combine both kinds of shards`);
      },
    );
  }
}

/** Replaces integers by computed ones, and some texts by computed ones, so that no column can be used as it is stored. */
function computed(prng: Prng, plan: SelectPlan): SelectPlan {
  const { grouping } = plan;
  if (grouping === null) return plan;
  const over = (expression: Expression): Expression => {
    const { type } = expression;
    const constant = (value: number): Expression => ({ op: 'constant', type, value: BigInt(value) });
    if (type.type === 'text') {
      return prng.chance(0.5)
        ? expression
        : { op: 'call', type, name: 'reverse', args: [expression], unit: null };
    }
    if (type.type === 'boolean') return { op: 'not', type, member: expression };
    if (type.type !== 'integer') return expression;
    const operator = prng.pick(['+', '-'] as const);
    const right = prng.chance(0.5) ? expression : constant(prng.between(-3, 3));
    return prng.pick([
      expression,
      { op: 'arithmetic', type, operator, left: expression, right },
      { op: 'arithmetic', type, operator: '*', left: expression, right: constant(2 ** prng.between(0, 31)) },
    ]);
  };
  const aggregates = grouping.aggregates.map((aggregate) =>
    aggregate.of === null ? aggregate : { ...aggregate, of: over(aggregate.of) },
  );
  return { ...plan, grouping: { ...grouping, keys: grouping.keys.map(over), aggregates } };
}

for (const [kernels, module] of MODULES) {
  for (const wide of [false, true]) {
    t.test(`${kernels} kernels, ${wide ? '64-bit' : 'narrow'} values: batches of expressions`, async (t) => {
      const prng = new Prng(SEED + (wide ? 1 : 0));
      const options: GenerateOptions = { idCount: 1e9, wide, density: prng.pick([0.4, 0.8, 1]) };
      const extraction = new Extraction(module, 2, { compactionDeadMin: 1_000 });
      const scratch = new Arena(module);
      const memories = new QueryMemories(module);
      for (let from = 0; from < 6; from++) {
        // Values are narrow and present at first, so that later batches do not fit the first table.
        extraction.insert(
          generateEntities(prng, 5_000, from < 4 ? { ...options, wide: false, density: 1 } : options),
        );
      }
      const wrong: string[] = [];
      const partialCounts = new Set<number>();
      for (let requested = 0; requested < 12; requested++) {
        const plan = computed(prng, generatePlan(prng, 400, true));
        const rows = extraction.shards.map((shard) => byRows(shard, plan, scratch));
        const dense = WAYS[prng.pick(Object.keys(WAYS))];
        const run = unbounded();
        const found = extraction.shards.map((shard) =>
          byBatches(shard, plan, scratch, { memories, dense }, run),
        );
        for (const partials of found) partialCounts.add(partials.length);
        const [got, wanted] = [answer(plan, found.flat()), answer(plan, rows)];
        if (shown(got) !== shown(wanted)) {
          wrong.push(
            `${shown(plan)}\n  returns ${shown(got)}\n  instead of ${shown(wanted)}`.slice(0, 2_000),
          );
        }
      }
      t.strictSame(wrong.slice(0, 2), [], `${wrong.length} differ`);
      if (wide)
        t.ok(partialCounts.has(2), `shards return ${[...partialCounts].join(' or ')} partial results`);
    });
  }
}

t.test('several segments and blocks are summed, and memory is released and reused', async (t) => {
  const extraction = new Extraction(MODULES[0][1], 1);
  const values = new Prng(SEED);
  for (let from = 0; from < SEGMENT_ROWS_MAX + 6_000; from += 5_000) {
    extraction.insert(
      Array.from({ length: 5_000 }, (_, at) => ({
        id: `e${from + at}`,
        fields: ATTRIBUTES.filter(() => values.chance(0.9)).map((column) => ({
          column,
          latest: generateValue(values, column, false),
        })),
      })),
    );
  }
  const [shard] = extraction.shards;
  const scratch = new Arena(MODULES[0][1]);
  const memories = new QueryMemories(MODULES[0][1]);
  const prng = new Prng(SEED);
  for (let requested = 0; requested < 8; requested++) {
    const plan = generatePlan(prng, 400, false);
    const wanted = shown(answer(plan, [byRows(shard, plan, scratch)]));
    for (const [way, options] of Object.entries(WAYS)) {
      const run = unbounded();
      const partial = densely(shard, plan, scratch, memories, run, options);
      if (partial === null) continue;
      t.equal(shown(answer(plan, [partial])), wanted, way);
      const stateBytes = run.reservedBytes;
      densely(shard, plan, scratch, memories, run, options);
      t.equal(run.reservedBytes, 2 * stateBytes, 'only the memory of the groups stays reserved');
    }
  }
});

/** Keys that spread badly over the entries of some hash tables. */
const KEYS: Record<string, (prng: Prng, row: number) => bigint> = {
  sequential: (_, row) => BigInt(row) - 9_000n,
  'powers of two': (_, row) => BigInt(row) << 24n,
  'multiples of the multiplier': (_, row) => BigInt(row % 1_000) * 0x9e3779b1n,
  'half of them equal': (prng, row) => (row % 2 === 0 ? 7n : BigInt(prng.u32()) - 2n ** 31n),
  few: (prng) => BigInt(prng.below(3)) * 2n ** 40n,
  'of 52 bits': (prng) => BigInt(prng.u32()) * 2n ** 20n + BigInt(prng.below(2 ** 20)),
  'of 63 bits': (prng) => BigInt(prng.below(2 ** 31)) * 2n ** 31n - 2n ** 61n + BigInt(prng.below(3)),
  'small, and a few beyond 53 bits': (prng, row) =>
    row % 5_000 === 4_321
      ? (prng.chance(0.5) ? -1n : 1n) * (2n ** 62n + BigInt(row))
      : BigInt(row % 999) - 500n,
  'around the ends of 53 bits': (prng) =>
    (prng.chance(0.5) ? -1n : 1n) * (2n ** 53n + BigInt(prng.between(-3, 3))),
  'around the ends of 64 bits': (prng) =>
    prng.chance(0.5) ? -(2n ** 63n) + BigInt(prng.below(9)) : 2n ** 63n - 1n - BigInt(prng.below(9)),
};

for (const [name, keyAt] of Object.entries(KEYS)) {
  t.test(`many integers as keys are grouped exactly: ${name}`, async (t) => {
    const prng = new Prng(SEED);
    const shardCount = prng.pick([1, 2, 7]);
    const extraction = new Extraction(MODULES[0][1], shardCount);
    const [date, number] = [columnOf(2), columnOf(3)];
    const counts = new Map<string, { rows: number; sum: number }>();
    const keysOfDay = Array.from({ length: 100 }, () => new Set<bigint>());
    const missing = prng.pick([0, 0.02]);
    for (let from = 0; from < 20_000; from += 5_000) {
      extraction.insert(
        Array.from({ length: 5_000 }, (_, at) => {
          const [key, day] = [prng.chance(missing) ? null : keyAt(prng, from + at), prng.below(100)];
          if (key !== null) keysOfDay[day].add(key);
          const known = counts.get(String(key)) ?? { rows: 0, sum: 0 };
          counts.set(String(key), { rows: known.rows + 1, sum: known.sum + day });
          const fields: Field[] = [{ column: date, latest: BigInt(day) }];
          return {
            id: `e${from + at}`,
            fields: key === null ? fields : [...fields, { column: number, latest: key }],
          };
        }),
      );
    }
    const common = { distinct: false, feed: 'rows', fraction: null } as const;
    const day = inputAt(SHARED, DATE);
    const aggregates: Aggregate[] = [
      { ...common, function: 'count', of: null, type: INTEGER },
      { ...common, function: 'sum', of: day, type: INTEGER },
    ];
    const keys = [inputAt(SHARED, NUMBER)];
    const outputs = [...keys, ...aggregates].map(({ type }, input) => ({
      name: String(input),
      type,
      of: { op: 'input', type, input } as const,
    }));
    const plan = { ...SHARED, grouping: { keys, perEntity: false, aggregates }, outputs };
    const wanted = shown([...counts].map(([key, { rows, sum }]) => shown([key, rows, sum])).sort());
    for (const [kernels, module] of MODULES) {
      const scratch = new Arena(module);
      const memories = new QueryMemories(module);
      for (const [way, options] of Object.entries(WAYS)) {
        const partials = extraction.shards.map((shard) =>
          densely(shard, plan, scratch, memories, unbounded(), options),
        );
        const table = runToEnd(finishGroups(plan, partials as GroupPartial[], Number.POSITIVE_INFINITY));
        const rows = Array.from({ length: table.rowCount }, (_, row) => {
          const [key, count, sum] = table.columns.map((column) => valueAt(column, row));
          return shown([String(key), Number(count), Number(sum)]);
        });
        t.ok(shown(rows.sort()) === wanted, `${kernels} kernels, ${way} slots, ${shardCount} shards`);
        for (const days of [[], [day]]) {
          const distinct = distinctPlan(days);
          const found = extraction.shards.map(
            (shard) =>
              densely(shard, distinct, scratch, memories, unbounded(), options) ??
              byRows(shard, distinct, scratch),
          );
          const expected =
            days.length === 0
              ? [shown([BigInt(new Set(keysOfDay.flatMap((set) => [...set])).size)])]
              : keysOfDay.map((set, at) => shown([BigInt(at), BigInt(set.size)]));
          t.ok(
            shown(answer(distinct, found)) === shown(expected),
            `${kernels} kernels, ${way} slots, ${shardCount} shards: distinct values in ${expected.length} groups`,
          );
        }
      }
    }
  });
}

/** Distinct numbers by the given keys. */
function distinctPlan(keys: readonly Expression[]): SelectPlan {
  const of = inputAt(SHARED, NUMBER);
  const aggregates: Aggregate[] = [
    { distinct: true, feed: 'rows', fraction: null, function: 'count', of, type: INTEGER },
  ];
  const outputs = [...keys, ...aggregates].map(({ type }, input) => ({
    name: String(input),
    type,
    of: { op: 'input', type, input } as const,
  }));
  return { ...SHARED, grouping: { keys, perEntity: false, aggregates }, outputs };
}

t.test(
  'a query without memory for the groups of its batches is refused, and releases its memory',
  async (t) => {
    const extraction = new Extraction(MODULES[0][1], 1);
    extraction.insert(generateEntities(new Prng(SEED), 5_000, { idCount: 1e9, wide: true, density: 1 }));
    const keys = [NUMBER, DATE].map((input): Expression => {
      const key = inputAt(SHARED, input);
      return { op: 'coalesce', type: key.type, members: [key] };
    });
    const plan = { ...SHARED, grouping: { keys, perEntity: false, aggregates: [] } };
    const memories = new QueryMemories(MODULES[0][1]);
    const scratch = new Arena(MODULES[0][1]);
    const refused = new Set<number>();
    for (let bytes = 2 ** 14; bytes < 2 ** 24; bytes *= 1.5) {
      const run = new QueryRun(null, 0, bytes);
      try {
        byBatches(extraction.shards[0], plan, scratch, { memories }, run);
      } catch (error) {
        refused.add((error as QuarryError).code);
        t.equal(run.reservedBytes, 0, `of ${Math.round(bytes)} bytes`);
      }
    }
    t.strictSame([...refused], [9006]);
  },
);

t.test('a query without memory for dense tables is grouped row by row', async (t) => {
  const extraction = new Extraction(null, 1);
  extraction.insert(generateEntities(new Prng(SEED), 300, { idCount: 400, wide: false, density: 0.9 }));
  const grouping = { keys: [inputAt(SHARED, 3)], perEntity: false, aggregates: [COUNT_ROWS] };
  const small = new QueryRun(null, 0, 10_000);
  const memories = new QueryMemories(null);
  t.equal(densely(extraction.shards[0], { ...SHARED, grouping }, new Arena(null), memories, small), null);
  t.equal(small.reservedBytes, 0);
});

t.test('a cast that changes nothing is computed like the column', async (t) => {
  for (const [kernels, module] of MODULES) {
    const extraction = new Extraction(module, 1);
    extraction.insert(generateEntities(new Prng(SEED), 900, { idCount: 1e9, wide: false, density: 0.8 }));
    const number = inputAt(SHARED, NUMBER);
    const of: Expression = { op: 'cast', type: number.type, of: number, lenient: false };
    const common = { distinct: false, feed: 'rows', fraction: null } as const;
    const aggregates: Aggregate[] = [
      { ...common, function: 'sum', of, type: number.type },
      { ...common, function: 'max', of, type: number.type },
      { ...common, function: 'sum', of: number, type: number.type },
    ];
    const grouping = { keys: [inputAt(SHARED, 0)], perEntity: false, aggregates };
    const plan: SelectPlan = {
      ...SHARED,
      grouping,
      outputs: [...grouping.keys, ...aggregates].map(({ type }, input) => {
        return { name: `c${input}`, type, of: { op: 'input', type, input } };
      }),
    };
    const [shard] = extraction.shards;
    const scratch = new Arena(module);
    const partial = densely(shard, plan, scratch, new QueryMemories(module));
    t.not(partial, null, kernels);
    if (partial === null) continue;
    t.equal(shown(answer(plan, [partial])), shown(answer(plan, [byRows(shard, plan, scratch)])), kernels);
  }
});

t.test('an operand that is computed takes no memory that it does not have', async (t) => {
  const [, module] = MODULES[MODULES.length - 1];
  const extraction = new Extraction(module, 1);
  extraction.insert(generateEntities(new Prng(SEED), 300, { idCount: 400, wide: false, density: 1 }));
  const left = inputAt(SHARED, NUMBER);
  const of: Expression = {
    op: 'arithmetic',
    type: INTEGER,
    operator: '*',
    left,
    right: generateConstant(new Prng(1)),
  };
  const sum: Aggregate = {
    function: 'sum',
    of,
    distinct: false,
    feed: 'rows',
    fraction: null,
    type: INTEGER,
  };
  const plan = { ...SHARED, grouping: { keys: [], perEntity: false, aggregates: [sum] } };
  const memories = new QueryMemories(module);
  const reserved = (): Buffer => {
    const memory = memories.acquire();
    const bytes = Buffer.from(memory.u8.subarray(0, ARENA_RESERVED_BYTES));
    memories.release(memory, unbounded());
    return bytes;
  };
  const before = reserved();
  const outcomes = new Set<string>();
  for (let bytes = 10_000; bytes < 2 ** 22; bytes *= 1.3) {
    const partial = densely(
      extraction.shards[0],
      plan,
      new Arena(module),
      memories,
      new QueryRun(null, 0, bytes),
    );
    outcomes.add(partial === null ? 'too little' : 'enough');
    t.ok(reserved().equals(before), `${Math.round(bytes)} bytes: the memory of the kernels is untouched`);
  }
  t.equal(outcomes.size, 2);
});

t.test(
  'dense tables are not used for keys that are not stored values, and for unsupported aggregates',
  async (t) => {
    const extraction = new Extraction(null, 1);
    extraction.insert(generateEntities(new Prng(SEED), 300, { idCount: 400, wide: true, density: 0.9 }));
    const inputs = [...INPUTS, ID_INPUT];
    const plan = { ...PLAIN, inputs };
    const [boolean, , number, text, id] = inputs.map((_, input) => inputAt(plan, input));
    const goes = (
      grouping: Partial<NonNullable<SelectPlan['grouping']>>,
      more: Partial<SelectPlan> = {},
    ): boolean => {
      const whole = { keys: [text], perEntity: false, aggregates: [COUNT_ROWS], ...grouping };
      const memories = new QueryMemories(null);
      return (
        densely(extraction.shards[0], { ...plan, grouping: whole, ...more }, new Arena(null), memories) !==
        null
      );
    };
    t.equal(goes({}), true);
    t.equal(goes({ keys: [] }), true, 'one group');
    t.equal(goes({ keys: [id] }), false, 'entity IDs');
    t.equal(goes({ keys: [number] }), true, 'a range beyond 53 bits');
    t.equal(goes({ perEntity: true }), false);
    t.equal(goes({ aggregates: [{ ...COUNT_ROWS, of: text, distinct: true }] }), false, 'distinct texts');
    t.equal(goes({ aggregates: [{ ...COUNT_ROWS, function: 'max', of: text, type: text.type }] }), false);
    t.equal(goes({ aggregates: [{ ...COUNT_ROWS, feed: 'entities' }] }), false);
    t.equal(goes({ aggregates: [{ ...COUNT_ROWS, function: 'sum', of: number, type: number.type }] }), true);
    t.equal(
      goes({ aggregates: [{ ...COUNT_ROWS, function: 'stddev', of: number }] }),
      false,
      'squares of eight bytes',
    );
    t.equal(goes({}, { filter: { op: 'is-null', type: boolean.type, of: id, negated: true } }), false);
    t.equal(
      fromWire(
        densely(
          extraction.shards[0],
          { ...plan, grouping: { keys: [text], perEntity: false, aggregates: [COUNT_ROWS] } },
          new Arena(null),
          new QueryMemories(null),
        )!.keys[0],
      ).kind,
      'text',
    );
  },
);
