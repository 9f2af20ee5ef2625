/** Groups that are merged partition by partition, by several workers, equal the groups of all rows. */

import t from 'tap';
import { MemoryAccount, Prng, QuarryError, runToEnd, type Task } from '../../../src/base/index.js';
import {
  GROUP_PARTITIONS,
  type GroupPartial,
  INTEGER,
  type MergeShare,
  type SelectPlan,
  TEXT,
} from '../../../src/ir/index.js';
import {
  finishGroups,
  finishRows,
  isPartitionable,
  mergePartitions,
  type OrderedGroups,
  orderedPlan,
  partitionGroups,
  planMerge,
  sharedMerge,
} from '../../../src/plan/index.js';
import { toWire, type Value, valueAt, vectorOf } from '../../../src/vector/index.js';
import { COUNT_ROWS } from '../../support/aggregates.js';
import { makePlan, makeRows, SIZES, spread } from '../select/generate-groups.js';
import { answerOf, inputOf, partialOf, planOf, type Row } from '../select/model.js';

const SEED = 90_125;
t.comment(`seed ${SEED}`);

const BYTES = 2 ** 30;
const account = (bytes = BYTES): MemoryAccount => new MemoryAccount(bytes, () => 'no memory');

const shareOf = (
  plan: SelectPlan,
  partials: readonly { readonly groupCount: number }[],
  workerCount: number,
): MergeShare => {
  const groupCount = partials.reduce((sum, partial) => sum + partial.groupCount, 0);
  return sharedMerge(planMerge(plan, groupCount, workerCount));
};

/** Runs the tasks by turns. */
function together<T>(tasks: readonly Task<T>[]): T[] {
  const results: T[] = new Array(tasks.length);
  const open = new Map(tasks.entries());
  while (open.size > 0) {
    for (const [index, task] of open) {
      const step = task.next();
      if (step.done !== true) continue;
      results[index] = step.value;
      open.delete(index);
    }
  }
  return results;
}

interface Merged {
  readonly rows: readonly Row[];
  readonly parts: readonly OrderedGroups[];
}

/** `step` null = as planned. */
function merged(
  plan: SelectPlan,
  partials: readonly GroupPartial[],
  workerCount: number,
  step: number | null = null,
): Merged {
  const partitioned = partials.map((partial) => runToEnd(partitionGroups(partial, account())));
  const planned = shareOf(plan, partitioned, workerCount);
  const share = step === null ? planned : { ...planned, step };
  const workers = Array.from({ length: workerCount }, () =>
    mergePartitions(plan, partitioned, share, account()),
  );
  const parts = together(workers);
  const rowParts = parts.map(({ count, outputs, order }) => ({
    rowCount: count,
    outputs: outputs.map((vector) => toWire(vector)),
    order: order.map((vector) => toWire(vector)),
  }));
  const { columns, rowCount } = runToEnd(finishRows(orderedPlan(plan), rowParts, BYTES));
  const rows = Array.from({ length: rowCount }, (_, row) => columns.map((column) => valueAt(column, row)));
  return { rows, parts };
}

const text = (rows: readonly Row[]): string =>
  rows
    .map((row) => row.map((value) => `${typeof value} ${Object.is(value, -0) ? '-0' : value}`).join('|'))
    .join('\n');

t.test('all aggregates, keys and orders, with any number of shards and workers', async (t) => {
  const prng = new Prng(SEED);
  let groupCount = 0;
  for (let round = 0; round < 150; round++) {
    const plan = { ...makePlan(prng), distinct: false };
    if (!isPartitionable(plan)) continue;
    const rows = makeRows(prng.pick([0, 1, 40, 300]), prng, prng.pick(SIZES));
    const expected = text(answerOf(plan, rows));
    for (const shardCount of [1, 2, 5, 7]) {
      const partials = spread(rows, shardCount, prng).map((shard) => partialOf(plan, shard, prng));
      const workerCount = prng.pick([1, 3]);
      const { rows: found, parts } = merged(plan, partials, workerCount, prng.pick([null, 60]));
      if (text(found) !== expected) {
        t.equal(text(found), expected, `round ${round}, ${shardCount} shards, ${workerCount} workers`);
        return;
      }
      groupCount += parts.reduce((sum, { count }) => sum + count, 0);
    }
  }
  t.ok(groupCount > 2_000, `${groupCount} groups`);
});

const KEYS = [TEXT, TEXT, INTEGER] as const;

