/** Numbers of texts, including texts with colliding hashes. */
import t from 'tap';
import { hashBytes } from '../../../../src/base/index.js';
import { TextTable } from '../../../../src/exec/aggregate/groups/group-text-table.js';
import { QueryRun } from '../../../../src/exec/query-run.js';
import { collidingTexts } from '../../../support/ingest/colliding.js';

t.test('texts are numbered in order of first occurrence, even if their hashes are equal', (t) => {
  const table = new TextTable(new QueryRun(null, 0, 2 ** 26).child());
  const count = 20_000;
  const bytes = new Uint8Array(collidingTexts(count).buffer);
  t.equal(hashBytes(bytes, 0, 8), hashBytes(bytes, 8 * (count - 1), 8 * count));
  for (const round of ['first', 'second']) {
    for (let text = 0; text < count; text++) {
      if (table.add(bytes, 8 * text, 8 * text + 8) !== text) t.fail(`text ${text} in the ${round} round`);
    }
  }
  // Substrings of other texts are distinct texts.
  t.equal(table.add(bytes, 0, 0), count);
  t.equal(table.add(bytes, 0, 7), count + 1);
  t.equal(table.add(bytes, 0, 0), count);
  t.equal(table.count, count + 2);
  t.equal(table.offsets[count], 8 * count);
  t.equal(Buffer.compare(table.bytes.subarray(0, 8 * count), bytes), 0);
  t.end();
});

t.test('texts that exceed the memory are refused', (t) => {
  const table = new TextTable(new QueryRun(null, 0, 100_000).child());
  const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, at) => `${at}`.padStart(8, '0')).join(''));
  let added = 0;
  t.throws(
    () => {
      for (; added < 20_000; added++) table.add(bytes, 8 * added, 8 * added + 8);
    },
    { code: 9006 },
  );
  t.ok(added > 1_000 && table.count === added, `${added} were added`);
  t.end();
});
