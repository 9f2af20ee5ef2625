/**
 * Routing of statements to session, engine and catalog, descriptions without parameter values, and rows of the described
 * types.
 */
import type pg from 'pg';
import t from 'tap';
import { withNewerNames } from '../../../src/pg/session/queries/catalog-answers.js';
import { readPostgres } from '../../../src/sql/index.js';
import { int16, int32, message, RawClient, type ReceivedMessage } from '../raw-client.js';
import { refusal, startPostgres } from '../site.js';

const COLUMNS = [
  ['name', 'string'],
  ['delay', 'integer'],
  ['pay', 'decimal'],
  ['ok', 'boolean'],
  ['date', 'datetime'],
  ['day', 'date'],
].map(([name, type]) => ({
  name,
  type,
  dimension: 'flights',
  'decimal-places': type === 'decimal' ? 2 : undefined,
}));
const LISTS = [
  { name: 'tags', type: 'string', dimension: 'flights', storage: 'list-of-values' },
  { name: 'visit', type: 'integer-event', dimension: 'flights' },
];
const ROWS = `{
  "f1": {"dimension": "flights", "name": "a_b", "delay": 7, "pay": 2.5, "ok": true, "date": "2001-01-01T10:00:00Z",
    "day": "2001-01-01", "tags": ["u", "v"], "visit": [{"value": 3, "date": "2024-01-01"}]},
  "f2": {"dimension": "flights", "name": "axb", "delay": -2, "pay": 1.25, "ok": false, "date": "2001-01-02T10:00:00Z",
    "day": "2001-01-02"},
  "f3": {"dimension": "flights", "name": "c%d"}
}`;
const ENDLESS = 'SELECT count(*) FROM pg_class a, pg_class b, pg_class c, pg_class d, pg_class e';

const int8 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
};
const float8 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
};
const microseconds = (text: string): Buffer => int8((Date.parse(text) - Date.UTC(2000, 0, 1)) * 1000);

