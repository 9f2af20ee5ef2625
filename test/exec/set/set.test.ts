/** Compares set operations over generated relations with counts of plain rows. */
import t from 'tap';
import { Prng, QuarryError } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/index.js';
import { setRows } from '../../../src/exec/set/set.js';
import type { Relation, RelationOf } from '../../../src/ir/index.js';
import {
  type Column,
  columnOf,
  dictionaryOf,
  difference,
  generateDomain,
  generateTable,
  shownRow,
  shownRows,
  type Table,
  TableOperator,
  TYPES,
} from '../relation/tables.js';

const SEED = 77_041;
t.comment(`seed ${SEED}`);

interface Case {
  readonly left: Table;
  readonly right: Table;
  readonly relation: RelationOf<'set'>;
}

const received = (table: Table): Relation => ({ op: 'received', stage: 0, columns: table.columns });

function generateCase(prng: Prng): Case {
  const sizes = [0, 1, 5, 40, 150];
  const columnCount = prng.below(4);
  const [leftColumns, rightColumns]: [Column[], Column[]] = [[], []];
  for (let index = 0; index < columnCount; index++) {
    const type = TYPES[prng.below(TYPES.length)];
    const domain = generateDomain(prng, type, [1, 3, 100][prng.below(3)]);
    const texts = dictionaryOf(type, domain);
    leftColumns.push(columnOf(10 + index, type, domain, texts));
    // The sides have their columns in different orders.
    rightColumns.unshift(columnOf(20 + index, type, domain, prng.below(2) === 0 ? texts : null));
  }
  const missing = prng.below(3) / 5;
  const left = generateTable(prng, leftColumns, sizes[prng.below(sizes.length)], missing);
  const right = generateTable(prng, rightColumns, sizes[prng.below(sizes.length)], missing);
  const operator = (['union', 'intersect', 'except'] as const)[prng.below(3)];
  const relation: RelationOf<'set'> = {
    op: 'set',
    operator,
    all: operator === 'union' || prng.below(2) === 0,
    left: received(left),
    right: received(right),
    columns: leftColumns.map(({ column, type }, index) => {
      return { column: 30 + index, type, left: column, right: 20 + index };
    }),
  };
  return { left, right, relation };
}

/** The number of times that a row occurs in the result. */
function timesOf({ operator, all }: RelationOf<'set'>, left: number, right: number): number {
  switch (operator) {
    case 'union':
      return left + right;
    case 'intersect':
      return all ? Math.min(left, right) : Number(left > 0 && right > 0);
    case 'except':
      return all ? Math.max(left - right, 0) : Number(left > 0 && right === 0);
  }
}

function wanted({ left, right, relation }: Case): string[] {
  const counts = new Map<string, [number, number]>();
  const add = (row: string, side: 0 | 1): void => {
    const count = counts.get(row) ?? [0, 0];
    count[side]++;
    counts.set(row, count);
  };
  for (const row of left.rows) add(shownRow(row), 0);
  for (const row of right.rows) add(shownRow([...row].reverse()), 1);
  const rows = [...counts].flatMap(([row, [m, n]]) => new Array<string>(timesOf(relation, m, n)).fill(row));
  return rows.sort();
}

t.test('the rows are those of counts of plain rows, and no memory stays reserved', async (t) => {
  const prng = new Prng(SEED);
  let rows = 0;
  for (let round = 0; round < 1_500; round++) {
    const set = generateCase(prng);
    const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
    const [left, right] = [new TableOperator(set.left, prng), new TableOperator(set.right, prng)];
    const expected = wanted(set);
    rows += expected.length;
    const breach = difference(shownRows(setRows(left, right, set.relation, run)).sort(), expected);
    const isReleased = run.reservedBytes === 0 && left.releases > 0 && right.releases > 0;
    if (breach === '' && isReleased) continue;
    t.fail(`round ${round}: ${breach}`, { ...set.relation, left: set.left.rows.length });
    break;
  }
  t.ok(rows > 10_000, `${rows} rows`);
});

t.test('a set operation that exceeds its memory or is canceled releases all memory', async (t) => {
  const prng = new Prng(SEED);
  const codes = new Set<number>();
  for (let round = 0; round < 300; round++) {
    const { left, right, relation } = generateCase(prng);
    const flags = new Int32Array(1);
    const run = new QueryRun(flags, 0, round % 2 === 0 ? prng.below(50_000) : Number.POSITIVE_INFINITY);
    const operator = setRows(new TableOperator(left, prng), new TableOperator(right, prng), relation, run);
    try {
      const batches = operator.batches();
      for (let step = 0; batches.next().done !== true; step++) if (step === 3) flags[0] = round % 2;
    } catch (error) {
      codes.add((error as QuarryError).code);
      if (!(error instanceof QuarryError)) throw error;
    }
    if (run.reservedBytes !== 0) t.fail(`round ${round}: ${run.reservedBytes} bytes`);
  }
  t.strictSame([...codes].sort(), [9005, 9006]);
});
