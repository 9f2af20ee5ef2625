/** Groups that workers exchange as bytes and merge step by step equal the groups of all rows. */
import t from 'tap';
import { NEVER_OVER, Prng, runToEnd } from '../../src/base/index.js';
import { QueryRun } from '../../src/exec/index.js';
import { GROUP_PARTITIONS, type GroupPartial, INTEGER, type SelectPlan, TEXT } from '../../src/ir/index.js';
import {
  finishRows,
  isPartitionable,
  type OrderedGroups,
  orderedPlan,
  partitionGroups,
} from '../../src/plan/index.js';
import { toWire, valueAt, vectorOf } from '../../src/vector/index.js';
import { ExchangedGroups } from '../../src/worker/exchanged-groups.js';
import { makePlan, makeRows, SIZES, spread } from '../plan/select/generate-groups.js';
import { answerOf, inputOf, partialOf, planOf, type Row } from '../plan/select/model.js';

const SEED = 3_310;
t.comment(`seed ${SEED}`);

const BYTES = 2 ** 30;

function exchangedOf(
  plan: SelectPlan,
  partials: readonly GroupPartial[],
  run = new QueryRun(null, 0, BYTES),
): ExchangedGroups {
  const before = run.reservedBytes;
  const partitioned = partials.map((partial) => runToEnd(partitionGroups(partial, run)));
  return new ExchangedGroups(plan, partitioned, run.reservedBytes - before, run);
}

interface Steps {
  readonly step: number;
  readonly wanted: number;
  readonly bytesMax: number;
}

/** Each worker merges every nth step. */
function merged(workers: readonly ExchangedGroups[], { step, wanted, bytesMax }: Steps): OrderedGroups[] {
  for (let from = 0, turn = 0; from < GROUP_PARTITIONS; from += step, turn++) {
    const target = workers[turn % workers.length];
    const to = Math.min(GROUP_PARTITIONS, from + step);
    for (const source of workers) {
      for (let at = from; at < to; ) {
        const received = source.bytesOf(at, to, bytesMax);
        if (received.to <= at || received.to > to) throw new Error(`${received.to} after ${at}`);
        at = received.to;
        target.receive(structuredClone(received.groups));
      }
    }
    while (!target.mergeStep(wanted, () => true));
  }
  return workers.map((worker) => runToEnd(worker.first()));
}

function rowsOf(plan: SelectPlan, parts: readonly OrderedGroups[]): Row[] {
  const rowParts = parts.map(({ count, outputs, order }) => ({
    rowCount: count,
    outputs: outputs.map((vector) => toWire(vector)),
    order: order.map((vector) => toWire(vector)),
  }));
  const { columns, rowCount } = runToEnd(finishRows(orderedPlan(plan), rowParts, BYTES));
  return Array.from({ length: rowCount }, (_, row) => columns.map((column) => valueAt(column, row)));
}

t.test('all aggregates, keys and orders, with any number of workers, steps and messages', async (t) => {
  const prng = new Prng(SEED);
  let count = 0;
  for (let round = 0; round < 150; round++) {
    const plan = { ...makePlan(prng), distinct: false };
    if (!isPartitionable(plan)) continue;
    const rows = makeRows(prng.pick([0, 1, 40, 300]), prng, prng.pick(SIZES));
    const wanted = plan.limit === null ? Number.POSITIVE_INFINITY : plan.offset + plan.limit;
    const workers = spread(rows, prng.pick([1, 2, 3]), prng).map((shard) => {
      const shards = spread(shard, prng.pick([1, 2]), prng);
      return exchangedOf(
        plan,
        shards.map((own) => partialOf(plan, own, prng)),
      );
    });
    const steps = { step: prng.pick([1, 60, 256]), wanted, bytesMax: prng.pick([1, 2_000, 2 ** 20]) };
    const found = rowsOf(plan, merged(workers, steps));
    t.strictSame(found, answerOf(plan, rows), `round ${round}`);
    count += found.length;
  }
  t.ok(count > 1_000, `${count} groups`);
});

const key = inputOf(0, TEXT);
const plan = planOf({
  grouping: { keys: [key, inputOf(1, INTEGER)], perEntity: false, aggregates: [] },
  outputs: [{ name: 'k', type: TEXT, of: key }],
});
const GROUPS = 8_000;
/** Few texts, so that they are stored by code. */
const partial: GroupPartial = {
  groupCount: GROUPS,
  keys: [
    toWire(
      vectorOf(
        TEXT,
        Array.from({ length: GROUPS }, (_, group) => `${group % 50}`.padStart(200, 'x')),
      ),
    ),
    toWire(
      vectorOf(
        INTEGER,
        Array.from({ length: GROUPS }, (_, group) => BigInt(group)),
      ),
    ),
  ],
  states: [],
};

t.test('messages are about as large as requested, and all memory is released', async (t) => {
  const run = new QueryRun(null, 0, BYTES);
  const exchanged = exchangedOf(plan, [partial], run);
  t.equal(exchanged.groupCount, GROUPS);
  const before = run.reservedBytes;
  const { to, groups } = exchanged.bytesOf(0, GROUP_PARTITIONS, before / 8);
  const bytes = groups.reduce((sum, { byteLength }) => sum + byteLength, 0);
  t.ok(to > 16 && to < 64, `${to} partitions`);
  t.ok(bytes < before / 2, `${bytes} of ${before} bytes`);
  t.equal(run.reservedBytes, before);
  exchanged.receive(groups);
  t.equal(run.reservedBytes, before + bytes);
  t.ok(exchanged.mergeStep(10, NEVER_OVER));
  t.ok(run.reservedBytes < before + 10_000, 'only the first groups stay reserved');
  t.equal(runToEnd(exchanged.first()).count, 10);
});

t.test('groups without memory are refused with 9006', async (t) => {
  const run = new QueryRun(null, 0, 3_000_000);
  const exchanged = exchangedOf(plan, [partial], run);
  const { groups } = exchanged.bytesOf(0, 64, 2 ** 20);
  t.throws(
    () => {
      for (let times = 0; times < 100; times++) exchanged.receive(groups);
    },
    { code: 9006 },
  );
  t.throws(() => exchanged.mergeStep(Number.POSITIVE_INFINITY, NEVER_OVER), { code: 9006 });
});
