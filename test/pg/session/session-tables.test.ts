/** Temporary tables and views on the port: their values, rights, transactions, and the statements that read them. */
import t from 'tap';
import { SessionTables } from '../../../src/pg/session/session-tables.js';
import { refusal, startPostgres } from '../site.js';

t.test('temporary tables and views', async (t) => {
  const fixture = await startPostgres(t);
  const columns = [
    { name: 'name', type: 'string' },
    { name: 'age', type: 'integer' },
    { name: 'pay', type: 'decimal', 'decimal-places': 2 },
    { name: 'born', type: 'date' },
  ];
  await fixture.https.request({ method: 'POST', path: '/v1/column', body: columns });
  const client = await fixture.connect();
  const rows = async (text: string, values: unknown[] = []): Promise<unknown[]> =>
    (await client.query(text, values)).rows;
  await client.query(`INSERT INTO "default" ("entity-id", name, age, pay, born) VALUES
    ('a', 'Al', 9007199254740993, 1.25, '2001-02-03'), ('b', 'Bo', 2, NULL, NULL)`);

  t.test('a table keeps the rows of its query, and a view reads anew', async (t) => {
    const made = await client.query(
      'CREATE TEMP TABLE kept AS SELECT "entity-id" AS id, name, age, pay, born, age > 5 AS big FROM "default"',
    );
    t.strictSame([made.command, made.rowCount], ['SELECT', 2]);
    await client.query(
      'CREATE TEMP VIEW seen (person, years) AS SELECT name, age FROM "default" WHERE age < 100',
    );
    t.match(await rows('SELECT * FROM kept ORDER BY id'), [
      { id: 'a', name: 'al', age: '9007199254740993', pay: '1.25', big: true },
      { id: 'b', name: 'bo', age: '2', pay: null, born: null, big: false },
    ]);
    await client.query(`UPDATE "default" SET age = 3 WHERE "entity-id" = 'b'`);
    t.strictSame(
      await rows('SELECT k.age, s.years FROM kept k JOIN seen s ON s.person = k.name WHERE k.age = $1', [2]),
      [{ age: '2', years: '3' }],
    );
    await client.query('CREATE OR REPLACE TEMP VIEW seen AS SELECT years + 1 AS next FROM seen');
    t.strictSame(await rows('SELECT next FROM seen'), [{ next: '4' }]);
    t.equal(
      (await client.query(`INSERT INTO "default" ("entity-id", age) SELECT id || '!', age FROM kept`))
        .rowCount,
      2,
    );
    t.match(await refusal(client.query('CREATE TEMP TABLE kept AS SELECT 1 AS x')), { code: '42P07' });
    const other = await fixture.connect();
    t.match(await refusal(other.query('SELECT 1 FROM kept')), { code: '42P01' });
    await client.query('DROP TABLE kept');
    t.match(await refusal(client.query('SELECT 1 FROM kept')), { code: '42P01' });
    await client.query('CREATE TEMP TABLE "default" AS SELECT 7 AS x');
    t.strictSame((await client.query('SELECT x FROM "default"')).rows, [{ x: '7' }]);
    t.match(await refusal(client.query('SELECT x FROM public."default"')), { code: '42703' });
    await client.query('DISCARD TEMP');
    t.match(await refusal(client.query('SELECT 1 FROM seen')), { code: '42P01' });
  });

  t.test('a table keeps values of every type, whatever the time zone of the process', async (t) => {
    const zone = process.env.TZ;
    process.env.TZ = 'America/New_York';
    t.teardown(() => {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    });
    const select = `SELECT 7 AS i, -12.50 AS d, 1.5e300 AS f, true AS b, 'Ä ''x''' AS t, DATE '2024-02-29' AS day,
      TIMESTAMP '2024-07-01 12:30:00' AS at, TIMESTAMP '2024-07-01 12:30:00' AT TIME ZONE 'Europe/Berlin' AS local_at,
      INTERVAL '1 year 2 months 3 days 04:05:06' AS span, INTERVAL '-1 day' AS back,
      CAST('1970-01-01 00:00:00' AS TIMESTAMP) AS epoch, NULL AS nothing`;
    await client.query(`CREATE TEMP TABLE every AS ${select}`);
    t.strictSame(await rows('SELECT * FROM every'), await rows(select));
    const read = 'SELECT at + span AS later, local_at + back AS earlier, span > back AS longer FROM';
    t.strictSame(await rows(`${read} every`), await rows(`${read} (${select}) e`));
    await client.query('DROP TABLE every');
  });

  t.test('a block that is rolled back leaves none, and pending writes refuse changes of them', async (t) => {
    await client.query('BEGIN');
    await client.query(`CREATE TEMPORARY TABLE gone AS SELECT 'a!' AS id`);
    await client.query('DELETE FROM "default" WHERE "entity-id" IN (SELECT id FROM gone)');
    t.match(await refusal(client.query('DROP TABLE gone')), { code: '0A000' });
    await client.query('ROLLBACK');
    t.match(await refusal(client.query('SELECT 1 FROM gone')), { code: '42P01' });
    await client.query('BEGIN');
    await client.query(`CREATE TEMPORARY TABLE gone AS SELECT 'a!' AS id`);
    await client.query('DELETE FROM "default" WHERE "entity-id" IN (SELECT id FROM gone)');
    await client.query('COMMIT');
    t.strictSame(await rows('SELECT count(*) AS n FROM "default"'), [{ n: '3' }]);
  });

  t.test('ROLLBACK TO returns temporary tables to their rows at the savepoint', async (t) => {
    const read = (): Promise<unknown[]> => rows('SELECT x FROM steps ORDER BY x');
    await client.query('BEGIN');
    await client.query('CREATE TEMP TABLE steps AS SELECT 1 AS x');
    await client.query('SAVEPOINT a');
    await client.query('INSERT INTO steps VALUES (2)');
    await client.query('SAVEPOINT b');
    await client.query('INSERT INTO steps VALUES (3)');
    await client.query('ROLLBACK TO b');
    t.strictSame(await read(), [{ x: '1' }, { x: '2' }]);
    await client.query('DELETE FROM steps');
    await client.query('ROLLBACK TO b');
    t.strictSame(await read(), [{ x: '1' }, { x: '2' }]);
    await client.query('RELEASE b');
    await client.query('ROLLBACK TO a');
    await client.query('COMMIT');
    t.strictSame(await read(), [{ x: '1' }]);
    await client.query('DROP TABLE steps');
  });

  t.test('what is not available is refused, also over HTTP', async (t) => {
    for (const text of [
      'CREATE TEMP TABLE x (a nothing)',
      'DROP VIEW nix',
      'CREATE TEMP VIEW v AS SELECT nix FROM "default"',
    ]) {
      await t.rejects(client.query(text), text);
    }
    t.match(
      await refusal(client.query('CREATE TEMP TABLE x AS SELECT g FROM generate_series(1, 50001) AS s (g)')),
      { code: '54000' },
    );
    const { status, body } = await fixture.https.request({
      ...{ method: 'POST', path: '/v1/sql', text: 'CREATE TEMP TABLE x AS SELECT 1 AS a' },
      headers: { 'content-type': 'application/sql' },
    });
    t.equal(status, 400);
    t.match(JSON.stringify(body), /live in a session of the Postgres port/);
  });
});

