/** Who may use and change segments, their errors, and SQL with them, over HTTP and on the Postgres port; backups contain them. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { startPostgres } from '../pg/site.js';
import { JsonClient } from '../support/json-client.js';
import { runCommand, ServerProcess } from '../support/server-process.js';

type Numbers = Readonly<Record<string, number>>;

t.test('segments', async (t) => {
  const fixture = await startPostgres(t);
  const { https, keys } = fixture;
  const make = (name: string, members: object) =>
    https.succeed({ path: '/v1/segment', body: { name, ...members } });
  const codeOf = async (request: Parameters<JsonClient['request']>[0]): Promise<number | null> => {
    const { body } = await https.request(request);
    return (body as { errors?: { code: number }[] }).errors?.[0].code ?? null;
  };
  const keyOf = async (name: string, more: object): Promise<string> =>
    (
      await https.succeed<{ key: string }>({
        ...{ path: '/v1/database/custom_key', key: keys.team },
        body: { 'database-name': 'quarry', 'custom-database-key': { 'key-name': name, ...more } },
      })
    ).key;
  const count = async (query: readonly unknown[], key?: string): Promise<number> =>
    (
      await https.succeed<{ result: Numbers }>({
        path: '/v1/query/count/entity',
        body: { 'query-name': 'q', query },
        ...(key === undefined ? {} : { key }),
      })
    ).result.q;

  await https.succeed({
    path: '/v1/column',
    body: [
      { name: 'age', type: 'integer' },
      { name: 'country', type: 'string' },
      { name: 'buys', type: 'integer', dimension: 'shops' },
    ],
  });
  const people = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`u${at}`, { age: at, country: at % 2 === 0 ? 'fr' : 'de' }]),
  );
  await https.succeed({ path: '/v1/insert', body: people });
  await https.succeed({ path: '/v1/insert', body: { u3: { dimension: 'shops', buys: 7 } } });
  await make('old', { query: [{ age: { gte: 10 } }] });
  await make('vips', { ids: ['U1', 'u12', 'u14', 'nobody'] });
  await make('both', { query: [{ segment: 'old' }, 'and', { segment: 'vips' }] });
  await make('busy', { dimension: 'shops', query: [{ buys: { gt: 1 } }] });

  await t.test('errors', async (t) => {
    for (let at = 1; at <= 8; at++) {
      await make(`s${at}`, { query: at === 1 ? [{ age: { gt: 1 } }] : [{ segment: `s${at - 1}` }] });
    }
    const segment = (body: object) => ({ path: '/v1/segment', body });
    const put = (name: string, body: object) =>
      ({ method: 'PUT', path: `/v1/segment/${name}`, body }) as const;
    const remove = (name: string) => ({ method: 'DELETE', path: `/v1/segment/${name}` }) as const;
    t.equal(await count([{ segment: 's8' }]), 18, '8 deep');
    const wrong: readonly (readonly [number, Parameters<typeof codeOf>[0]])[] = [
      [9106, segment({ name: 's9', query: [{ segment: 's8' }] })],
      [9106, put('s1', { query: [{ segment: 'both' }] })],
      [9106, put('old', { query: [{ segment: 'both' }] })],
      [9106, put('old', { query: [{ segment: 'old' }] })],
      [9105, remove('old')],
      [4010, segment({ name: 'x' })],
      [4049, segment({ name: 'x', ids: [], query: [{ segment: 'old' }] })],
      [4022, segment({ name: 'old', dimension: 'shops', query: [{ buys: { gt: 1 } }] })],
      [9101, segment({ name: 'x', query: [{ segment: 'busy' }] })],
      [4038, { path: '/v1/segment/old/ids', body: { ids: ['u1'] } }],
      [4031, { path: '/v1/segment/vips/ids', body: { ids: [] } }],
      [4049, { path: '/v1/segment/vips/ids', body: { ids: [''] } }],
      [4023, { path: '/v1/segment/nothing' }],
    ];
    for (const [code, request] of wrong) t.equal(await codeOf(request), code, JSON.stringify(request));
    await https.succeed({
      path: '/v1/query/saved',
      body: { name: 'n', type: 'count/entity', query: [{ segment: 's8' }] },
    });
    await https.succeed({
      path: '/v1/query/saved',
      body: {
        name: 'v',
        type: 'sql',
        query: "SELECT COUNT(*) AS n FROM [default] WHERE [entity-id] IN SEGMENT 'both'",
      },
    });
    t.equal(await codeOf(remove('s8')), 9105, 'a saved query uses it');
    t.equal(await codeOf(remove('both')), 9105, 'a view uses it');
    for (const name of ['n', 'v']) await https.succeed({ method: 'DELETE', path: `/v1/query/saved/${name}` });
    for (let at = 8; at >= 1; at--) await https.succeed(remove(`s${at}`));
  });

  await t.test('rights', async (t) => {
    const narrow = await keyOf('narrow', {
      'key-type': 'read-only',
      'columns-whitelist': { default: ['country'] },
    });
    t.equal(
      await codeOf({
        path: '/v1/query/count/entity',
        key: narrow,
        body: { 'query-name': 'q', query: [{ segment: 'old' }] },
      }),
      506,
    );
    t.equal(
      await codeOf({
        path: '/v1/query/count/entity',
        key: narrow,
        body: { 'query-name': 'q', query: [{ segment: 'vips' }] },
      }),
      506,
    );
    const listed = await https.succeed<{ segments: object[] }>({ path: '/v1/segment', key: narrow });
    t.strictSame(listed.segments, [], 'a key sees the segments that it may use');
    t.equal(await codeOf({ path: '/v1/segment/vips', key: narrow }), 4023);
    const writer = await keyOf('writer', {
      'key-type': 'write-read',
      'columns-whitelist': { default: ['country'] },
    });
    const ids = { name: 'hidden', ids: ['u1'] };
    t.equal(await codeOf({ path: '/v1/segment', key: writer, body: ids }), 506, 'it could not use it');
    t.equal(await codeOf({ path: '/v1/segment/hidden' }), 4023);
    const reader = await keyOf('reader', { 'key-type': 'read-only' });
    t.equal(await codeOf({ path: '/v1/segment', key: reader, body: { name: 'mine', ids: ['u1'] } }), 507);
    t.equal(
      await codeOf({ path: '/v1/segment', key: reader, body: { name: 'mine', query: [{ age: { gt: 1 } }] } }),
      null,
    );
    const filtered = await keyOf('filtered', {
      'key-type': 'write-read',
      filter: { default: { segment: 'both' } },
    });
    t.equal(await count([{ age: { gte: 0 } }], filtered), 2, 'a row filter');
    t.equal(await count([{ segment: 'old' }], filtered), 2, 'narrows segments');
    const described = await https.succeed<{ 'id-count': number | null }>({
      path: '/v1/segment/vips',
      key: filtered,
    });
    t.equal(described['id-count'], null);
    t.equal(
      await codeOf({ path: '/v1/segment/vips/ids', key: filtered, body: { ids: ['u13'] } }),
      508,
      'no key widens its filter',
    );
    t.equal(
      await codeOf({
        method: 'PUT',
        path: '/v1/segment/old',
        key: filtered,
        body: { query: [{ age: { gte: 0 } }] },
      }),
      508,
    );
    t.equal(
      await codeOf({
        method: 'PUT',
        path: '/v1/segment/mine',
        key: filtered,
        body: { query: [{ age: { gte: 0 } }] },
      }),
      508,
    );
    t.equal(await codeOf({ method: 'DELETE', path: '/v1/segment/both' }), 9105, 'a filter uses it');
    await https.succeed({ path: '/v1/segment/vips/ids', body: { ids: ['u16'] } });
    t.equal(await count([{ age: { gte: 0 } }], filtered), 3, 'at once');
    await https.succeed({ method: 'DELETE', path: '/v1/segment/vips/ids', body: { ids: ['u16'] } });
  });

  await t.test('SQL', async (t) => {
    const client = await fixture.connect();
    const ids = async (where: string): Promise<readonly (readonly string[])[]> => {
      const over = await https.succeed<{ result: { id: string }[] }>({
        path: '/v1/sql',
        text: `SELECT [entity-id] AS id FROM [default] ${where} ORDER BY id`,
        headers: { 'content-type': 'application/sql' },
      });
      const onPort = await client.query<{ id: string }>(
        `SELECT "entity-id" AS id FROM "default" ${where.replaceAll('[entity-id]', '"entity-id"')} ORDER BY id`,
      );
      return [over.result, onPort.rows].map((rows) => rows.map(({ id }) => id));
    };
    const is = async (where: string, expected: readonly string[]): Promise<void> => {
      t.strictSame(await ids(where), [expected, expected], where);
    };
    await is("WHERE [entity-id] IN SEGMENT 'vips'", ['u1', 'u12', 'u14']);
    await is("WHERE [entity-id] IN SEGMENT 'vips' AND [entity-id] NOT IN SEGMENT 'old'", ['u1']);
    await is("WHERE age < 2 OR [entity-id] IN SEGMENT 'both'", ['u0', 'u1', 'u12', 'u14']);
    await is("WHERE (age * 2 = 6 OR [entity-id] IN SEGMENT 'both') AND NOT country = 'de'", ['u12', 'u14']);
    await is(
      "AS p WHERE p.[entity-id] NOT IN SEGMENT 'old' AND EXISTS (SELECT 1 FROM shops s WHERE s.[entity-id] = p.[entity-id])",
      ['u3'],
    );
    await is("WHERE [entity-id] IN (SELECT [entity-id] FROM shops WHERE [entity-id] IN SEGMENT 'busy')", [
      'u3',
    ]);
    const sql = async (text: string): Promise<unknown> =>
      (
        await https.succeed<{ result: unknown }>({
          ...{ path: '/v1/sql', text, headers: { 'content-type': 'application/sql' } },
        })
      ).result;
    t.strictSame(
      await sql(
        "SELECT p.age, s.buys FROM [default] p JOIN shops s ON s.[entity-id] = p.[entity-id] WHERE p.[entity-id] NOT IN SEGMENT 'vips' AND s.[entity-id] IN SEGMENT 'busy'",
      ),
      [{ age: 3, buys: 7 }],
    );
    await sql(
      "CREATE VIEW commented AS SELECT age FROM [default] WHERE [entity-id] IN SEGMENT /* all */ 'vips'",
    );
    t.equal(await codeOf({ method: 'DELETE', path: '/v1/segment/vips' }), 9105, 'a comment hides no use');
    const between = '"between": ["2000-01-01", "2001-06-01"]';
    const wide = `{"start": {"event": {"visit": {}}}, "interval": "hours", "periods": 366, ${between}}`;
    await https.succeed({ path: '/v1/column', body: { name: 'visit', type: 'string-event' } });
    const refusedTable = await https.request({
      ...{ path: '/v1/sql', text: `SELECT * FROM retention('${wide}')` },
      headers: { 'content-type': 'application/sql' },
    });
    t.match(refusedTable.body, { errors: [{ message: /periods|numbers/ }] });
    await sql("UPDATE [default] SET age = 30 WHERE [entity-id] IN SEGMENT 'both'");
    t.equal(await count([{ age: { equals: 30 } }]), 2);
    for (const [text, message] of [
      ["SELECT age FROM [default] WHERE [entity-id] IN SEGMENT 'nothing'", /does not exist/],
      ["SELECT age FROM [default] WHERE [entity-id] IN SEGMENT 'busy'", /does not exist in dimension/],
      ["SELECT age FROM [default] WHERE country IN SEGMENT 'vips'", /entity-id/],
      ["SELECT [entity-id] IN SEGMENT 'vips' AS v FROM [default]", /WHERE or ON/],
      ['SELECT age FROM [default] WHERE [entity-id] IN SEGMENT vips', /name of a segment/],
      ['SELECT * FROM funnel(1)', /funnel takes its question as a JSON text/],
      [`SELECT * FROM flow('{}', 2)`, /flow takes its question as a JSON text/],
    ] as const) {
      const { body } = await https.request({
        path: '/v1/sql',
        text,
        headers: { 'content-type': 'application/sql' },
      });
      t.match(body, { errors: [{ code: 6000, message }] }, text);
    }
  });

  await t.test('a backup contains segments and their IDs', async (t) => {
    const to = path.join(t.testdir(), 'backup');
    t.match(await runCommand(['backup', to, '--data-dir', fixture.server.dir]), { code: 0 });
    t.match(await runCommand(['verify', to]), { code: 0 });
    const server = new ServerProcess({ dir: to, flags: ['--workers', '1', '--shards', '3'] });
    t.teardown(() => server.kill());
    const client = new JsonClient(await server.serving, keys.master);
    t.teardown(() => client.close());
    t.match(await client.succeed({ path: '/v1/segment/vips' }), { query: null, 'id-count': 4 });
    const { result } = await client.succeed<{ result: Numbers }>({
      path: '/v1/query/count/entity',
      body: { 'query-name': 'q', query: [{ segment: 'both' }, 'and', { age: { equals: 30 } }] },
    });
    t.equal(result.q, 2);
    t.ok(fs.existsSync(to));
  });
});
