import t from 'tap';
import { Prng, QuarryError, runToEnd } from '../../../src/base/index.js';
import { FLOAT, INTEGER, type SelectPlan, TEXT } from '../../../src/ir/index.js';
import { finishRows, RowMerge, type RowPart } from '../../../src/plan/select/row-merge.js';
import type { Table } from '../../../src/plan/select/table.js';
import { type SqlType, toWire, type Value, valueAt, vectorOf } from '../../../src/vector/index.js';
import { compareValues, inputOf, planOf, type Row } from './model.js';

const SEED = 662_607;
t.comment(`seed ${SEED}`);

const BYTES = 2 ** 28;

/** Order keys first; the last output identifies the row. */
const TYPES: readonly SqlType[] = [INTEGER, TEXT, FLOAT, { type: 'boolean' }, INTEGER];

function makeRow(prng: Prng, name: number, wide: boolean): Row {
  const missing = (value: Value): Value => (prng.chance(0.2) ? null : value);
  const integer = BigInt(prng.between(-3, 3)) * (wide && prng.chance(0.3) ? 2n ** 60n : 1n);
  return [
    missing(integer),
    missing(prng.pick(['', 'a', 'ä', 'zz', '😀', '\uffff'])),
    missing(prng.pick([0, -0, 0.5, -1e300])),
    missing(prng.chance(0.5)),
    BigInt(name),
  ];
}

function makePlan(prng: Prng, ordered: boolean): SelectPlan {
  const inputs = TYPES.map((type, input) => inputOf(input, type));
  const order = ordered ? inputs.slice(0, 4).filter(() => prng.chance(0.5)) : [];
  if (ordered && order.length === 0) order.push(inputs[0]);
  return planOf({
    outputs: inputs.map((of, index) => ({ name: `c${index}`, type: of.type, of })),
    order: order.map((of) => ({ of, descending: prng.chance(0.5) })),
    offset: prng.pick([0, 0, 1, 17]),
    limit: prng.pick([null, null, 0, 1, 40, 10_000]),
  });
}

const inputIn = ({ order }: SelectPlan): number[] =>
  order.map(({ of }) => (of.op === 'input' ? of.input : -1));

