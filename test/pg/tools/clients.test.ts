/** Clients as their users install them: pg-cursor, pg-query-stream, pg-copy-streams, psql and the ODBC driver of PostgreSQL. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';
import t from 'tap';
import { startPostgres } from '../site.js';
import { output, skipWithout } from './programs.js';
import { loadServer } from './world.js';

const PSQL = '/usr/bin/psql';
const ISQL = '/usr/bin/isql';
const ODBC_DRIVERS = [
  '/usr/lib/x86_64-linux-gnu/odbc/psqlodbcw.so',
  '/usr/lib/aarch64-linux-gnu/odbc/psqlodbcw.so',
];
const ODBC_DRIVER = ODBC_DRIVERS.find((file) => fs.existsSync(file)) ?? ODBC_DRIVERS[0];
const BIG_COUNT = 5_000;
const IDS = 'SELECT "entity-id" AS id, n FROM big ORDER BY n';

t.test('clients', async (t) => {
  const fixture = await startPostgres(t);
  const { https } = fixture;
  await loadServer(https);
  await https.request({ method: 'POST', path: '/v1/dimension', body: [{ name: 'big', 'api-name': 'big' }] });
  await https.request({
    method: 'POST',
    path: '/v1/column',
    body: [{ name: 'n', type: 'integer', dimension: 'big' }],
  });

  t.test('pg-copy-streams copies rows in and out', async (t) => {
    const client = await fixture.connect();
    const lines = Array.from({ length: BIG_COUNT }, (_, at) => `b${at}\t${at}\n`);
    await pipeline(lines, client.query(copyFrom('COPY big ("entity-id", n) FROM STDIN')));
    let text = '';
    for await (const part of client.query(copyTo(`COPY (${IDS}) TO STDOUT`))) text += part;
    t.equal(text === lines.join(''), true, 'the same lines come back');
    const wrong = pipeline(['b1\tx\n'], client.query(copyFrom('COPY big ("entity-id", n) FROM STDIN')));
    await t.rejects(wrong, { code: '22P02', where: 'COPY big, line 1, column n: "x"' });
    t.strictSame((await client.query('SELECT count(*) AS n FROM big')).rows, [{ n: String(BIG_COUNT) }]);
  });

  t.test('node-postgres sends arrays', async (t) => {
    const client = await fixture.connect();
    const names = async (condition: string, values: unknown[]): Promise<string> => {
      const text = `SELECT name FROM people WHERE ${condition} ORDER BY name`;
      return (await client.query<{ name: string }>(text, values)).rows.map(({ name }) => name).join();
    };
    t.equal(await names('age = ANY ($1)', [[34, 51]]), 'ada,cyd');
    t.equal(
      await names('"entity-id" <> ALL ($1::text[]) AND active = $2', [['p1', 'p"2'], true]),
      'bob,dan,fay',
    );
    t.equal(await names('country = ANY ($1)', [[null, 'it']]), 'eve');
    t.equal(await names('NOT (country = ANY ($1))', [[]]), 'ada,bob,cyd,dan,eve,fay');
    t.equal(await names('country = ANY ($1)', [null]), '');
    t.equal(await names('"created-at" = ANY ($1)', [[new Date('2021-01-05T10:00:00Z')]]), 'ada');
    await t.rejects(names('age = ANY ($1)', ['34']), { message: /has the form/ });
    await t.rejects(names('age = ANY ($1)', [[[34], [51]]]), { message: /has the form/ });
    await client.query('INSERT INTO people ("entity-id", name) VALUES ($1, $1), ($2, $2)', ['q1', 'q2']);
    t.equal(
      (await client.query('DELETE FROM people WHERE "entity-id" = ANY ($1)', [['q1', 'q2']])).rowCount,
      2,
    );
  });

  t.test('pg-cursor reads rows in parts and can be closed early', async (t) => {
    const client = await fixture.connect();
    const cursor = client.query(new Cursor<{ id: string; n: string }>(`${IDS} LIMIT $1`, [10]));
    t.strictSame(
      (await cursor.read(3)).map(({ n }) => n),
      ['0', '1', '2'],
    );
    t.strictSame(
      (await cursor.read(100)).map(({ n }) => n),
      ['3', '4', '5', '6', '7', '8', '9'],
    );
    t.strictSame(await cursor.read(1), []);
    await cursor.close();
    const early = client.query(new Cursor<{ id: string }>(IDS));
    t.strictSame(
      (await early.read(1)).map(({ id }) => id),
      ['b0'],
    );
    await early.close();
    t.strictSame((await client.query('SELECT 1 AS one')).rows, [{ one: '1' }]);
  });

  t.test('pg-query-stream streams all rows', async (t) => {
    const client = await fixture.connect();
    let [count, sum] = [0, 0];
    for await (const { n } of client.query(new QueryStream(IDS, [], { batchSize: 333 }))) {
      count++;
      sum += Number(n);
    }
    t.strictSame([count, sum], [BIG_COUNT, (BIG_COUNT * (BIG_COUNT - 1)) / 2]);
  });

  const connection = {
    PGHOST: '127.0.0.1',
    PGPORT: String(fixture.port),
    PGUSER: 'any',
    PGDATABASE: 'quarry',
  };
  const psqlEnv = { ...connection, PGPASSWORD: fixture.keys.master, PGSSLMODE: 'require' };
  const psql = async (script: string): Promise<string> =>
    (await output(PSQL, ['-X', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=1', '-f', '-'], psqlEnv, script))
      .stdout;

  t.test('psql', { skip: skipWithout([PSQL], 'postgresql-client') }, async (t) => {
    const tables = ['big', 'default', 'orders', 'people', 'products', 'visit'];
    const listed = await psql('\\dt+');
    t.strictSame(
      listed
        .split('\n')
        .map((line) => line.split('|')[1])
        .filter(Boolean),
      tables,
    );
    t.match(
      await psql('\\d people'),
      /^entity-id\|text[\s\S]*birth-date\|date[\s\S]*created-at\|timestamp with time zone/m,
    );
    t.equal(
      await psql(`\\set FETCH_COUNT 700\n${IDS};`).then((text) => text.trim().split('\n').length),
      BIG_COUNT,
    );
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-psql-'));
    t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
    const file = path.join(dir, 'people.csv');
    await psql(`\\copy (SELECT "entity-id", name, age FROM people ORDER BY 1) TO '${file}' CSV HEADER`);
    t.equal(fs.readFileSync(file, 'utf8').split('\n').slice(0, 2).join('|'), 'entity-id,name,age|p1,ada,34');
    fs.writeFileSync(file, 'entity-id,name,age\np7,"gus, jr",61\np8,hal,\n');
    await psql(`\\copy people ("entity-id", name, age) FROM '${file}' CSV HEADER`);
    t.equal(
      await psql(`SELECT name, age FROM people WHERE "entity-id" IN ('p7', 'p8') ORDER BY 1;`),
      'gus, jr|61\nhal|\n',
    );
    t.equal(await psql(`SELECT name, age FROM people \\gdesc`), 'name|text\nage|bigint\n');
    t.equal(
      await psql('BEGIN;\nDECLARE c CURSOR FOR SELECT n FROM big ORDER BY n;\nFETCH 2 FROM c;\nCOMMIT;'),
      '0\n1\n',
    );
  });

  t.test('ODBC', { skip: skipWithout([ISQL, ODBC_DRIVER], 'unixodbc and odbc-postgresql') }, async (t) => {
    const parts = {
      ...{
        Driver: ODBC_DRIVER,
        Server: '127.0.0.1',
        Port: String(fixture.port),
        Database: 'quarry',
        Uid: 'any',
      },
      ...{
        Pwd: fixture.keys.master,
        SSLmode: 'require',
        UseDeclareFetch: '1',
        Fetch: '100',
        UseServerSidePrepare: '1',
      },
    };
    const text = Object.entries(parts)
      .map(([name, value]) => `${name}=${value}`)
      .join(';');
    const isql = async (script: string): Promise<string> =>
      (await output(ISQL, ['-k', text, '-b', '-d,'], {}, script)).stdout;
    const people =
      'SELECT name, age, balance, active, "birth-date" FROM people WHERE "entity-id" <= \'p3\' ORDER BY 1';
    t.equal(
      await isql(people),
      'ada,34,120.50,1,1989-03-01\nbob,27,-3.25,1,1996-07-19\ncyd,51,0.00,0,1972-11-30\n',
    );
    t.equal((await isql(IDS)).trim().split('\n').length, BIG_COUNT, 'more rows than one FETCH returns');
    t.match(await isql('help'), /quarry,public,people,TABLE/);
    t.match(await isql('help people'), /people,created-at,/);
  });
});
