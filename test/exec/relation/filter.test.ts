/** Filters and projections over generated relations. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/index.js';
import { filterRows } from '../../../src/exec/relation/filter.js';
import { BOOLEAN, type Expression, INTEGER, TEXT } from '../../../src/ir/index.js';
import {
  columnOf,
  dictionaryOf,
  difference,
  generateDomain,
  generateTable,
  shownRow,
  shownRows,
  TableOperator,
} from './tables.js';

const SEED = 4_711;
t.comment(`seed ${SEED}`);

const input = (column: number): Expression => ({ op: 'input', type: INTEGER, input: column });

t.test('the rows are those for which the condition is true', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 200; round++) {
    const texts = generateDomain(prng, TEXT, 8);
    const numbers = [1n, 2n, 3n].slice(0, 1 + prng.below(3));
    const columns = [
      columnOf(7, INTEGER, numbers),
      columnOf(3, TEXT, texts, dictionaryOf(TEXT, texts)),
      columnOf(1_000_000, INTEGER, numbers),
    ];
    const table = generateTable(prng, columns, prng.below(200), prng.below(2) / 5);
    const condition: Expression = {
      op: 'compare',
      type: BOOLEAN,
      comparison: '<=',
      left: input(7),
      right: input(1_000_000),
    };
    const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
    const source = new TableOperator(table, prng);
    const relation = { op: 'received', stage: 0, columns } as const;
    const operator = filterRows(source, { op: 'filter', input: relation, condition }, run);
    t.strictSame(
      operator.columns.map(({ column }) => column),
      [7, 3, 1_000_000],
    );
    const rows = table.rows.filter(([a, , b]) => a !== null && b !== null && a <= b);
    t.equal(difference(shownRows(operator), rows.map(shownRow)), '', `round ${round}`);
    t.equal(run.reservedBytes, 0);
    t.ok(source.releases > 0);
  }
});

t.test('a batch whose rows all pass is not copied', async (t) => {
  const prng = new Prng(SEED);
  const columns = [columnOf(1, INTEGER, [5n])];
  const source = new TableOperator(generateTable(prng, columns, 100, 0), prng);
  const condition: Expression = {
    op: 'compare',
    type: BOOLEAN,
    comparison: '=',
    left: input(1),
    right: { op: 'constant', type: INTEGER, value: 5n },
  };
  const seen = new Set<object>();
  const retained = {
    columns: source.columns,
    *batches() {
      for (const batch of source.batches()) {
        if (batch !== null) seen.add(batch);
        yield batch;
      }
      return undefined;
    },
    release: () => source.release(),
  };
  const relation = { op: 'received', stage: 0, columns } as const;
  const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
  let rows = 0;
  for (const batch of filterRows(retained, { op: 'filter', input: relation, condition }, run).batches()) {
    if (batch === null) continue;
    t.ok(seen.has(batch));
    rows += batch.count;
  }
  t.equal(rows, 100);
});