t.test('a name that is temporary and lasting means what it says, in every statement', async (t) => {
  const fixture = await startPostgres(t);
  const client = await fixture.connect();
  const rows = async (text: string): Promise<readonly unknown[]> => (await client.query(text)).rows;
  const code = async (text: string): Promise<unknown> =>
    ((await refusal(client.query(text))) as { code?: unknown }).code;
  await client.query('CREATE TABLE both (n int)');
  await client.query(`INSERT INTO both VALUES ('a', 1)`);
  const hide = 'CREATE TEMP TABLE both ("entity-id" text, n int)';
  const lasting = (): Promise<readonly unknown[]> => rows('SELECT n FROM public.both');

  t.test('DROP of several names drops the temporary one, and lasting ones by their own names', async (t) => {
    await client.query(hide);
    await client.query('DROP TABLE IF EXISTS both, missing');
    t.strictSame(await rows('SELECT n FROM both'), [{ n: '1' }]);
    await client.query('CREATE TABLE other (n int)');
    await client.query(hide);
    await client.query('DROP TABLE both, other');
    t.strictSame(await lasting(), [{ n: '1' }]);
    t.equal(await code('SELECT n FROM other'), '42P01');
    await client.query(hide);
    t.equal(await code('DROP TABLE both, missing'), '42P01');
    await client.query('DROP TABLE both');
    t.strictSame(await rows('SELECT n FROM both'), [{ n: '1' }]);
  });

  t.test('COPY reads the temporary table and writes the lasting one only as public.name', async (t) => {
    await client.query(hide);
    t.equal(await code('COPY both ("entity-id", n) FROM STDIN'), '0A000');
    await client.query(`INSERT INTO both VALUES ('t', 7)`);
    await client.query('DROP TABLE both');
    t.strictSame(await lasting(), [{ n: '1' }]);
  });

  t.test('a READ ONLY session changes the temporary one only', async (t) => {
    await client.query(hide);
    await client.query('CREATE TEMP TABLE a1 (n int)');
    await client.query('SET default_transaction_read_only = on');
    for (const text of [
      'UPDATE public.both SET n = 9',
      'UPDATE public.both a1 SET n = 9',
      'DELETE FROM public.both a1',
      `INSERT INTO public.both VALUES ('z', 1)`,
      'TRUNCATE public.both',
      'CREATE TABLE made (temp int)',
      'CREATE TABLE a1_copy AS SELECT n FROM a1',
      'DROP TABLE public.both',
      'DROP TABLE a1, public.both',
      'ALTER TABLE public.both RENAME TO a2',
      'COPY public.both ("entity-id", n) FROM STDIN',
    ]) {
      t.equal(await code(text), '25006', text);
    }
    await client.query(`INSERT INTO both VALUES ('t', 7)`);
    await client.query('UPDATE both SET n = 8');
    await client.query('CREATE TEMP TABLE a3 (n int)');
    await client.query('DROP TABLE a1, a3');
    t.strictSame(await rows('SELECT n FROM both'), [{ n: '8' }]);
    t.equal((await client.query('TRUNCATE both')).command, 'TRUNCATE');
    await client.query('DROP TABLE both');
    await client.query('SET default_transaction_read_only = off');
    t.strictSame(await lasting(), [{ n: '1' }]);
  });

  t.test('tables and views are not taken for each other, and a session has at most 100', async (t) => {
    await client.query('CREATE TEMP TABLE rows_own AS SELECT 1 AS n');
    await client.query('CREATE TEMP VIEW view_own AS SELECT n FROM rows_own');
    t.equal(await code('DROP VIEW rows_own'), '42809');
    t.equal(await code('DROP TABLE view_own'), '42809');
    t.equal(await code('DROP TABLE rows_own, view_own'), '42809');
    t.equal(await code('CREATE OR REPLACE TEMP VIEW rows_own AS SELECT 5 AS n'), '42809');
    await client.query('INSERT INTO rows_own VALUES (2)');
    t.strictSame(
      await rows('SELECT n FROM view_own ORDER BY n'),
      [{ n: '1' }, { n: '2' }],
      'a view reads anew',
    );
    for (let index = 2; index < 100; index++) {
      await client.query(`CREATE OR REPLACE TEMP VIEW v${index} AS SELECT 1 AS n`);
    }
    t.equal(await code('CREATE OR REPLACE TEMP VIEW v100 AS SELECT 1 AS n'), '53200');
    await client.query('DISCARD TEMP');
  });

  t.test('DISCARD in a block is undone by a savepoint and by ROLLBACK', async (t) => {
    await client.query('CREATE TEMP TABLE durable AS SELECT 1 AS n');
    await client.query('BEGIN');
    await client.query('INSERT INTO durable VALUES (2)');
    await client.query('SAVEPOINT a');
    await client.query('DISCARD TEMP');
    t.equal(await code('SELECT n FROM durable'), '42P01');
    await client.query('ROLLBACK TO a');
    t.strictSame(await rows('SELECT COUNT(*) FROM durable'), [{ count: '2' }]);
    t.equal(await code('DISCARD ALL'), '25001');
    await client.query('ROLLBACK');
    t.strictSame(await rows('SELECT COUNT(*) FROM durable'), [{ count: '1' }]);
    await client.query('BEGIN');
    await client.query('DISCARD TEMP');
    await client.query('COMMIT');
    t.equal(await code('SELECT n FROM durable'), '42P01');
  });
});