/** A partial of all combinations; texts of the first key repeat, those of the second do not. */
function manyGroups(shard: number, count: number): GroupPartial {
  const first = Array.from({ length: count }, (_, group) => `t${(group * 7 + shard) % 50}`);
  const second = Array.from({ length: count }, (_, group): Value => (group % 11 === 3 ? null : `u${group}`));
  const third = Array.from({ length: count }, (_, group) => BigInt(group % 3));
  return {
    groupCount: count,
    keys: [first, second, third].map((values, key) => toWire(vectorOf(KEYS[key], values))),
    states: [{ holds: 'count', counts: Float64Array.from({ length: count }, (_, group) => (group % 5) + 1) }],
  };
}

function planOfMany(more: Partial<SelectPlan>): SelectPlan {
  const keys = KEYS.map((type, input) => inputOf(input, type));
  const outputs = [...keys, inputOf(3, INTEGER)].map((of, index) => ({
    name: `c${index}`,
    type: of.type,
    of,
  }));
  return planOf({ grouping: { keys, perEntity: false, aggregates: [COUNT_ROWS] }, outputs, ...more });
}

t.test('groups whose rows are equal are COUNT_ROWS, and not ordered', async (t) => {
  const none: SelectPlan['outputs'] = [
    { name: 'c', type: TEXT, of: { op: 'constant', type: TEXT, value: null } },
  ];
  const partials = [0, 1, 2].map((shard) => manyGroups(shard, 20_000));
  const groupCount = merged(planOfMany({}), partials, 2).rows.length;
  const order = [{ of: inputOf(3, INTEGER), descending: true }];
  for (const [plan, count] of [
    [planOfMany({ outputs: [] }), groupCount],
    [planOfMany({ outputs: none, order }), groupCount],
    [planOfMany({ outputs: [], offset: 100, limit: 70_000 }), Math.min(groupCount - 100, 70_000)],
    [planOfMany({ outputs: none, offset: 3, limit: 20 }), 20],
  ] as const) {
    const { rows, parts } = merged(plan, partials, 2);
    t.equal(rows.length, count);
    t.ok(
      parts.every((part) => part.order.length === 0),
      'no keys',
    );
    t.equal(runToEnd(finishGroups(plan, partials, BYTES)).rowCount, count, 'on one thread');
  }
});

t.test('with a small limit, a worker has few groups at a time', async (t) => {
  const partials = [0, 1, 2].map((shard) => manyGroups(shard, 60_000));
  const order = [{ of: inputOf(3, INTEGER), descending: true }];
  const limited = merged(planOfMany({ order, offset: 3, limit: 20 }), partials, 2);
  for (const { count } of limited.parts) t.equal(count, 23);
  const all = merged(planOfMany({ order }), partials, 2);
  t.equal(text(limited.rows), text(all.rows.slice(3, 23)));
  t.equal(
    all.parts.reduce((sum, { count }) => sum + count, 0),
    all.rows.length,
    'every group is on exactly one worker',
  );
  const total = all.rows.reduce((sum, row) => sum + Number(row[3]), 0);
  t.equal(total, 3 * 60_000 * 3);
});

t.test('skewed keys are in few partitions, and no group is lost', async (t) => {
  const skewed = Array.from(
    { length: 4 },
    (_, shard): GroupPartial => ({
      ...manyGroups(shard, 3),
      keys: manyGroups(0, 3).keys,
    }),
  );
  const { rows } = merged(planOfMany({}), skewed, 3, 1);
  t.strictSame(
    rows.map((row) => Number(row[3])),
    [4, 12, 8],
  );
});

t.test(
  'memory that is too small is refused with 9006, and none stays reserved for temporary data',
  async (t) => {
    const partial = manyGroups(0, 20_000);
    const memory = account();
    const partitioned = runToEnd(partitionGroups(partial, memory));
    t.equal(partitioned.starts[GROUP_PARTITIONS], 20_000);
    const bytes = [...partitioned.keys, ...partitioned.states]
      .flatMap((column) => Object.values(column))
      .filter((value) => ArrayBuffer.isView(value))
      .reduce((sum, { byteLength }) => sum + byteLength, 0);
    t.equal(memory.reservedBytes, bytes);
    t.throws(() => runToEnd(partitionGroups(partial, account(100_000))), new QuarryError(9006, 'no memory'));
    const plan = planOfMany({});
    const merge = mergePartitions(plan, [partitioned], shareOf(plan, [partitioned], 1), account(50_000));
    t.throws(() => runToEnd(merge), { code: 9006 });
  },
);
