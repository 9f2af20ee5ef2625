/** Rows of constants. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/index.js';
import { valuesRows } from '../../../src/exec/relation/values.js';
import { columnOf, difference, generateDomain, generateTable, shownRow, shownRows, TYPES } from './tables.js';

const SEED = 31_337;
t.comment(`seed ${SEED}`);

const unlimited = (): QueryRun => new QueryRun(null, 0, Number.POSITIVE_INFINITY);

t.test('the rows are the constants, in batches', async (t) => {
  const prng = new Prng(SEED);
  for (const rowCount of [0, 1, 8_192, 20_000]) {
    const columns = TYPES.map((type, index) => columnOf(index, type, generateDomain(prng, type, 9)));
    const { rows } = generateTable(prng, columns, rowCount, 0.1);
    const run = unlimited();
    const shown = shownRows(valuesRows({ op: 'values', columns, rows }, run));
    t.equal(difference(shown, rows.map(shownRow)), '', `${rowCount} rows`);
    t.equal(run.reservedBytes, 0);
  }
});

t.test('rows without columns are counted', async (t) => {
  const [batch] = [...valuesRows({ op: 'values', columns: [], rows: [[], []] }, unlimited()).batches()];
  t.equal(batch?.count, 2);
});

t.test('constants that exceed the memory are refused', async (t) => {
  const columns = [columnOf(0, { type: 'text' }, ['a'])];
  const { rows } = generateTable(new Prng(SEED), columns, 100, 0);
  const run = new QueryRun(null, 0, 100);
  t.throws(() => shownRows(valuesRows({ op: 'values', columns, rows }, run)), { code: 9006 });
  t.equal(run.reservedBytes, 0);
});
