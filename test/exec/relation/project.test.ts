/** Projections: computed columns, and columns that are passed on. */
import t from 'tap';
import { Prng, QuarryError } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/index.js';
import { projectRows } from '../../../src/exec/relation/project.js';
import { type Expression, INTEGER, type RelationOf } from '../../../src/ir/index.js';
import { columnOf, difference, generateTable, shownRow, shownRows, TableOperator } from './tables.js';

const SEED = 99;
t.comment(`seed ${SEED}`);

const input = (column: number): Expression => ({ op: 'input', type: INTEGER, input: column });
const plus = (left: Expression, right: Expression): Expression => ({
  op: 'arithmetic',
  type: INTEGER,
  operator: '+',
  left,
  right,
});

const columns = [columnOf(1, INTEGER, [1n, 2n, 3n]), columnOf(2, INTEGER, [10n, 20n])];
const relation: RelationOf<'project'> = {
  op: 'project',
  input: { op: 'received', stage: 0, columns },
  columns: [
    { column: 5, of: plus(input(1), input(2)) },
    { column: 2, of: input(2) },
  ],
};

t.test('columns are computed and passed on', async (t) => {
  const prng = new Prng(SEED);
  const table = generateTable(prng, columns, 300, 0.2);
  const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
  const source = new TableOperator(table, prng);
  const rows = table.rows.map(([a, b]) => [
    a === null || b === null ? null : (a as bigint) + (b as bigint),
    b,
  ]);
  t.equal(difference(shownRows(projectRows(source, relation, run)), rows.map(shownRow)), '');
  t.equal(run.reservedBytes, 0);
  t.ok(source.releases > 0);
});

t.test('a column is computed once, on first use, and not copied if it is passed on', async (t) => {
  const prng = new Prng(SEED);
  const source = new TableOperator(generateTable(prng, columns, 50, 0), prng);
  const reads: number[] = [];
  const counted = {
    columns: source.columns,
    *batches() {
      for (const batch of source.batches()) {
        if (batch === null) continue;
        yield {
          count: batch.count,
          input: (column: number) => {
            reads.push(column);
            return batch.input(column);
          },
        };
      }
      return undefined;
    },
    release: () => source.release(),
  };
  const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
  for (const batch of projectRows(counted, relation, run).batches()) {
    reads.length = 0;
    if (batch === null) continue;
    t.equal(batch.input(2), batch.input(2));
    t.strictSame(reads, [2]);
    t.equal(batch.input(5), batch.input(5));
    t.strictSame(reads, [2, 1, 2]);
  }
});

t.test('a value that cannot be computed is refused when it is read, and releases all memory', async (t) => {
  const huge = 10n ** 37n * 9n;
  const prng = new Prng(SEED);
  const wide = [columnOf(1, INTEGER, [huge]), columnOf(2, INTEGER, [huge])];
  const source = new TableOperator(generateTable(prng, wide, 5, 0), prng);
  const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
  t.throws(() => shownRows(projectRows(source, relation, run)), QuarryError);
  t.equal(run.reservedBytes, 0);
});
