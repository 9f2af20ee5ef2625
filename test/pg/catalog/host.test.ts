/** Catalog threads: their tables, their end, and the limits of a query. */
import fs from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { CatalogHost } from '../../../src/pg/catalog/host.js';
import type { CatalogView } from '../../../src/pg/catalog/view.js';
import type { ProtocolError } from '../../../src/pg/protocol/errors.js';
import { Waiting } from '../../../src/pg/session/waiting.js';
import { message } from '../raw-client.js';

const fileOf = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const RUN_MS = 1_000;
const IDLE_MS = 100;

const viewOf = (databaseName: string, tables: string, userName = 'some "one"'): CatalogView => ({
  key: databaseName,
  databaseName,
  userName,
  tables: () => tables,
  activity: '',
});
const ONE = viewOf('it\'s "one"', 'CREATE TABLE "a b" (c bigint);');
const TWO = viewOf('two', 'CREATE TABLE d (e text);');
const NAMES =
  "SELECT current_database() || ' ' || string_agg(tablename, ' ') FROM pg_tables WHERE schemaname = 'public'";
const ENDLESS = 'SELECT count(*) FROM pg_class a, pg_class b, pg_class c, pg_class d, pg_class e';

t.test('the catalog host isolates views, refuses writes and row reads, and enforces limits', async (t) => {
  let reservedBytes = 0;
  let capacityBytes = 300 * 2 ** 20;
  const host = new CatalogHost({
    threadFile: fileOf('src/pg/catalog/thread.js'),
    template: () => fs.readFile(fileOf('postgres-template.tar.gz')),
    runMsMax: RUN_MS,
    idleMsMax: IDLE_MS,
    reserveMemory: (bytes) => {
      if (reservedBytes + bytes > capacityBytes) return null;
      reservedBytes += bytes;
      return () => {
        reservedBytes -= bytes;
      };
    },
  });
  t.teardown(() => host.close());
  const query = async (view: CatalogView, text: string, waiting = new Waiting()): Promise<string> =>
    (await host.run(view, message('Q', text), waiting)).toString('utf8');

  const both = await Promise.all([query(ONE, NAMES), query(TWO, NAMES), query(ONE, NAMES)]);
  t.match(both, [/it's "one" a b/, /two d/, /it's "one" a b/], 'each session sees its own view');
  t.equal(host.instanceCount, 1);
  t.ok(reservedBytes > 192 * 2 ** 20, 'the memory of a running thread is reserved');
  t.match(await query(ONE, 'CREATE TABLE f (g text)'), /25006/, 'nothing is written');

  t.match(
    await query(ONE, 'SELECT \'"a b"\'::regclass, pg_relation_size(\'"a b"\')'),
    /a b/,
    'a table is named',
  );
  for (const text of [
    'SELECT count(*) FROM "a b"',
    'SELECT 1 FROM pg_class WHERE EXISTS (TABLE public."a b")',
  ]) {
    await t.rejects(query(ONE, text), { name: 'ReadsRows' }, `${text}: there are no rows to read`);
  }
  const PRIVILEGES = `SELECT current_user || ' ' || session_user || ' ' || has_table_privilege('d', 'SELECT') || ' ' ||
    has_table_privilege('d', 'INSERT')`;
  t.match(await query(TWO, PRIVILEGES), /some "one" some "one" true false/);
  t.match(await query({ ...TWO, userName: 'another' }, PRIVILEGES), /another another true false/);

  await t.rejects(query(ONE, ENDLESS), {
    state: '57014',
    message: 'the query of the catalog took more than 1 s',
  });
  const waiting = new Waiting();
  const stopped = t.rejects(query(TWO, ENDLESS, waiting), {
    state: '57014',
    message: 'the query was stopped',
  });
  setTimeout(() => waiting.cancel(), 10);
  await stopped;
  t.match(await query(TWO, NAMES), /two d/, 'another thread was started');

  const joins = Array.from({ length: 1_000 }, (_, at) => `JOIN pg_class t${at} USING (oid)`);
  const deep = [`SELECT 1 FROM pg_class ${joins.join(' ')}`, `SELECT 1${' UNION SELECT 1'.repeat(10_000)}`];
  for (const text of deep) {
    const outcome = query(ONE, text).catch((error: ProtocolError) => error.state);
    t.match(await query(ONE, NAMES), /it's "one" a b/, 'another session is answered meanwhile');
    t.match(await outcome, /54001/, `${text.slice(0, 40)}: refused`);
  }
  while (host.instanceCount > 0) await wait(IDLE_MS);
  t.equal(reservedBytes, 0, 'memory is released when the thread has ended');
  capacityBytes = 100 * 2 ** 20;
  await t.rejects(query(ONE, NAMES), { state: '53200', message: /leaves too little memory/ });
  host.close();
  await t.rejects(query(ONE, NAMES), { state: '57P01', message: 'the server is stopping' });
});

t.test('a thread that ends is started again, and only the query that ended it fails', async (t) => {
  const host = new CatalogHost({
    threadFile: fileOf('test/pg/catalog/mortal-thread.js'),
    template: async () => new Uint8Array(0),
    runMsMax: 10_000,
    idleMsMax: 10_000,
    reserveMemory: () => () => {},
  });
  t.teardown(() => host.close());
  const run = (text: string): Promise<string> =>
    host.run(ONE, Buffer.from(text), new Waiting()).then(
      (bytes) => bytes.toString(),
      (error: ProtocolError) => error.state,
    );
  const all = ['a', 'die', 'b', 'poison', 'c', 'later', 'd', 'die', 'die', 'e'];
  t.strictSame(await Promise.all(all.map(run)), [
    ...['a', '54001', 'b', 'poison', 'c', 'later', 'd', '54001', '54001', 'e'],
  ]);
  await wait(IDLE_MS);
  t.equal(await run('later'), 'later');
  await wait(IDLE_MS);
  t.equal(await run('g'), 'g', 'a thread that ended while idle is replaced');
});
