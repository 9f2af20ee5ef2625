/** A PostgreSQL server that reads and writes the tables of the port as foreign tables, by postgres_fdw. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { type PostgresFixture, startPostgres } from '../site.js';
import { skipWithout } from './programs.js';
import { loadServer } from './world.js';

const BIN = '/usr/lib/postgresql/15/bin';
const EXTENSION = '/usr/share/postgresql/15/extension/postgres_fdw.control';
/** PostgreSQL refuses to run as root: a user without rights, if the test runs as root. */
const NOBODY = 65_534;

const reason = skipWithout([`${BIN}/postgres`, EXTENSION], 'postgresql-15 (Debian 12)');

/** Starts a PostgreSQL that listens on a Unix socket in a new folder only; returns a client. */
async function startServer(t: Test): Promise<pg.Client> {
  const isRoot = process.getuid?.() === 0;
  // Another user may have no access to the folder of temporary files that the tests use.
  const dir = fs.mkdtempSync(path.join(isRoot ? '/tmp' : os.tmpdir(), 'quarry-fdw-'));
  if (isRoot) fs.chownSync(dir, NOBODY, NOBODY);
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const data = path.join(dir, 'data');
  await new Promise<void>((resolve, reject) => {
    const options = ['-D', data, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    const made = spawn(`${BIN}/initdb`, options, { ...user, cwd: dir, stdio: 'ignore' });
    made.on('error', reject);
    made.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`initdb ended with ${code}`))));
  });
  const options = ['-D', data, '-k', dir, '-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'TimeZone=UTC'];
  // The client in the server looks for certificates in the home directory.
  const env = { ...process.env, HOME: dir };
  const server: ChildProcess = spawn(`${BIN}/postgres`, options, { ...user, cwd: dir, stdio: 'ignore', env });
  const ended = new Promise<void>((resolve) => server.on('exit', () => resolve()));
  const client = await connected(dir);
  t.teardown(async () => {
    await client.end();
    server.kill('SIGINT');
    await ended;
    fs.rmSync(dir, { recursive: true, force: true });
  });
  return client;
}

async function connected(dir: string): Promise<pg.Client> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ host: dir, user: 'owner', database: 'postgres' });
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (attempt === 300) throw error;
      await wait(100);
    }
  }
}

/** The SQL that makes the port's tables those of schema `quarry`. */
const importing = ({ port, keys }: PostgresFixture): string => `
  CREATE EXTENSION postgres_fdw;
  CREATE SERVER quarry FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host '127.0.0.1', port '${port}', dbname 'quarry', sslmode 'require', fetch_size '5', fdw_tuple_cost '100');
  CREATE USER MAPPING FOR owner SERVER quarry OPTIONS (user 'any', password '${keys.master}');
  CREATE SCHEMA quarry;
  IMPORT FOREIGN SCHEMA public FROM SERVER quarry INTO quarry;
  SET search_path = quarry, public;`;

