import t from 'tap';
import { UsageBook } from '../../../src/engine/write/usage.js';

const DAY_MS = 86_400_000;
const write = (timeMs: number, inserted: number, updated = 0) => ({
  databaseId: 1,
  timeMs,
  insertedEntityCount: inserted,
  insertedValueCount: inserted * 3,
  updatedEntityCount: updated,
});

t.test('writes are counted in total and by UTC day', async (t) => {
  const book = new UsageBook();
  book.noteWrite(1, write(10 * DAY_MS - 1, 5));
  book.noteWrite(2, write(10 * DAY_MS, 7, 1));
  const expected = { insertedEntityCount: 12, insertedValueCount: 36, updatedEntityCount: 1 };
  t.match(book.of(1, 10 * DAY_MS + 5), { ...expected, day: 10, dayWriteCount: 8 });
  t.match(book.of(1, 11 * DAY_MS), { ...expected, day: 11, dayWriteCount: 0 });
  t.match(book.of(2, 0), { insertedEntityCount: 0, dayWriteCount: 0 });
});

t.test(
  'a snapshot includes exactly the records up to its LSN, even if they are noted after it began',
  async (t) => {
    const book = new UsageBook();
    book.noteWrite(1, write(0, 1));
    book.noteRequest(1, true);
    t.equal(book.hasRequestsSinceSnapshot, true);
    const snapshot = book.beginSnapshot(3);
    t.equal(book.hasRequestsSinceSnapshot, false);
    book.noteWrite(4, write(0, 100));
    book.noteWrite(3, write(0, 10));
    const restored = new UsageBook();
    restored.restore(snapshot.plain);
    t.match(restored.of(1, 0), { insertedEntityCount: 11, requestCount: 1, queryCount: 1 });
    t.match(book.of(1, 0), { insertedEntityCount: 111 });
  },
);

t.test('counts start at zero for a store without recorded usage and for a deleted database', async (t) => {
  const book = new UsageBook();
  book.restore(undefined);
  book.noteWrite(1, write(0, 1));
  book.drop(1);
  t.match(book.of(1, 0), { insertedEntityCount: 0 });
});
