/** Records as JSON: all effects, compared with literal texts, and no secrets. */
import t from 'tap';
import { CorruptionError } from '../../src/base/index.js';
import { briefOf, contentOf, recordOf, recordsFrom, withoutSecrets } from '../../src/inspect/index.js';
import { NodeFileSystem } from '../../src/io/index.js';
import type { LogEntry } from '../../src/wal/index.js';
import { writeStore } from './store.js';

async function entriesOf(dir: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  const source = { fs: new NodeFileSystem(), dir: `${dir}/log`, fromLsn: 4 };
  for await (const entry of recordsFrom(source, () => {})) entries.push(entry);
  return entries;
}

t.test('every record shows its effect, and no key, hash or idempotency key', async (t) => {
  const entries = await entriesOf(await writeStore(t));
  t.strictSame(
    entries
      .map((entry) => briefOf(entry, recordOf(entry)))
      .map(({ lsn, type, databaseId, does }) => [lsn, type, databaseId, does]),
    [
      [4, 'insert', 1, '1 entities, 2 values'],
      [5, 'update', 1, 'dimension 1, where its condition holds'],
      [6, 'delete', 1, 'dimension 1, where its condition holds'],
      [7, 'catalog', null, 'key-created'],
    ],
  );
  const contents = entries.map((entry) => contentOf(entry, recordOf(entry)));
  t.match(contents, [
    {
      lsn: 4,
      type: 'insert',
      time: '2020-01-01T12:00:00.000Z',
      named: true,
      entityCount: 1,
      batches: [
        {
          shard: 0,
          dimensionId: 1,
          entities: [
            { id: 'later', columns: { 1: 'rome', 5: [{ date: '2016-02-03T00:00:00Z', value: 1 }] } },
          ],
        },
      ],
    },
    { lsn: 5, type: 'update', condition: {}, batches: [{ entities: [{ columns: { 1: 'c9' } }] }] },
    { lsn: 6, type: 'delete', condition: {}, batches: [] },
    { lsn: 7, type: 'catalog', changes: [{ change: 'key-created', key: { kind: 'read', databaseId: 1 } }] },
  ]);
  const text = JSON.stringify(contents);
  t.notMatch(text, /SECRET-HASH|name-of-the-write|hash/i);
});

t.test('an invalid batch or record is an error of its file, at its offset', (t) => {
  const entry = { lsn: 1, payload: new Uint8Array([0x93, 1, 2, 3]), file: '/log/a', offset: 32 };
  t.throws(() => recordOf(entry), { name: 'CorruptionError', file: '/log/a', offset: 32 });
  const damaged = {
    type: 'insert' as const,
    ...{ timeMs: 0, databaseId: 1, changes: [], shardCount: 1, entityCount: 1, valueCount: 1, once: null },
    batches: [{ shard: 0, dimensionId: 1, bytes: new Uint8Array(64).fill(0xff) }],
  };
  t.throws(() => contentOf(entry, damaged), CorruptionError);
  t.match(briefOf(entry, { ...damaged, timeMs: Number.NaN }), { time: 'not a time' });
  t.end();
});

t.test('hashes are left out at any depth, and big numbers keep their digits', (t) => {
  t.strictSame(
    withoutSecrets([
      { hash: 'a', keep: [{ passwordHash: 'b', bodyHash: 'c', x: 9_007_199_254_740_993n, y: null }] },
    ]),
    [{ keep: [{ x: '9007199254740993', y: null }] }],
  );
  t.end();
});