t.test('statements over rows and over the catalog', async (t) => {
  const fixture = await startPostgres(t);
  const { https } = fixture;
  await https.request({ method: 'POST', path: '/v1/dimension', body: [{ name: 'flights' }] });
  await https.request({ method: 'POST', path: '/v1/column', body: [...COLUMNS, ...LISTS] });
  const inserted = await https.request({ method: 'POST', path: '/v1/insert', text: ROWS });
  t.equal(inserted.status, 200, JSON.stringify(inserted.body));
  const client = await fixture.connect();
  const notices: string[] = [];
  client.on('notice', ({ message }) => notices.push(message ?? ''));
  const query = async (text: string, values?: unknown[]): Promise<unknown[]> =>
    (await client.query<unknown[]>({ text, values, rowMode: 'array' })).rows.map((row) =>
      row.length === 1 ? row[0] : row,
    );

  t.test('the engine answers queries of rows, even if they contain names of the catalog', async (t) => {
    t.strictSame(
      await query(`SELECT count(*) FROM flights WHERE date > pg_catalog.now() - interval '100 years'`),
      ['2'],
    );
    t.strictSame(
      await query(
        'SELECT name AS pg_name, count(*) FROM flights GROUP BY name ORDER BY count(*) DESC, pg_name LIMIT 2',
      ),
      [
        ['a_b', '1'],
        ['axb', '1'],
      ],
    );
    t.strictSame(await query("SELECT name FROM flights WHERE delay = '7'::pg_catalog.int8"), ['a_b']);
    t.strictSame(
      await query(
        "SELECT name FROM flights WHERE name OPERATOR(pg_catalog.~~) 'ax%' AND delay OPERATOR(pg_catalog.<) 7",
      ),
      ['axb'],
    );
    t.equal(
      (await refusal(query('SELECT pg_typeof(delay), count(*) FROM flights GROUP BY 1'))).code,
      '42883',
    );
    for (const text of [
      'SELECT f.name, c.relname FROM flights f JOIN pg_class c ON true',
      'SELECT relname FROM pg_class WHERE EXISTS (SELECT 1 FROM public.flights)',
    ]) {
      t.match(
        await refusal(query(text)),
        { code: '0A000', message: /catalog cannot be combined with/ },
        text,
      );
    }
  });

  t.test('the catalog may name a table of rows but never read it', async (t) => {
    t.strictSame(await query("SELECT relname FROM pg_class WHERE oid = 'flights'::regclass"), ['flights']);
    t.strictSame(await query("SELECT pg_relation_size('flights')"), ['0']);
    t.strictSame(
      await query('WITH flights AS (SELECT 1 FROM pg_class LIMIT 1) SELECT count(*) FROM flights'),
      ['1'],
    );
  });

  t.test(
    'statements beyond a limit are refused with its SQLSTATE, and never sent to the catalog',
    async (t) => {
      const other = await fixture.connect();
      const columns = Array.from({ length: 1_001 }, (_, at) => at).join();
      const refused: readonly (readonly [string, string])[] = [
        ['54001', `SELECT 'a'${"||'a'".repeat(10_000)}`],
        ['54001', `SELECT 1${' UNION SELECT 1'.repeat(10_000)}`],
        ['54001', `SELECT 1${'+1'.repeat(10_000)}`],
        ['54001', `SELECT 1${'::int'.repeat(10_000)}`],
        ['54001', `SELECT ${'('.repeat(10_000)}1${')'.repeat(10_000)}`],
        ['54001', `SELECT 1 FROM pg_class${' UNION SELECT 1 FROM pg_class'.repeat(300)}`],
        ['54001', `SELECT 1${'+1'.repeat(10_000)} FROM pg_class`],
        ['54011', `SELECT ${columns}`],
        ['54000', 'SELECT 1;'.repeat(101)],
        ['54000', `SELECT 1 WHERE 1 IN (1${',1'.repeat(100_000)})`],
      ];
      let count = 0;
      for (const [code, text] of refused) {
        const both = [refusal(client.query(text)), refusal(client.query({ name: `s${++count}`, text }))];
        t.strictSame((await other.query('SELECT count(*) AS n FROM pg_am')).rows, [{ n: '7' }]);
        for (const one of await Promise.all(both)) t.equal(one.code, code, text.slice(0, 40));
      }
      const names = Array.from({ length: 1_000 }, (_, at) => `'x${at}'`).join();
      t.strictSame(await query(`SELECT relname FROM pg_class WHERE relname IN ('flights', ${names})`), [
        'flights',
      ]);
    },
  );

  t.test('a backslash is an escape character in patterns', async (t) => {
    const named = (condition: string, values?: unknown[]): Promise<unknown[]> =>
      query(`SELECT name FROM flights WHERE ${condition} ORDER BY 1`, values);
    for (const condition of [
      "name LIKE 'a\\_b'",
      "name LIKE '%\\_%'",
      "name LIKE E'%\\\\_%'",
      "name ~~* 'A\\_B'",
      "upper(name) LIKE 'A\\_B'",
      "name LIKE '%x_%' ESCAPE 'x'",
    ]) {
      t.strictSame(await named(condition), ['a_b'], condition);
    }
    t.strictSame(await named('name LIKE $1', ['%\\%d']), ['c%d']);
    t.strictSame(await named("name NOT LIKE 'a\\_b'"), ['axb', 'c%d']);
    t.strictSame(await named("name LIKE 'a\\_b' ESCAPE ''"), []);
    t.strictSame(await query("SELECT 'a_b' LIKE 'a\\_b', 'axb' LIKE 'a\\_b', 'a\\b' LIKE 'a\\\\b'"), [
      [true, false, true],
    ]);
    const overHttps = await https.request({
      method: 'POST',
      path: '/v1/sql',
      text: "SELECT name FROM flights WHERE name LIKE 'a\\_b'",
      headers: { 'content-type': 'application/sql' },
    });
    t.notMatch(JSON.stringify(overHttps.body), 'a_b', 'over HTTPS a backslash is an ordinary character');
  });

  t.test('set_config sets settings like SET, and connection pools can reset them', async (t) => {
    t.strictSame(
      await query(
        "SELECT set_config('bytea_output','hex',false) FROM pg_show_all_settings() WHERE name = 'bytea_output'",
      ),
      ['hex'],
    );
    t.strictSame(
      await query("SELECT current_setting('jit') AS cur, set_config('jit', $1, false) AS new", ['on']),
      [['off', 'on']],
    );
    await client.query("SET my.custom = 'x'");
    t.strictSame(await query('SHOW my.custom'), ['x']);
    t.strictSame(await query("SELECT pg_catalog.set_config('my.custom', 'y', true)"), ['y']);
    t.strictSame(await query('SHOW my.custom'), ['x'], 'the setting was in effect during the transaction');
    t.equal((await refusal(query("SELECT set_config('server_version', '1', false)"))).code, '55P02');
    t.equal((await refusal(query("SELECT set_config('a', 'b', false) FROM pg_class"))).code, '42501');
    for (const text of [
      'SELECT pg_advisory_unlock_all();\nCLOSE ALL;\nUNLISTEN *;\nRESET ALL;',
      'CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES;',
      'DISCARD PLANS',
    ]) {
      await client.query(text);
    }
    t.equal((await refusal(query('SHOW my.custom'))).code, '42704');
    notices.length = 0;
    await client.query("SET TIME ZONE 'Etc/UTC'; SET TIME ZONE 0; SET TIME ZONE LOCAL");
    t.strictSame(notices, []);
    await client.query("SET SESSION timezone TO 'Europe/Berlin'");
    t.match(notices, [/always in UTC/]);
    t.strictSame(await query('SHOW timezone'), ['UTC']);
  });

  t.test('statement_timeout limits the time of a statement', async (t) => {
    await client.query("BEGIN; SET LOCAL statement_timeout = '150ms'");
    t.match(await refusal(query(ENDLESS)), {
      code: '57014',
      message: 'canceling statement due to statement timeout',
    });
    await client.query('ROLLBACK');
    t.strictSame(await query('SHOW statement_timeout'), ['0']);
    t.equal((await refusal(client.query("SET statement_timeout = '1 year'"))).code, '22023');
    const brief = await fixture.connect(fixture.keys.read, {
      options: '-c statement_timeout=7000',
      client_encoding: "'utf-8'",
    } as pg.ClientConfig);
    t.strictSame((await brief.query('SHOW statement_timeout')).rows, [{ statement_timeout: '7s' }]);
  });

  t.test('a client has the user name that it sent, and only read privileges', async (t) => {
    for (const text of [
      'SELECT current_user',
      'SELECT session_user',
      'SELECT rolname FROM pg_roles WHERE rolname = user',
    ]) {
      t.strictSame(await query(text), ['anybody'], text);
    }
    for (const [user, name] of [
      ['pg_"x', 'anybody'],
      ['postgres', 'postgres'],
    ]) {
      const other = await fixture.connect(fixture.keys.read, { user });
      const { rows } = await other.query(
        'SELECT rolname, rolsuper FROM pg_roles WHERE rolname = current_user',
      );
      t.strictSame(rows, [{ rolname: name, rolsuper: false }], user);
    }
    t.strictSame(
      await query(
        `SELECT has_table_privilege('flights', 'SELECT'), has_table_privilege('flights', 'INSERT'),
           has_table_privilege('flights', 'UPDATE'), has_table_privilege('flights', 'DELETE')`,
      ),
      [[true, false, false, false]],
    );
    t.strictSame(
      await query("SELECT is_insertable_into FROM information_schema.tables WHERE table_name = 'flights'"),
      ['NO'],
    );
  });

  const raw = new RawClient(fixture.port);
  t.teardown(() => raw.close());
  await raw.start('quarry', fixture.keys.read);
  /** The result of Describe for a statement: types of parameters, types of columns. */
  const described = async (text: string, ...typeIds: readonly number[]): Promise<unknown> => {
    const received = await raw.send(
      'Z',
      message('P', '', text, int16(typeIds.length), int32(...typeIds)),
      message('D', Buffer.from('S'), ''),
      message('S'),
    );
    return faultIn(received) ?? [parameterTypes(received), columnTypes(received)];
  };
  /** The rows of the statement in binary, with binary parameters. */
  const answersOf = async (...values: readonly (Buffer | null)[]): Promise<unknown> => {
    const parameters = values.flatMap((value) =>
      value === null ? [int32(-1)] : [int32(value.length), value],
    );
    const received = await raw.send(
      'Z',
      message('B', '', '', int16(1, 1, values.length), ...parameters, int16(1, 1)),
      message('E', '', int32(0)),
      message('S'),
    );
    return (
      faultIn(received) ??
      received.filter(({ kind }) => kind === 'D').map(({ body }) => body.subarray(6).toString('hex'))
    );
  };
  const hex = (...bytes: readonly Buffer[]): readonly string[] => bytes.map((each) => each.toString('hex'));

  t.test('open parameters get the type of the other operand, also in binary', async (t) => {
    const name = [25];
    t.strictSame(
      await described(
        `SELECT name FROM flights WHERE delay = $1 AND $2 < date AND pay BETWEEN $3 AND $4 AND ok <> $5 AND day IN ($6, $7)
           AND name >= $8 AND tags = $9 AND "visit.value" > $10 LIMIT $11 OFFSET $12`,
      ),
      [[20, 1184, 1700, 1700, 16, 1082, 1082, 25, 25, 20, 20, 20], name],
    );
    t.strictSame(
      await described(
        'SELECT name FROM flights WHERE delay = $1::int4 OR delay = CAST($2 AS double precision)',
      ),
      [[23, 701], name],
    );
    t.strictSame(await described('SELECT name FROM flights GROUP BY name HAVING count(*) > $1 AND $2 = 1'), [
      [20, 20],
      name,
    ]);
    t.strictSame(
      await described('SELECT relname FROM pg_class WHERE oid = any($1::oid[]) AND relname = $2', 0, 25),
      [[1028, 25], [19]],
    );
    t.strictSame(
      await described(
        'SELECT name FROM flights WHERE delay = ANY ($1) AND name <> ALL ($2::text[]) AND ok = $3',
      ),
      [[1016, 1009, 16], name],
    );
    const array = (typeId: number, ...elements: readonly Buffer[]): Buffer =>
      Buffer.concat([
        int32(1, 0, typeId, elements.length, 1),
        ...elements.flatMap((element) => [int32(element.length), element]),
      ]);
    for (const [text, values] of [
      ['delay = ANY ($1)', [array(20, int8(7), int8(9))]],
      ['name = ANY ($1::text[])', [array(25, Buffer.from('a_b'), Buffer.from('a"\\,'))]],
      ['day = ANY ($1) AND NOT (name = ANY ($2))', [array(1082, int32(366)), int32(0, 0, 25)]],
      ['delay = $1', [int8(7)]],
      ['$1 < delay AND delay < $2 + 1', [int8(0), int8(7)]],
      [
        'date BETWEEN $1 AND $2',
        [microseconds('2001-01-01T10:00:00Z'), microseconds('2001-01-01T11:00:00Z')],
      ],
      ['day = $1', [int32(366)]],
      ['ok = $1', [Buffer.of(1)]],
      ['pay = $1', [Buffer.concat([int16(2, 0, 0, 1, 2, 5000)])]],
      ['name = $1', [Buffer.from('a_b')]],
      ['delay > $1::float8', [float8(6.5)]],
      ['"visit.value" = $1', [int8(3)]],
    ] as const) {
      await described(`SELECT name FROM flights WHERE ${text}`);
      t.strictSame(await answersOf(...values), hex(Buffer.from('a_b')), text);
    }
    await described('SELECT name FROM flights WHERE date < $1');
    t.match(await answersOf(int8(2 ** 62)), /22008/, 'infinity');
    t.strictSame(
      await query('SELECT name FROM flights WHERE delay = $1 AND date = $2', [
        '7',
        new Date('2001-01-01T10:00:00Z'),
      ]),
      ['a_b'],
      'the text format is unchanged',
    );
  });

  t.test('rows have the described types', async (t) => {
    const product = 'SELECT delay * $1 FROM flights WHERE delay > 0';
    t.strictSame(await described(product, 701), [[701], [701]]);
    for (const factor of [2, 1.5]) t.strictSame(await answersOf(float8(factor)), hex(float8(7 * factor)));
    t.strictSame(await described(product, 1700), [[1700], [1700]]);
    t.strictSame(
      await answersOf(int16(1, 0, 0, 0, 2)),
      hex(int16(1, 0, 0, 0, 14)),
      'an integer as a numeric',
    );
    t.strictSame(await described(product), [[20], [20]]);
    t.strictSame(await answersOf(int8(2)), hex(int8(14)));
    t.strictSame(await described('SELECT $1 AS x', 20), [[20], [20]]);
    t.strictSame(await answersOf(int8(5)), hex(int8(5)));
    t.strictSame(await answersOf(null), [''], 'a NULL of this type');
    t.strictSame(await described('SELECT coalesce(delay, $1) FROM flights WHERE delay IS NULL'), [
      [20],
      [20],
    ]);
    t.strictSame(await answersOf(int8(9)), hex(int8(9)));
    for (const what of ['round(pay, $1)', 'CASE WHEN ok THEN $1 ELSE 0 END', 'date_trunc($1, date)', '$1']) {
      const type = what.startsWith('date') ? 1184 : what === '$1' ? 25 : what.startsWith('round') ? 1700 : 20;
      t.strictSame(await described(`SELECT ${what} FROM flights WHERE delay = 7`), [[25], [type]], what);
      const parameters = Buffer.from(what.startsWith('date') ? 'day' : '1');
      t.match(await answersOf(parameters), [/^[0-9a-f]+$/], what);
    }
    t.strictSame(await described('SELECT $1::oid'), [[26], [26]]);
    t.strictSame(
      await answersOf(int32(255)),
      hex(int32(255)),
      'the catalog, which described the statement, also answers it',
    );
    await described('SELECT coalesce(delay, $1) FROM flights WHERE delay IS NULL');
    const text = message('B', '', '', int16(0, 1), int32(3), Buffer.from('1.5'), int16(0));
    const misfit = await raw.send('Z', text, message('E', '', int32(0)), message('S'));
    t.match(faultIn(misfit), /C22P02\0M"1\.5" is not an integer/);

    await described('SELECT * FROM flights');
    await https.request({
      method: 'POST',
      path: '/v1/column',
      body: [{ name: 'more', type: 'integer', dimension: 'flights' }],
    });
    t.match(await answersOf(), /C0A000\0Mcached plan must not change result type\0RRevalidateCachedQuery/);
    await described('SELECT * FROM flights');
    t.equal(((await answersOf()) as unknown[]).length, 3, 'prepared anew');
  });
});