t.test('memory of rows is released when nothing can read them any more', async (t) => {
  const tables = new SessionTables();
  let reserved = 0;
  const add = (characters: number): void => {
    reserved += characters;
    const release = (): void => {
      reserved -= characters;
    };
    tables.add('t', { is: 'rows', columns: [], rows: [], origin: {} }, { characters, release });
  };
  for (let round = 1; round <= 100; round++) add(round);
  t.strictSame([reserved, tables.charactersOf('T')], [100, 100]);
  tables.endTransaction(true);
  for (let round = 1; round <= 100; round++) add(1_000);
  t.equal(reserved, 1_100, 'the rows before the transaction are needed to roll it back');
  tables.savepoint();
  add(10);
  t.equal(reserved, 1_110, 'and those at a savepoint');
  tables.rollbackTo(0);
  t.strictSame([reserved, tables.charactersOf('t')], [1_100, 1_000]);
  tables.endTransaction(false);
  t.strictSame([reserved, tables.charactersOf('t')], [100, 100]);
  add(10);
  tables.savepoint();
  add(20);
  tables.rollbackTo(0);
  tables.releaseSavepoint(0);
  add(30);
  t.equal(reserved, 130);
  tables.endTransaction(true);
  t.equal(reserved, 30, 'rows that were current again are released one time only');
  tables.drop('t');
  tables.endTransaction(true);
  t.equal(reserved, 0);
});
