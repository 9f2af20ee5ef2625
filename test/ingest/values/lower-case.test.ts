import t from 'tap';
import { CASELESS_FROM, lowerCaseTable } from '../../../src/ingest/values/lower-case.js';
import { lowerCodePoint } from '../../../src/schema/index.js';

t.test(
  'the table has the mapping of every code point below 65,536, none of which maps above that',
  async (t) => {
    const table = lowerCaseTable();
    t.equal(table.length, 65_536);
    t.ok(table.every((lower, point) => lower === lowerCodePoint(point)));
    t.equal(table.indexOf(0, 1), -1);
  },
);

t.test('no code point from CASELESS_FROM on has a lower-case mapping', async (t) => {
  const mapped: number[] = [];
  for (let point = CASELESS_FROM; point <= 0x10ffff; point++) {
    if (lowerCodePoint(point) !== point) mapped.push(point);
  }
  t.strictSame(mapped, []);
});
