/** Ranges of IDs and long lines on a real server: every entity and event is exported once, whatever the ranges. */
import t from 'tap';
import { readDimensions } from '../../../src/commands/export/dimension.js';
import { idRanges, insertLines } from '../../../src/commands/export/insert-lines.js';
import { SqlClient } from '../../../src/commands/export/sql-client.js';
import { RemoteClient } from '../../../src/commands/remote/index.js';
import { startServer } from '../../demo/server.js';

const server = await startServer('--shards', '2', '--workers', '1');
t.teardown(() => server.stop());
const client = new RemoteClient(server, 10);
t.teardown(() => client.close());
const access = { url: server.url, certificate: server.certificate, key: server.masterKey };
const sqlClient = new SqlClient(client, access, new AbortController().signal, () => {});
const post = (what: string, body: unknown): Promise<unknown> =>
  client.json({ method: 'POST', path: `/v1/${what}`, key: server.masterKey, body: JSON.stringify(body) });

await post('column', [
  { name: 'n', type: 'integer' },
  { name: 'e', type: 'string-event' },
]);

/** The parsed lines of the dimension, exported in ranges of at most `rowsMax` rows. */
async function lines(rowsMax: number): Promise<Record<string, unknown>[]> {
  const [model] = await readDimensions(client, access);
  const ranges = await idRanges(sqlClient, model, rowsMax);
  let text = '';
  let counted = 0;
  for await (const part of insertLines(sqlClient, model, ranges, (count) => {
    counted += count;
  })) {
    text += Buffer.from(part).toString('utf8');
  }
  const found = text.split('\n').filter((line) => line !== '');
  t.equal(new Set(found.map((line) => JSON.parse(line).id)).size, counted, 'the reported number of entities');
  return found.map((line) => JSON.parse(line));
}

const DATE = '2026-01-05T00:00:00Z';
const idOf = (index: number): string => `${['a', "it's", '東', '～', '🚀'][index % 5]}${index}`;

t.test('ranges of any size cover every ID once', async (t) => {
  const entities = Object.fromEntries(
    Array.from({ length: 90 }, (_, index) => [
      idOf(index),
      index % 3 === 0
        ? { e: Array.from({ length: index % 7 }, () => ({ value: 'v', date: DATE })) }
        : { n: index },
    ]),
  );
  await post('insert', entities);
  const wanted = Object.entries(entities)
    .map(([id, { n = null, e = [] }]) => {
      const events = e.length === 0 ? {} : { e };
      return { id, dimension: 'default', ...(n === null && e.length > 0 ? {} : { n }), ...events };
    })
    .sort((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)));
  for (const rowsMax of [9, 40, 1_000_000]) t.strictSame(await lines(rowsMax), wanted, `${rowsMax} rows`);
});

t.test(
  'an entity with more events than a line of an import may hold is exported as several lines',
  async (t) => {
    await post('delete', { query: [{ 'entity-id': { 'not-equals': 'nobody' } }] });
    const value = 'x'.repeat(1_000);
    const events = Array.from({ length: 2_000 }, () => ({ value, date: DATE }));
    await post('insert', { big: { n: 1, e: events } });
    const found = await lines(1_000_000);
    t.equal(found.length, 3);
    t.ok(found.every((line) => Buffer.byteLength(JSON.stringify(line)) < 2 ** 20));
    const heads = found.map(({ e: _, ...head }) => head);
    const other = { id: 'big', dimension: 'default' };
    t.strictSame(heads, [{ ...other, n: 1 }, other, other]);
    t.strictSame(
      found.flatMap(({ e }) => e as unknown[]),
      events,
    );
  },
);
