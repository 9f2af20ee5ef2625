/**
 * Worker threads of the real server end in every way under load, and by a record that ends every thread that applies
 * it.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { JsonClient } from '../../support/json-client.js';
import { ServerProcess } from '../../support/server-process.js';
import { DeathOrders } from './death-orders.js';
import { type Death, isClean, WorkerDeaths } from './worker-deaths.js';

const seed = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
t.setTimeout(300_000);
t.comment(`seed ${seed}`);

/** Each kind of death and each time once. */
const DEATHS: readonly Death[] = [
  { way: 'throw', moment: 'while idle' },
  { way: 'exit', moment: 'while idle' },
  { way: 'arena', moment: 'at a batch' },
  { way: 'throw', moment: 'at a body' },
  { way: 'exit', moment: 'at a query' },
  { way: 'throw', moment: 'in a checkpoint' },
  { way: 'exit', moment: "during another one's rebuild" },
  { way: 'throw', moment: 'twice in a row' },
  { way: 'exit', moment: 'while it is rebuilt' },
  { way: 'heap', moment: 'at a batch' },
];

function makeDir(t: Test): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-deaths-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

t.test(
  'worker threads that throw, exit or run out of memory at any time lose no acknowledged write and leak no thread',
  async (t) => {
    const deaths = new WorkerDeaths(makeDir(t), seed);
    t.teardown(() => deaths.kill());
    await deaths.start();
    for (const death of DEATHS) await deaths.round(death);
    await deaths.checkAfterKill();
    const summary = deaths.summary();
    t.strictSame(summary.texts, []);
    t.ok(isClean(summary));
    t.ok(summary.restarts >= DEATHS.length, `${summary.deaths} deaths, ${summary.restarts} rebuilds`);
    t.ok(summary.acknowledged > DEATHS.length, `${summary.acknowledged} acknowledged`);
  },
);

t.test(
  'a record that ends every thread that applies it ends the server with its LSN, file and byte, at once and at each start',
  async (t) => {
    const dir = makeDir(t);
    const orders = new DeathOrders(path.join(dir, 'orders'));
    const store = path.join(dir, 'store');
    const start = (): ServerProcess =>
      new ServerProcess({ dir: store, flags: ['--workers', '2', '--shards', '2'], env: orders.env });
    const server = start();
    t.teardown(() => server.kill());
    const client = new JsonClient(await server.serving, server.keys().master);
    t.teardown(() => client.close());
    await client.succeed({ path: '/v1/column', body: [{ name: 'n', 'api-name': 'n', type: 'integer' }] });
    const insert = (id: string): Promise<unknown> =>
      client.succeed({ path: '/v1/insert', body: { [id]: { n: 1 } } });
    for (let index = 0; index < 20; index++) await insert(`good-${index}`);
    orders.put({ way: 'throw', marker: 'poison' });
    await t.rejects(insert('poison'), 'no answer: the outcome is unknown');

    const named = /fatal: the record of LSN (\d+), in (\S+\.qlog) at byte (\d+), ends every thread/;
    const namedRecord = (output: string): readonly string[] => named.exec(output)?.slice(1) ?? [output];
    t.strictSame(await server.ended, { code: 70, signal: null });
    const record = namedRecord(server.output);
    t.equal(record.length, 3, record.join());
    t.ok(fs.statSync(record[1]).size > Number(record[2]));
    const again = start();
    t.teardown(() => again.kill());
    t.strictSame(await again.ended, { code: 70, signal: null });
    t.strictSame(namedRecord(again.output), record, 'the same file and offset');

    orders.withdrawAll();
    const mended = start();
    t.teardown(() => mended.kill());
    const after = new JsonClient(await mended.serving, mended.keys().master);
    t.teardown(() => after.close());
    const ids = [...Array.from({ length: 20 }, (_, index) => `good-${index}`), 'poison'];
    t.match(await after.succeed({ path: '/v1/query/exists/entity', body: { ids } }), { exists: ids });
    t.equal(await mended.end(), 0);
  },
);
