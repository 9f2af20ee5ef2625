/** Rows of other threads: parts with vectors of their own. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/index.js';
import { receivedRows } from '../../../src/exec/relation/received.js';
import { RowFile } from '../../../src/exec/spill/row-file.js';
import type { RowsPart } from '../../../src/protocol/index.js';
import { fromWire, toWire, vectorOf } from '../../../src/vector/index.js';
import { MemoryScratch } from '../../support/memory-scratch.js';
import { spillingRun } from '../spill/spill-rows.js';
import {
  columnOf,
  difference,
  generateDomain,
  generateTable,
  shownRow,
  shownRows,
  type Table,
  TYPES,
} from './tables.js';

const SEED = 2_718;
t.comment(`seed ${SEED}`);

const partOf = ({ columns, rows }: Table): RowsPart => ({
  page: null,
  count: rows.length,
  columns: columns.map(({ type }, index) =>
    toWire(
      vectorOf(
        type,
        rows.map((row) => row[index]),
      ),
    ),
  ),
});

t.test('the rows are those of all parts in order, in batches', async (t) => {
  const prng = new Prng(SEED);
  for (const sizes of [[], [0], [1, 0, 3], [10_000, 8_192, 20_001]]) {
    const columns = TYPES.map((type, index) => columnOf(index + 4, type, generateDomain(prng, type, 30)));
    const tables = sizes.map((size) => generateTable(prng, columns, size, prng.below(2) / 10));
    const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
    const operator = receivedRows(columns, tables.map(partOf), run);
    if (sizes.length > 1) t.ok(run.reservedBytes > 0);
    const rows = tables.flatMap((table) => table.rows.map(shownRow));
    t.equal(difference(shownRows(operator), rows), '', `${sizes.length} parts`);
    t.equal(run.reservedBytes, 0);
  }
});

t.test('rows without columns are counted', async (t) => {
  const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
  const parts = [{ count: 9_000, columns: [], page: null }];
  const counts = [...receivedRows([], parts, run).batches()].map((batch) => batch?.count);
  t.strictSame(counts, [8_192, 808]);
});

t.test('parts that exceed the memory are refused', async (t) => {
  const columns = [columnOf(0, { type: 'float' }, [0.5])];
  const run = new QueryRun(null, 0, 500);
  const parts = [partOf(generateTable(new Prng(SEED), columns, 100, 0))];
  t.throws(() => receivedRows(columns, parts, run), { code: 9006 });
  t.equal(run.reservedBytes, 0);
});

t.test('rows in a file are read page by page, with no memory for all of them', (t) => {
  const prng = new Prng(SEED);
  const columns = TYPES.map((type, index) => columnOf(index + 4, type, generateDomain(prng, type, 30)));
  const tables = [10_000, 1, 5_000].map((size) => generateTable(prng, columns, size, 0.1));
  const scratch = new MemoryScratch();
  const { run, space } = spillingRun(scratch, { memoryBytes: 1_000 });
  if (run.spill === null) throw new Error('the run can spill');
  const file = new RowFile(run.spill);
  const parts = tables
    .map(partOf)
    .flatMap(({ count, columns: wires }) =>
      file.add(wires.map(fromWire), count).map((page) => ({ count: page.rowCount, columns: [], page })),
    );
  const rows = tables.flatMap((table) => table.rows.map(shownRow));
  t.equal(difference(shownRows(receivedRows(columns, parts, run)), rows), '');
  file.close();
  t.strictSame([run.reservedBytes, space.bytes, scratch.openCount], [0, 0, 0]);
  t.end();
});
