import t from 'tap';
import {
  drawTable,
  drawVertical,
  fitsAcross,
  type Rows,
  tableCellOf,
} from '../../../src/commands/sql/table.js';
import { widthOf } from '../../../src/commands/sql/text-width.js';

const rowsOf = (names: readonly string[], ...rows: readonly (readonly string[])[]): Rows => ({
  names,
  rows: rows.map((row) => row.map(tableCellOf)),
});
const WIDE = { width: Number.POSITIVE_INFINITY, styled: false };

t.test('numbers are right-aligned, texts left-aligned, and missing values differ from texts', (t) => {
  const rows = rowsOf(['name', 'age'], ['"東京"', '9223372036854775807'], ['"NULL"', '-1'], ['null', 'null']);
  t.equal(
    drawTable(rows, WIDE),
    [
      'name | age',
      '-----+--------------------',
      '東京 | 9223372036854775807',
      'NULL |                  -1',
      'NULL |                NULL',
      '',
    ].join('\n'),
  );
  t.match(drawTable(rows, { ...WIDE, styled: true }), '\n\x1b[2mNULL\x1b[22m | \x1b[2m');
  t.end();
});

t.test('a table is at most as wide as the terminal: the widest columns are shortened', (t) => {
  const long = JSON.stringify('word '.repeat(100));
  const rows = rowsOf(['a', 'b', 'c'], [long, '1', '"東京都東京都東京都東京都"'], ['"x"', '22', long]);
  for (const width of [30, 40, 80]) {
    for (const line of drawTable(rows, { width, styled: false }).split('\n'))
      t.ok(widthOf(line) <= width, `${width}`);
  }
  t.match(drawTable(rows, { width: 40, styled: false }), '…');
  t.notOk(fitsAcross(rows, { width: 20, styled: false }));
  t.ok(fitsAcross(rows, { width: 21, styled: false }));
  t.end();
});

t.test('control characters in data and in column names are escaped', (t) => {
  const hostile = '\x1b]0;title\x07\x1b[2J\r\n\u202egnp.exe\u2066\u0000\u009b31m\u200b';
  const json = JSON.stringify(hostile);
  const rows = rowsOf([hostile, 'list'], [json, `[${json}]`]);
  for (const text of [drawTable(rows, WIDE), drawVertical(rows, { width: 80, styled: false })]) {
    t.notMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    t.match(text, '\\u{1b}]0;title\\u{7}');
  }
  t.equal(drawTable(rows, WIDE).trimEnd().split('\n').length, 3);
  t.end();
});

t.test('the vertical format has one value per line, and each row under its number', (t) => {
  const rows = rowsOf(['id', 'value'], ['"a"', '1.50'], ['"b"', 'null']);
  const text = '-- row 1\nid    | a\nvalue | 1.50\n-- row 2\nid    | b\nvalue | NULL\n';
  t.equal(drawVertical(rows, WIDE), text);
  t.end();
});