function faultIn(received: readonly ReceivedMessage[]): string | null {
  return received.find(({ kind }) => kind === 'E')?.body.toString() ?? null;
}

function parameterTypes(received: readonly ReceivedMessage[]): readonly number[] {
  const body = received.find(({ kind }) => kind === 't')?.body ?? int16(0);
  return Array.from({ length: body.readInt16BE(0) }, (_, at) => body.readInt32BE(2 + at * 4));
}

function columnTypes(received: readonly ReceivedMessage[]): readonly number[] {
  const body = received.find(({ kind }) => kind === 'T')?.body ?? int16(0);
  let at = 2;
  return Array.from({ length: body.readInt16BE(0) }, () => {
    at = body.indexOf(0, at) + 19;
    return body.readInt32BE(at - 12);
  });
}

const newer = (text: string, at = 0): string => withNewerNames(readPostgres(text)[at], text);

t.test('old column names are replaced by the new ones, and positions stay valid', async (t) => {
  t.equal(newer('SELECT d.daticulocale AS "ICU" FROM x d'), 'SELECT d.datlocale    AS "ICU" FROM x d');
  t.equal(
    newer("SELECT 1;\nSELECT '𝔞' AS 東,\n  c.COLLICULOCALE, daticulocale, 1", 1),
    "SELECT '𝔞' AS 東,\n  c.colllocale   , datlocale   , 1",
  );
});

t.test('strings, quoted names and other names stay unchanged', async (t) => {
  const text = `SELECT 'daticulocale', "daticulocale", daticulocales, /* daticulocale */ datlocale FROM d`;
  t.equal(newer(text), text);
});
