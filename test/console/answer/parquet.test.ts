/** Tables as Parquet, read by another library. */
import { parquetReadObjects } from 'hyparquet';
import t from 'tap';
import { parquetColumns, parquetOf } from '../../../src/console/answer/parquet.js';
import { rowsTable } from '../../../src/console/answer/table.js';

const rows = [
  {
    whole: 9_007_199_254_740_993n,
    share: 0.5,
    at: '2026-01-01T10:00:00Z',
    text: 'a,"b"',
    digits: '1.00000000000000000001',
  },
  { whole: -3, share: 2, at: null, text: 'é', digits: '2' },
  { whole: null, share: null, at: '2026-01-02', text: null, digits: null },
];
const table = rowsTable('', rows);

t.test('a file has every row, with digits and types', async (t) => {
  const file = await parquetOf(table, table.rows);
  t.strictSame(await parquetReadObjects({ file }), [
    { ...rows[0], at: new Date('2026-01-01T10:00:00Z') },
    { ...rows[1], whole: -3n, at: null },
    { ...rows[2], at: new Date('2026-01-02T00:00:00Z') },
  ]);
});

t.test('numbers beyond 64 bits and times beyond milliseconds are texts', async (t) => {
  const large = rowsTable('', [{ n: 2n ** 63n, at: '2026-01-01T10:00:00.123456Z', empty: null }]);
  t.strictSame(
    parquetColumns(large, large.rows).map(({ type, data }) => [type, data]),
    [
      ['STRING', ['9223372036854775808']],
      ['STRING', ['2026-01-01T10:00:00.123456Z']],
      ['STRING', [null]],
    ],
  );
});
