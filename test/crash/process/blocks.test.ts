/**
 * Transaction blocks that create, rename and drop tables beside other writes, on a server that is killed again and again: every
 * block has taken effect whole or not at all, and those that were answered have.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { freePort } from '../../pg/site.js';
import { ServerProcess } from '../../support/server-process.js';

const SEED = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
const KILLS = Number(process.env.QUARRY_TEST_ROUNDS ?? 6);
const ROWS = 300;
t.comment(`seed ${SEED}, ${KILLS} kills`);
t.setTimeout(120_000 + KILLS * 20_000);

/** Generation `g` of the report has the numbers of the source plus g. */
const blockOf = (g: number): readonly string[] => [
  'BEGIN',
  'DROP TABLE IF EXISTS report_backup',
  `CREATE TABLE report_tmp AS SELECT "entity-id", n + ${g} AS n FROM source`,
  'ALTER TABLE report RENAME TO report_backup',
  'ALTER TABLE report_tmp RENAME TO report',
  `UPDATE meta SET generation = ${g} WHERE "entity-id" = 'report'`,
  `INSERT INTO history ("entity-id", generation) VALUES ('${g}', ${g})`,
  `CREATE OR REPLACE VIEW latest AS SELECT ${g} AS generation FROM report LIMIT 1`,
  'COMMIT',
];

const SETUP = [
  'CREATE TABLE source (n int)',
  `INSERT INTO source ("entity-id", n) VALUES ${Array.from({ length: ROWS }, (_, n) => `('s${n}', ${n})`).join()}`,
  'CREATE TABLE report AS SELECT "entity-id", n FROM source',
  'CREATE TABLE meta (generation int)',
  `INSERT INTO meta ("entity-id", generation) VALUES ('report', 0)`,
  'CREATE TABLE history (generation int)',
];

async function connected(server: ServerProcess, port: number): Promise<pg.Client> {
  await server.serving;
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port, user: 'any', database: 'quarry', password: server.keys().master },
    ssl: { rejectUnauthorized: false },
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** What is wrong with the tables of one generation; `least`: the last one that was answered. */
async function faults(client: pg.Client, least: number): Promise<readonly string[]> {
  const one = async (text: string): Promise<string> =>
    String((await client.query({ text, rowMode: 'array' })).rows[0]?.join());
  const g = Number(await one(`SELECT generation FROM meta WHERE "entity-id" = 'report'`));
  const sum = (of: number): string => String((ROWS * (ROWS - 1)) / 2 + ROWS * of);
  const expected: readonly (readonly [text: string, value: string])[] = [
    ['SELECT count(*), sum(n) FROM report', `${ROWS},${sum(g)}`],
    ['SELECT count(*), coalesce(max(generation), 0) FROM history', `${g},${g}`],
    ['SELECT count(*) FROM source', String(ROWS)],
    ...(g === 0
      ? []
      : ([
          ['SELECT count(*), sum(n) FROM report_backup', `${ROWS},${sum(g - 1)}`],
          ['SELECT generation FROM latest', String(g)],
        ] as const)),
  ];
  const found = g >= least ? [] : [`generation ${least} was answered, but ${g} is stored`];
  for (const [text, value] of expected) {
    const actual = await one(text);
    if (actual !== value) found.push(`generation ${g}: ${text} is ${actual}, not ${value}`);
  }
  const temporary = await client
    .query('SELECT 1 FROM report_tmp')
    .catch((error: pg.DatabaseError) => error.code);
  return temporary === '42P01' ? found : [...found, `generation ${g}: report_tmp exists`];
}

t.test('after a kill, every block took effect whole or not at all', async (t) => {
  const random = new Prng(SEED);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-blocks-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const port = await freePort();
  const start = (): ServerProcess =>
    new ServerProcess({
      dir: path.join(dir, 'store'),
      flags: ['--pg-port', String(port), '--workers', '2', '--shards', '3'],
    });
  let server = start();
  t.teardown(() => server.kill());
  let client = await connected(server, port);
  for (const text of SETUP) await client.query(text);
  let answered = 0;
  let sent = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const timer = setTimeout(() => server.signal('SIGKILL'), 50 + random.below(600));
    for (;;) {
      try {
        sent = answered + 1;
        for (const text of blockOf(sent)) await client.query(text);
        answered = sent;
      } catch {
        break;
      }
    }
    await server.ended;
    clearTimeout(timer);
    server = start();
    client = await connected(server, port);
    t.strictSame(await faults(client, answered), [], `kill ${kill}, after generation ${answered}`);
    const { rows } = await client.query('SELECT generation FROM meta');
    answered = Number(rows[0].generation);
    t.ok(answered <= sent, 'no block that was not sent has taken effect');
  }
  t.ok(answered > 0, `${answered} blocks took effect`);
  await client.end();
});