function compareIn(plan: SelectPlan): (a: Row, b: Row) => number {
  const inputs = inputIn(plan);
  return (a, b) => {
    for (const [index, input] of inputs.entries()) {
      const order = compareValues(a[input], b[input], plan.order[index].descending);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function partOf(plan: SelectPlan, rows: readonly Row[]): RowPart {
  const column = (input: number) =>
    toWire(
      vectorOf(
        TYPES[input],
        rows.map((row) => row[input]),
      ),
    );
  return {
    rowCount: rows.length,
    outputs: TYPES.map((_, input) => column(input)),
    order: inputIn(plan).map(column),
  };
}

const rowsOf = ({ columns, rowCount }: Table): Row[] =>
  Array.from({ length: rowCount }, (_, row) => columns.map((column) => valueAt(column, row)));

/** Rows of each worker in the plan's order, in parts of random sizes. */
function makeWorkers(plan: SelectPlan, prng: Prng): { workers: Row[][][]; rows: Row[] } {
  const wide = prng.chance(0.5);
  let name = 0;
  const workers = Array.from({ length: prng.between(1, 5) }, () => {
    const made = Array.from({ length: prng.pick([0, 1, 5, 200, 900]) }, () => makeRow(prng, name++, wide));
    made.sort(compareIn(plan));
    const parts: Row[][] = [];
    for (let from = 0; from < made.length; ) {
      const to = from + prng.pick([0, 1, 3, 50, 400]);
      parts.push(made.slice(from, to));
      from = to;
    }
    return parts;
  });
  const rows = workers.flat(2).sort(compareIn(plan));
  return { workers, rows };
}

const limited = ({ offset, limit }: SelectPlan, rows: readonly Row[]): Row[] =>
  rows.slice(offset, limit === null ? undefined : offset + limit);

t.test('ordered parts of several workers are merged as they arrive', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 150; round++) {
    const plan = makePlan(prng, true);
    const { workers, rows } = makeWorkers(plan, prng);
    const merge = new RowMerge(plan, workers.length, BYTES);
    const found: Row[] = [];
    const takeAll = (): void => {
      for (let table = merge.take(); table !== null; table = merge.take()) {
        if (table.rowCount === 0) t.fail('a table has rows');
        found.push(...rowsOf(table));
      }
    };
    const left = workers.map((parts) => [...parts]);
    for (let turn = 0; !merge.done && turn < 20_000; turn++) {
      // A missing worker, or any worker.
      const open = left.flatMap((parts, worker) => (parts.length > 0 ? [worker] : []));
      const worker =
        prng.chance(0.7) && merge.missing.length > 0 ? prng.pick(merge.missing) : prng.pick(open);
      const part = worker === undefined ? undefined : left[worker].shift();
      if (part !== undefined) merge.push(worker, partOf(plan, part));
      else if (worker !== undefined) merge.end(worker);
      else for (const missing of merge.missing) merge.end(missing);
      takeAll();
    }
    t.ok(merge.done, `round ${round} ends`);
    t.strictSame(merge.missing, []);
    t.strictSame(found, limited(plan, rows), `round ${round}`);
  }
});

t.test('no row is returned before it is certain that no worker has an earlier one', async (t) => {
  const of = inputOf(0, INTEGER);
  const plan = planOf({
    outputs: TYPES.map((type, input) => ({ name: `c${input}`, type, of: inputOf(input, type) })),
    order: [{ of, descending: false }],
  });
  const row = (value: bigint): Row => [value, null, null, null, value];
  const part = (...values: bigint[]): RowPart => partOf(plan, values.map(row));
  const merge = new RowMerge(plan, 2, BYTES);
  const taken = (): Value[] => {
    const table = merge.take();
    return table === null ? [] : rowsOf(table).map(([value]) => value);
  };
  t.strictSame(merge.missing, [0, 1]);
  merge.push(0, part(1n, 4n, 7n));
  t.strictSame([taken(), merge.missing], [[], [1]]);
  merge.push(1, part(2n, 3n));
  t.strictSame([taken(), merge.missing], [[1n, 2n, 3n], [1]]);
  merge.push(1, part(5n));
  t.strictSame([taken(), merge.missing], [[4n, 5n], [1]]);
  merge.end(1);
  t.strictSame([taken(), merge.missing, merge.done], [[7n], [0], false]);
  merge.end(0);
  t.strictSame([taken(), merge.missing, merge.done], [[], [], true]);
});

t.test('parts without an order are returned as they arrive, each row once', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 60; round++) {
    const plan = makePlan(prng, false);
    const { workers } = makeWorkers(plan, prng);
    const merge = new RowMerge(plan, workers.length, BYTES);
    const came: Row[] = [];
    const found: Row[] = [];
    const left = workers.map((parts, worker) => ({ worker, parts: [...parts] }));
    while (left.length > 0) {
      const one = prng.pick(left);
      const part = one.parts.shift();
      if (part === undefined) {
        merge.end(one.worker);
        left.splice(left.indexOf(one), 1);
      } else {
        merge.push(one.worker, partOf(plan, part));
        came.push(...part);
      }
      for (let table = merge.take(); table !== null; table = merge.take()) found.push(...rowsOf(table));
    }
    t.ok(merge.done);
    t.strictSame(found, limited(plan, came), `round ${round}`);
  }
});

t.test('all rows at once equal those of a merge', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 60; round++) {
    const ordered = prng.chance(0.6);
    const plan = makePlan(prng, ordered);
    const { workers, rows } = makeWorkers(plan, prng);
    const parts = workers.flat();
    const table = runToEnd(
      finishRows(
        plan,
        parts.map((part) => partOf(plan, part)),
        BYTES,
      ),
    );
    t.strictSame(rowsOf(table), limited(plan, ordered ? rows : parts.flat()), `round ${round}`);
    t.strictSame(
      table.fields,
      plan.outputs.map(({ name, type }) => ({ name, type })),
    );
  }
});

t.test('memory of returned rows is released, and too many waiting rows are refused', async (t) => {
  const prng = new Prng(SEED);
  const plan = { ...makePlan(prng, true), offset: 0, limit: null };
  const rows = Array.from({ length: 500 }, (_, name) => makeRow(prng, name, false)).sort(compareIn(plan));
  const part = partOf(plan, rows);
  const merge = new RowMerge(plan, 1, 2 ** 18);
  let count = 0;
  for (let turn = 0; turn < 100; turn++) {
    merge.push(0, part);
    for (let table = merge.take(); table !== null; table = merge.take()) count += table.rowCount;
  }
  t.equal(count, 50_000);
  t.throws(() => {
    for (let turn = 0; turn < 100; turn++) merge.push(0, part);
  }, QuarryError);
});
