/** Where errors of statements are: the position on the Postgres port, at which psql shows its caret, and line and column over HTTP. */
import t from 'tap';
import { refusal, startPostgres } from '../pg/site.js';

/** ^ stands before the place of the error. */
const OF_BOTH = [
  'SELECT ^nix FROM src',
  "SELECT 'ä', ^nix FROM src",
  'SELECT n\nFROM src\nWHERE ^nix = 1',
  'SELECT n FROM src ORDER BY ^nix',
  'SELECT * FROM ^nix',
  'WITH a AS (SELECT 1 AS x) SELECT * FROM ^b',
  'SELECT count(^nix) OVER () FROM src',
  'SELECT n FROM src WHERE n IN (SELECT ^nix FROM src)',
  '^SELEC 1',
  "SELECT ^'abc",
  'INSERT INTO src ("entity-id", ^nix) VALUES (1, 2)',
  'UPDATE src SET ^nix = 1',
  'DELETE FROM src WHERE ^nix = 1',
  'DELETE FROM ^nix',
  'VALUES (1), ^(2, 3)',
  "SELECT n FROM src WHERE n = ^'abc'",
  'SELECT * FROM src ^FOR UPDATE',
];
const OF_PORT = [
  'SELECT ^foo(n) FROM src',
  'CREATE VIEW v AS SELECT ^nix FROM src',
  'CREATE TABLE z AS SELECT ^nix FROM src',
  'CREATE TABLE z (^n nix)',
  'DROP TABLE ^nix',
  'COPY ^nix TO STDOUT',
  'COPY src (n, ^nix) TO STDOUT',
  'COPY ^nix FROM STDIN',
  'COPY (SELECT ^nix FROM src) TO STDOUT',
  'EXPLAIN SELECT ^nix FROM src',
  'SELECT * FROM pg_class WHERE ^nix = 1',
];

t.test('errors have their place', async (t) => {
  const fixture = await startPostgres(t);
  const client = await fixture.connect();
  await client.query('CREATE TABLE src (n int)');
  for (const marked of [...OF_BOTH, ...OF_PORT]) {
    const [before, after] = marked.split('^');
    const error = await refusal(client.query(before + after));
    t.equal(Number(error.position), Array.from(before).length + 1, `on the port: ${marked}`);
  }
  for (const marked of OF_BOTH) {
    const [before, after] = marked.split('^');
    const headers = { 'content-type': 'application/sql' };
    const { body } = await fixture.https.request({ path: '/v1/sql', text: before + after, headers });
    const lines = before.split('\n');
    const place = { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
    t.match(body, { errors: [{ more_info: place }] }, `over HTTP: ${marked}`);
  }
});
