/** Tables as the user arranges them, and as CSV. */
import t from 'tap';
import { csvOf, filteredRows, sortedRows, tabbedOf } from '../../../src/console/answer/arrange.js';
import type { Table } from '../../../src/console/answer/table.js';

const TABLE: Table = {
  name: '',
  columns: [
    { title: 'name', kind: 'text' },
    { title: 'n, of all', kind: 'number' },
  ],
  rows: [
    ['b', 10],
    ['Ä "x", y', null],
    ['=1+1', 9007199254740993n],
    ['a', -2.5],
    [null, 9007199254740992n],
  ],
};
const names = (rows: readonly (readonly unknown[])[]) => rows.map(([name]) => name);

t.test('rows are sorted by size or text, exactly, with missing values last', async (t) => {
  const by = (column: number, descending: boolean) =>
    names(sortedRows(TABLE, TABLE.rows, { column, descending }));
  t.strictSame(by(1, false), ['a', 'b', null, '=1+1', 'Ä "x", y']);
  t.strictSame(by(1, true), ['=1+1', null, 'b', 'a', 'Ä "x", y']);
  t.strictSame(by(0, false), ['=1+1', 'a', 'b', 'Ä "x", y', null]);
  t.equal(sortedRows(TABLE, TABLE.rows, null), TABLE.rows);
});

t.test('a filter finds text in any value', async (t) => {
  t.strictSame(names(filteredRows(TABLE.rows, ' ä ')), ['Ä "x", y']);
  t.strictSame(names(filteredRows(TABLE.rows, '99254740993')), ['=1+1']);
  t.equal(filteredRows(TABLE.rows, ' ').length, 5);
});

t.test('CSV keeps every digit, quotes what it must, and has no formulas', async (t) => {
  t.equal(
    csvOf(TABLE, TABLE.rows),
    'name,"n, of all"\r\nb,10\r\n"Ä ""x"", y",\r\n\'=1+1,9007199254740993\r\na,-2.5\r\n,9007199254740992\r\n',
  );
  t.equal(tabbedOf(TABLE, [['a\tb', 1]]), 'name\tn, of all\na b\t1');
});
