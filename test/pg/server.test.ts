/** The complete server with the clients node-postgres and psql: answers and refusals. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type pg from 'pg';
import t from 'tap';
import { type PostgresFixture, psqlFlags, refusal, startPostgres } from './site.js';

const run = promisify(execFile);
const COLUMNS = [
  { name: 'name', type: 'string' },
  { name: 'age', type: 'integer' },
  { name: 'pay', type: 'decimal', 'decimal-places': 4 },
  { name: 'ok', type: 'boolean' },
  { name: 'born', type: 'date' },
  { name: 'seen', type: 'datetime' },
  { name: 'home', type: 'geolocation' },
  { name: 'tags', type: 'string', storage: 'list-of-values' },
  { name: 'visit', type: 'integer-event' },
];
const ROWS = `{
  "a": {"name": "Ann", "age": 9223372036854775807, "pay": 922337203685477.5807, "ok": true, "born": "1990-01-01",
    "seen": "2020-01-02T03:04:05Z", "tags": ["x", "y"], "visit": [{"value": 3, "date": "2024-01-01"}]},
  "b": {"name": "o'neill \\"東京\\"", "age": -9223372036854775808, "pay": -0.0001, "ok": false, "born": "2299-12-31",
    "seen": "1990-01-01T00:00:00Z", "visit": [{"value": 4, "date": "2024-02-01"}, {"value": 5, "date": "2024-02-02"}]},
  "c": {"age": 0, "visit": [{"value": 1, "date": "2024-02-02"}]}
}`;
const BIG_COUNT = 20_000;
const INSERT_COUNT = 1_000;

const fill = async ({ https }: PostgresFixture): Promise<void> => {
  await https.request({ method: 'POST', path: '/v1/column', body: COLUMNS });
  await https.request({ path: '/v1/insert', method: 'POST', text: ROWS });
};

t.test('node-postgres and psql over TLS', async (t) => {
  const fixture = await startPostgres(t);
  await fill(fixture);
  const client = await fixture.connect();

  t.test('values of all types are exact in the text and the binary format', async (t) => {
    const text =
      'SELECT "entity-id", name, age, pay, ok, born::text AS born, seen, tags FROM "default" ORDER BY 1';
    const wanted = [
      {
        'entity-id': 'a',
        name: 'ann',
        age: '9223372036854775807',
        pay: '922337203685477.5807',
        ok: true,
        born: '1990-01-01',
        seen: new Date('2020-01-02T03:04:05Z'),
        tags: ['x', 'y'],
      },
      {
        'entity-id': 'b',
        name: 'o\'neill "東京"',
        age: '-9223372036854775808',
        pay: '-0.0001',
        ok: false,
        born: '2299-12-31',
        seen: new Date('1990-01-01T00:00:00Z'),
        tags: null,
      },
      { 'entity-id': 'c', name: null, age: '0', pay: null, ok: null, born: null, seen: null, tags: null },
    ];
    const found = await client.query(text);
    t.strictSame(found.rows, wanted);
    t.strictSame(
      found.fields.map(({ name, dataTypeID }) => [name, dataTypeID]),
      [
        ['entity-id', 25],
        ['name', 25],
        ['age', 20],
        ['pay', 1700],
        ['ok', 16],
        ['born', 25],
        ['seen', 1184],
        ['tags', 114],
      ],
    );
    t.strictSame((await client.query({ text, values: [] })).rows, wanted, 'the extended protocol');
    const binary = await client.query({ text, values: [], binary: true } as pg.QueryConfig);
    // The driver parses numeric as floating point, and timestamps in the time zone of the process.
    const plain = (row: Record<string, unknown>): unknown => ({ ...row, pay: undefined, tags: undefined });
    t.strictSame(binary.rows.map(plain), wanted.map(plain), 'in binary');
  });

  t.test('syntax of dashboards is supported: casts, intervals, epochs, ordinals, schemas', async (t) => {
    const rows = async (text: string): Promise<unknown> => (await client.query(text)).rows;
    t.strictSame(
      await rows(
        `SELECT floor(extract(epoch from "seen")/60)*60 AS "time", count(*)::int AS n FROM public."default"
         WHERE "seen" BETWEEN '2020-01-01T00:00:00Z' AND '2021-01-01T00:00:00Z' GROUP BY 1 ORDER BY 1 LIMIT 10`,
      ),
      [{ time: '1577934240', n: '1' }],
    );
    t.strictSame(
      await rows(
        `SELECT "default"."entity-id" AS id FROM "default" WHERE seen > '2020-01-09'::timestamp - INTERVAL '7 days'`,
      ),
      [{ id: 'a' }],
    );
    t.strictSame(
      await rows(`SELECT "entity-id" AS id FROM "default" WHERE name ILIKE 'AN%' AND seen < now()`),
      [{ id: 'a' }],
    );
    t.strictSame(
      await rows(
        `SELECT date_trunc('month', seen AT TIME ZONE 'UTC') AS m FROM "default" WHERE ok LIMIT ALL`,
      ),
      [{ m: new Date('2020-01-01T00:00:00Z') }],
    );
    t.strictSame(
      await rows(
        `SELECT "visit.value" AS v, count(*) AS n FROM "default" WHERE "visit.date" >= '2024-02-01' GROUP BY 1 ORDER BY 1`,
      ),
      [
        { v: '1', n: '1' },
        { v: '4', n: '1' },
        { v: '5', n: '1' },
      ],
    );
  });

  t.test('parameters are values and never text of the statement', async (t) => {
    const ids = async (text: string, values: unknown[]): Promise<unknown> =>
      (
        await client.query(`SELECT "entity-id" AS id FROM "default" WHERE ${text} ORDER BY 1`, values)
      ).rows.map(({ id }) => id);
    t.strictSame(await ids('age = $1', ['-9223372036854775808']), ['b']);
    t.strictSame(await ids('age > $1 AND age < $2', [-1, 5]), ['c']);
    t.strictSame(await ids('name = $1', ["x' OR 1 = 1 --"]), []);
    t.strictSame(await ids('name = $1', ['o\'neill "東京"']), ['b']);
    t.strictSame(await ids('ok = $1', [true]), ['a']);
    t.strictSame(await ids('seen = $1', [new Date('1990-01-01T00:00:00Z')]), ['b']);
    t.strictSame(await ids('born IN ($1, $2)', ['1990-01-01', '2000-01-01']), ['a']);
    t.strictSame(await ids('name IS NOT NULL AND $1 = 1', [1]), ['a', 'b']);
    const limited = await client.query(
      'SELECT "entity-id" AS id FROM "default" ORDER BY 1 LIMIT $1 OFFSET $2',
      [1, 1],
    );
    t.strictSame(limited.rows, [{ id: 'b' }]);
    const named = { name: 'by-age', text: 'SELECT name FROM "default" WHERE age = $1' };
    for (const [age, name] of [
      ['9223372036854775807', 'ann'],
      ['0', null],
    ]) {
      t.strictSame((await client.query({ ...named, values: [age] })).rows, [{ name }]);
    }
  });

  t.test('errors have an SQLSTATE and a position, and the session continues', async (t) => {
    const fieldsOf = async (text: string, values?: unknown[]): Promise<unknown> => {
      const { code, position, message } = await refusal(client.query(text, values));
      return [code, position ?? null, message];
    };
    t.strictSame(await fieldsOf('SELECT name,\n  "東" || nix FROM "default"'), [
      '42703',
      '16',
      'there is no column "東" in "default"',
    ]);
    t.match(await fieldsOf('SELECT name FROM nowhere'), ['42P01', '18', /nowhere/]);
    t.match(await fieldsOf('SELECT name FROM'), ['42601', String, String]);
    t.match(await fieldsOf('SELECT name FROM (SELECT 1) x'), ['42703', '8', /there is no column/]);
    t.match(await fieldsOf('INSERT INTO x VALUES (1)'), ['42P01', '13', /there is no table/]);
    t.match(await fieldsOf('DROP TABLE "default"'), ['42601', '12', /cannot be deleted/]);
    t.match(await fieldsOf('COPY x FROM stdin'), ['42P01', '6', /there is no table "x"/]);
    t.match(await fieldsOf('SELECT $1 FROM "default"'), [
      '42P02',
      null,
      /a simple query cannot have parameters/,
    ]);
    t.match(await fieldsOf('SELECT $2 FROM "default"', [1]), [
      '08P01',
      null,
      /requires 2 parameters, but the message has 1/,
    ]);
    t.strictSame((await client.query('SELECT 1 + 1 AS two')).rows, [{ two: '2' }]);
  });

  t.test('a session supports transactions, settings and several statements in one query', async (t) => {
    const results = (await client.query(
      `BEGIN; SET application_name = 'x y'; SHOW application_name; SELECT 1 AS one; COMMIT;`,
    )) as unknown as pg.QueryResult[];
    t.strictSame(
      results.map(({ command, rows }) => [command, rows]),
      [
        ['BEGIN', []],
        ['SET', []],
        ['SHOW', [{ application_name: 'x y' }]],
        ['SELECT', [{ one: '1' }]],
        ['COMMIT', []],
      ],
    );
    await client.query('BEGIN');
    await refusal(client.query('SELECT nix'));
    t.equal((await refusal(client.query('SELECT 1'))).code, '25P02');
    t.equal((await client.query('COMMIT')).command, 'ROLLBACK');
    t.equal((await refusal(client.query("SET client_encoding = 'latin1'"))).code, '22023');
    t.equal((await refusal(client.query('SHOW nothing'))).code, '42704');
    for (const text of ['DISCARD ALL', 'DEALLOCATE ALL', "SET TIME ZONE 'Europe/Berlin'", 'RESET ALL', ';']) {
      await client.query(text);
    }
    t.match((await client.query('SELECT version()')).rows, [{ version: /^PostgreSQL 18/ }]);
    t.strictSame((await client.query('SELECT current_database() AS d')).rows, [{ d: 'quarry' }]);
  });

  t.test('keys have the same access as over HTTPS, and changes to it apply at once', async (t) => {
    const made = await fixture.https.request({
      method: 'POST',
      path: '/v1/database/custom_key',
      key: fixture.keys.team,
      body: {
        'database-name': 'quarry',
        'custom-database-key': {
          'key-name': 'some',
          'key-type': 'read-only',
          'columns-whitelist': { default: ['name', 'age'] },
          filter: { default: { age: { equals: 0 } } },
        },
      },
    });
    const custom = String((made.body as { key: string }).key);
    const count = async (key: string): Promise<unknown> =>
      (await (await fixture.connect(key)).query('SELECT count(*) AS n FROM "default"')).rows;
    t.strictSame(await Promise.all([fixture.keys.master, custom, fixture.keys.read].map(count)), [
      [{ n: '3' }],
      [{ n: '1' }],
      [{ n: '3' }],
    ]);
    const narrow = await fixture.connect(custom);
    t.equal((await refusal(narrow.query('SELECT pay FROM "default"'))).code, '42501');
    const seen = await narrow.query(
      "SELECT column_name AS c FROM information_schema.columns WHERE table_schema = 'public'",
    );
    t.strictSame(
      seen.rows.map(({ c }) => c),
      ['entity-id', 'name', 'age'],
    );
    await fixture.https.request({
      method: 'DELETE',
      path: '/v1/database/custom_key',
      key: fixture.keys.team,
      body: { 'database-name': 'quarry', 'custom-database-key': { 'key-name': 'some' } },
    });
    t.equal((await refusal(narrow.query('SELECT age FROM "default"'))).code, '28P01', 'the key was deleted');
    t.equal((await refusal(fixture.connect(fixture.keys.write))).code, '42501');
    t.equal((await refusal(fixture.connect('nonsense'))).code, '28P01');
    t.equal((await refusal(fixture.connect(''))).code, '28P01');
    t.equal((await refusal(fixture.connect(fixture.keys.team))).code, '42501');
    t.equal((await refusal(fixture.connect(fixture.keys.master, { database: 'other' }))).code, '3D000');
  });

  t.test('the catalog lists the same columns as GET /v1/column', async (t) => {
    const { body } = await fixture.https.request({ path: '/v1/column' });
    const listed = JSON.stringify(body);
    const { rows } = await client.query(
      `SELECT column_name AS name, data_type AS type FROM information_schema.columns
       WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position`,
      ['public', 'default'],
    );
    t.strictSame(
      rows.map(({ name, type }) => `${name} ${type}`),
      [
        'entity-id text',
        'name text',
        'age bigint',
        'pay numeric',
        'ok boolean',
        'born date',
        'seen timestamp with time zone',
        'home json',
        'tags json',
      ],
    );
    for (const { name } of COLUMNS) t.ok(listed.includes(`"${name}"`), name);
    t.equal((await refusal(client.query('SELECT nix FROM pg_class'))).code, '42703');
    t.equal((await refusal(client.query("SELECT pg_read_file('x') FROM pg_class"))).code, '42501');
    t.equal(
      (await refusal(client.query("SELECT set_config('a.b', 'c', false) FROM pg_class"))).code,
      '42501',
    );
  });

  t.test('a hostile query of the catalog is stopped, and the next one is answered', async (t) => {
    const hostile = [
      `SELECT count(*) FROM generate_series(1, 1000000000000) WHERE current_schema() <> pg_typeof(1)::text`,
      `SELECT length(repeat('x', 1000000000)) FROM pg_class`,
      `WITH RECURSIVE n AS (SELECT repeat('x', 100000) AS t UNION ALL SELECT t || 'y' FROM n)
       SELECT count(*) FROM n, pg_class`,
    ];
    const other = await fixture.connect();
    for (const text of hostile) {
      const stopped = refusal(client.query(text));
      t.strictSame((await other.query('SELECT count(*) AS n FROM "default"')).rows, [{ n: '3' }]);
      t.match((await stopped).code, /^(57014|53200|53100|53400|XX000)$/, text);
    }
    t.strictSame(
      (await client.query("SELECT count(*) AS n FROM pg_tables WHERE schemaname = 'public'")).rows,
      [{ n: '2' }],
    );
  });

  t.test('psql lists and selects', async (t) => {
    if (!fs.existsSync('/usr/bin/psql')) {
      t.comment('left out: psql is not installed (postgresql-client)');
      return;
    }
    const psql = async (...commands: readonly string[]): Promise<string> => {
      const all = [...psqlFlags(fixture), ...commands.flatMap((command) => ['-c', command])];
      const env = { ...process.env, PGPASSWORD: fixture.keys.read, PGSSLMODE: 'require' };
      return (await run('/usr/bin/psql', all, { env })).stdout;
    };
    t.match(await psql('\\dt'), /public\|default\|table/);
    t.match(await psql('\\d default'), /tags\|json/);
    t.match(await psql('\\l'), /^quarry\|quarry_owner\|UTF8\|[^\n]*\n$/, 'the one database');
    t.match(
      await psql('\\d visit'),
      /entity-id\|text[\s\S]*date\|timestamp with time zone[\s\S]*value\|bigint/,
    );
    t.match(await psql('\\dn'), /^public\|/);
    const others = ['\\l+', '\\du', '\\dT', '\\df', '\\dO', '\\dp', '\\dx', '\\d+ default'];
    t.match(await psql('\\set ON_ERROR_STOP 1', ...others), /tags\|json\|/);
    t.equal(
      await psql('SELECT name FROM "default" WHERE age > 0', '\\conninfo').then(
        (text) => text.split('\n')[0],
      ),
      'ann',
    );
  });

  t.test('a large answer streams, can be abandoned and can be cancelled', async (t) => {
    for (let from = 0; from < BIG_COUNT; from += INSERT_COUNT) {
      const members = Array.from(
        { length: INSERT_COUNT },
        (_, at) => `"n${from + at}":{"age":${from + at},"dimension":"big"}`,
      );
      const text = `{"auto-create":["dimension","column"],${members.join()}}`;
      const { status } = await fixture.https.request({ method: 'POST', path: '/v1/insert', text });
      t.equal(status, 200);
    }
    const sum = (await client.query('SELECT age FROM big')).rows.reduce(
      (all, { age }) => all + Number(age),
      0,
    );
    t.equal(sum, (BIG_COUNT * (BIG_COUNT - 1)) / 2);
    const terms = Array.from(
      { length: 3 },
      (_, at) => `length(reverse(replace(repeat("entity-id", ${100 + at}), 'n', 'm')))`,
    );
    const long = `SELECT count(*) FROM big WHERE ${terms.join(' + ')} > 0`;
    const slow = refusal(client.query(long));
    await wait(100);
    cancel(fixture, client);
    t.match(await slow, { code: '57014', message: 'the query was stopped' });
    await client.query('SET statement_timeout = 20');
    t.match(await refusal(client.query(long)), { code: '57014', message: /due to statement timeout$/ });
    await client.query('RESET statement_timeout');
    t.strictSame((await client.query('SELECT count(*) AS n FROM big')).rows, [{ n: String(BIG_COUNT) }]);
  });

  t.test('no key is in the log', async (t) => {
    for (const key of Object.values(fixture.keys)) t.notOk(fixture.server.output.includes(key));
  });
});

/** Sends a cancel request over a separate connection, as drivers do. */
function cancel(fixture: PostgresFixture, client: pg.Client): void {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const request = Buffer.alloc(16);
  [16, 80_877_102, processID, secretKey].forEach((value, at) => {
    request.writeInt32BE(value, at * 4);
  });
  net
    .connect(fixture.port, '127.0.0.1')
    .on('error', () => {})
    .end(request);
}
