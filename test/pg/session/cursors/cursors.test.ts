/**
 * Cursors: generated FETCH and MOVE compared with PostgreSQL itself, the life of cursors, large answers, and psql's FETCH_COUNT.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import type pg from 'pg';
import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { psqlFlags, refusal, startPostgres } from '../../site.js';

const run = promisify(execFile);
const SEED = 20_261_126;
const STEPS = 150;
const ROW_COUNT = 7;
const MANY = 60_000;
const INSERT_COUNT = 1_000;

function direction(prng: Prng): string {
  const count = prng.below(10) - 1;
  return prng.pick([
    ...['', 'NEXT', 'PRIOR', 'FIRST', 'LAST', 'ALL', 'FORWARD', 'BACKWARD', 'FORWARD ALL', 'BACKWARD ALL'],
    ...[
      `${count}`,
      `FORWARD ${count}`,
      `BACKWARD ${count}`,
      `ABSOLUTE ${count - 3}`,
      `RELATIVE ${count - 4}`,
    ],
  ]);
}

t.test('cursors', async (t) => {
  const fixture = await startPostgres(t);
  const ids = Array.from({ length: ROW_COUNT }, (_, at) => `"e${at}":{"dimension":"few","n":${at}}`);
  const filled = await fixture.https.request({
    method: 'POST',
    path: '/v1/insert',
    text: `{"auto-create":["dimension","column"],${ids.join()}}`,
  });
  t.equal(filled.status, 200);
  const client = await fixture.connect();
  const numbers = async (text: string): Promise<string> =>
    (await client.query<{ n: string }>(text)).rows.map(({ n }) => n).join();

  t.test(`generated FETCH and MOVE (seed ${SEED})`, async (t) => {
    const postgres = await PGlite.create();
    t.teardown(() => postgres.close());
    await postgres.exec(`CREATE TABLE few AS SELECT generate_series(0, ${ROW_COUNT - 1}) AS n`);
    const prng = new Prng(SEED);
    const declare = 'DECLARE C SCROLL CURSOR FOR SELECT n FROM few ORDER BY n';
    for (const text of ['BEGIN', declare]) {
      await postgres.exec(text);
      await client.query(text);
    }
    const wrong: string[] = [];
    for (let step = 0; step < STEPS; step++) {
      const text = `${prng.chance(0.8) ? 'FETCH' : 'MOVE'} ${direction(prng)} ${prng.pick(['FROM c', 'IN C', 'FROM "c"'])}`;
      const wanted = (await postgres.query<{ n: number }>(text)).rows.map(({ n }) => n).join();
      const found = await numbers(text);
      if (found !== wanted) wrong.push(`${step} ${text}: ${found} instead of ${wanted}`);
    }
    t.strictSame(wrong, []);
    await client.query('COMMIT');
    await postgres.exec('COMMIT');
  });

  t.test('a cursor ends with its transaction unless it is held', async (t) => {
    const declared = (more: string): string => `DECLARE c CURSOR ${more} FOR SELECT n FROM few ORDER BY n`;
    t.match(await refusal(client.query(declared(''))), { code: '25P01' });
    const both = await client.query(`${declared('')}; FETCH 2 FROM c`);
    t.strictSame((both as unknown as pg.QueryResult[])[1].rows, [{ n: '0' }, { n: '1' }]);
    t.match(await refusal(client.query('FETCH c')), { code: '34000' }, 'the block of one message has ended');
    await client.query('BEGIN');
    await client.query(declared(''));
    t.equal((await client.query('FETCH FORWARD 2 FROM c')).command, 'FETCH');
    t.equal((await client.query('MOVE 2 FROM c')).rowCount, 2);
    t.equal(await numbers('FETCH 2 c'), '4,5');
    t.match(await refusal(client.query('FETCH PRIOR FROM c')), { code: '55000' });
    t.match(await refusal(client.query('FETCH c')), { code: '25P02' });
    await client.query('ROLLBACK');
    t.match(await refusal(client.query('FETCH c')), { code: '34000' });
    await client.query('BEGIN');
    await client.query(declared('WITH HOLD'));
    await client.query('COMMIT');
    t.equal(await numbers('FETCH ALL FROM c'), '0,1,2,3,4,5,6');
    t.match(await refusal(client.query(declared('WITH HOLD'))), { code: '42P03' });
    await client.query('CLOSE c');
    t.match(await refusal(client.query('CLOSE c')), { code: '34000' });
    await client.query('BEGIN');
    await client.query(declared('WITH HOLD'));
    await client.query('ROLLBACK');
    t.match(
      await refusal(client.query('FETCH c')),
      { code: '34000' },
      'declared in a transaction that failed',
    );
    for (const [text, code] of [
      ['DECLARE c CURSOR WITH HOLD FOR SELECT nix FROM few', '42703'],
      ['DECLARE c CURSOR WITH HOLD FOR SET a.b = 1', '42601'],
      ['DECLARE c FOR SELECT 1', '42601'],
      ['FETCH SIDEWAYS FROM c', '42601'],
    ]) {
      t.match(await refusal(client.query(text)), { code }, text);
    }
    for (let at = 0; at < 20; at++) await client.query(declared('WITH HOLD').replace(' c ', ` c${at} `));
    t.match(await refusal(client.query(declared('WITH HOLD'))), { code: '53200' });
    await client.query('CLOSE ALL');
    await client.query(declared('WITH HOLD'));
    await client.query('DISCARD ALL');
    t.match(await refusal(client.query('FETCH c')), { code: '34000' });
  });

  t.test('parameters, binary rows and queries of the catalog', async (t) => {
    await client.query('BEGIN');
    await client.query('DECLARE p CURSOR FOR SELECT n FROM few WHERE n > $1 ORDER BY n', [4]);
    const binary = await client.query({
      text: 'FETCH ALL FROM p',
      values: [],
      binary: true,
    } as pg.QueryConfig);
    t.strictSame(binary.rows, [{ n: '5' }, { n: '6' }]);
    await client.query(
      "DECLARE names CURSOR FOR SELECT tablename AS n FROM pg_tables WHERE schemaname = 'public'",
    );
    t.equal(await numbers('FETCH ALL FROM names'), 'default,few');
    await client.query('ROLLBACK');
  });

  t.test('a large answer is read in parts, at the version of DECLARE', async (t) => {
    for (let from = 0; from < MANY; from += INSERT_COUNT) {
      const rows = Array.from(
        { length: INSERT_COUNT },
        (_, at) => `"n${from + at}":{"n":${from + at},"dimension":"many"}`,
      );
      const text = `{"auto-create":["dimension","column"],${rows.join()}}`;
      await fixture.https.request({ method: 'POST', path: '/v1/insert', text });
    }
    await client.query('BEGIN');
    await client.query('DECLARE big CURSOR FOR SELECT n FROM many');
    await fixture.https.request({
      method: 'POST',
      path: '/v1/insert',
      text: '{"x":{"n":-1,"dimension":"many"}}',
    });
    let sum = 0;
    let count = 0;
    for (;;) {
      const { rows } = await client.query<{ n: string }>('FETCH 7000 FROM big');
      if (rows.length === 0) break;
      count += rows.length;
      for (const { n } of rows) sum += Number(n);
    }
    t.strictSame([count, sum], [MANY, (MANY * (MANY - 1)) / 2]);
    await client.query('COMMIT');
  });

  t.test("psql's FETCH_COUNT", async (t) => {
    if (!fs.existsSync('/usr/bin/psql')) {
      t.comment('left out: psql is not installed (postgresql-client)');
      return;
    }
    const text = 'SELECT n FROM many WHERE n >= 0 ORDER BY n';
    const env = { ...process.env, PGPASSWORD: fixture.keys.read, PGSSLMODE: 'require' };
    const { stdout } = await run(
      '/usr/bin/psql',
      [...psqlFlags(fixture), '-v', 'FETCH_COUNT=999', '-c', text],
      {
        env,
        maxBuffer: 10 * 2 ** 20,
      },
    );
    const lines = stdout.trim().split('\n');
    t.equal(lines.length, MANY);
    t.equal(lines.at(-1), String(MANY - 1));
  });
});