t.test('postgres_fdw', { skip: reason }, async (t) => {
  const fixture = await startPostgres(t);
  await loadServer(fixture.https);
  const client = await startServer(t);
  await client.query(importing(fixture));
  const rows = async (text: string): Promise<string> =>
    (await client.query<unknown[]>({ text, rowMode: 'array' })).rows.map((row) => row.join('|')).join('\n');
  /** The statement that is sent to the port. */
  const remote = async (text: string): Promise<string> => {
    const plan = await rows(`EXPLAIN (VERBOSE, COSTS OFF) ${text}`);
    return [...plan.matchAll(/Remote SQL: (.*)/g)].map(([, sql]) => sql).join('\n');
  };

  t.test('IMPORT FOREIGN SCHEMA finds the tables with their types', async (t) => {
    t.equal(
      await rows(`SELECT table_name FROM information_schema.tables WHERE table_schema = 'quarry' ORDER BY 1`),
      'default\norders\npeople\nproducts\nvisit',
    );
    t.equal(
      await rows(
        `SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'people' ORDER BY ordinal_position LIMIT 7`,
      ),
      'entity-id|text\nname|text\nemail|text\ncountry|text\nplan|text\nage|bigint\nbalance|numeric',
    );
  });

  t.test('conditions, joins, aggregates and orders are sent and answered', async (t) => {
    const conditions = `SELECT name FROM people WHERE country = 'fr' AND age > 20 AND name ~~ '%d%' AND age IN (34, 51) ORDER BY name`;
    t.match(await remote(conditions), /WHERE .*age = ANY .*country = 'fr'/);
    t.equal(await rows(conditions), 'ada\ncyd');
    const joined = `SELECT p.name, sum(o.total) FROM people p JOIN orders o ON o."person-id" = p."entity-id"
      WHERE o.status = 'paid' GROUP BY p.name ORDER BY p.name`;
    t.match(await remote(joined), /INNER JOIN .*GROUP BY/);
    const direct = await fixture.connect();
    const expected = await direct.query<{ name: string; sum: string }>(joined);
    t.equal(await rows(joined), expected.rows.map(({ name, sum }) => `${name}|${sum}`).join('\n'));
    t.equal(
      await rows(
        `SELECT p.name, o."entity-id" FROM people p LEFT JOIN orders o ON o."person-id" = p."entity-id" AND o.quantity > 5 ORDER BY 1, 2`,
      ),
      (
        await direct.query<{ name: string; id: string | null }>(
          `SELECT p.name, o."entity-id" AS id FROM people p LEFT JOIN orders o ON o."person-id" = p."entity-id" AND o.quantity > 5 ORDER BY 1, 2`,
        )
      ).rows
        .map(({ name, id }) => `${name}|${id ?? ''}`)
        .join('\n'),
    );
    t.equal(
      await rows(`SELECT count(*), min("birth-date")::text, max("created-at")::text FROM people`),
      '6|1972-11-30|2023-04-02 12:00:00+00',
    );
  });

  t.test('rows join with local tables, with parameters and more rows than one fetch returns', async (t) => {
    await client.query(
      `CREATE TABLE local (id text, note text); INSERT INTO local VALUES ('p1', 'first'), ('p4', 'fourth'), ('px', 'none')`,
    );
    t.equal(
      await rows(
        `SELECT l.note, p.name FROM local l LEFT JOIN people p ON p."entity-id" = l.id ORDER BY l.id`,
      ),
      'first|ada\nfourth|dan\nnone|',
    );
    t.equal(await rows('SELECT count(*) FROM (SELECT * FROM orders OFFSET 0) x'), '24');
    const prepared = {
      text: 'SELECT name FROM people WHERE age < $1 AND active = $2 ORDER BY name',
      values: [40, true],
    };
    t.strictSame((await client.query(prepared)).rows, [{ name: 'ada' }, { name: 'bob' }, { name: 'dan' }]);
  });

  t.test('UPDATE and DELETE whose condition is sent take effect, and others are refused', async (t) => {
    await client.query(
      `CREATE TABLE change (id text, n int); INSERT INTO change VALUES ('p1', 5), ('p2', 6)`,
    );
    const ages = `SELECT "entity-id", age FROM people ORDER BY 1`;
    const before = await rows(ages);
    const update = `UPDATE people SET age = age + 1 WHERE "entity-id" = 'p1'`;
    t.match(await remote(update), /^UPDATE public\.people SET age = /);
    await client.query(update);
    t.equal(await rows(`SELECT age FROM people WHERE "entity-id" = 'p1'`), '35');
    await client.query(`UPDATE people SET age = age - 1 WHERE "entity-id" = 'p1'`);
    t.equal(await rows(ages), before);
    const refused: [string, RegExp][] = [
      ['UPDATE people SET age = change.n FROM change WHERE change.id = "entity-id"', /rows are not locked/],
      ['DELETE FROM people USING change WHERE change.id = "entity-id"', /rows are not locked/],
      [`SELECT name FROM people WHERE "entity-id" = 'p1' FOR UPDATE`, /rows are not locked/],
      [`DELETE FROM people WHERE "entity-id" = 'p1' RETURNING name`, /RETURNING is available for INSERT/],
    ];
    for (const [text, message] of refused) {
      await t.rejects(client.query(text), { message, code: '0A000' }, text);
    }
    t.equal(await rows(ages), before);
  });

  t.test('rows are inserted and deleted', async (t) => {
    await client.query(
      `INSERT INTO people ("entity-id", name, age) VALUES ('p7', 'gus', 61), ('p8', 'hal', NULL)`,
    );
    await client.query(`DELETE FROM people WHERE "entity-id" = 'p8'`);
    t.equal(await rows(`SELECT name, age FROM people WHERE "entity-id" IN ('p7', 'p8')`), 'gus|61');
  });
});
