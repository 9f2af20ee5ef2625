/** Views that last: made over HTTPS and on the port, read from both, with the rights of whoever reads. */
import t from 'tap';
import { JsonClient } from '../../../support/json-client.js';
import { ServerProcess } from '../../../support/server-process.js';
import { refusal, startPostgres } from '../../site.js';

type Answer = { readonly result?: unknown; readonly status?: unknown } & Readonly<Record<string, unknown>>;

/** The error of an answer. */
const refusedBy = (answer: Answer): { readonly code?: number } =>
  (answer as { readonly errors?: readonly { readonly code: number }[] }).errors?.[0] ?? {};

t.test('views', async (t) => {
  const fixture = await startPostgres(t);
  const { https } = fixture;
  const columns = [
    { name: 'name', type: 'string' },
    { name: 'age', type: 'integer' },
    { name: 'visit', type: 'string-event' },
  ];
  await https.request({ method: 'POST', path: '/v1/column', body: columns });
  const client = await fixture.connect();
  const rows = async (text: string): Promise<unknown[]> => (await client.query(text)).rows;
  const send = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<Answer> => (await https.request({ method, path, body })).body as Answer;
  const sql = async (text: string, key?: string): Promise<Answer> => {
    const headers = { 'content-type': 'application/sql' };
    return (await https.request({ path: '/v1/sql', text, headers, key })).body as Answer;
  };
  await client.query(
    `INSERT INTO "default" ("entity-id", name, age) VALUES ('a', 'Al', 7), ('b', 'Bo', 2), ('c', 'Cy', 9)`,
  );

  t.test('a view made over HTTPS is read on the port, and the other way round', async (t) => {
    t.match(
      await sql('CREATE VIEW old_ones (who, years) AS SELECT name, age FROM [default] WHERE age > 5 -- old'),
      {
        result: { created: ['old-ones'] },
      },
    );
    t.strictSame(await rows('SELECT * FROM old_ones ORDER BY who'), [
      { who: 'al', years: '7' },
      { who: 'cy', years: '9' },
    ]);
    t.equal(
      (
        await client.query(
          'CREATE VIEW halves AS SELECT name, age / 2 AS half, count(*) FROM "default" GROUP BY 1, 2',
        )
      ).command,
      'CREATE',
    );
    const halves = [{ half: 1 }, { half: 3 }, { half: 4 }];
    t.match(
      await sql('SELECT half FROM halves ORDER BY half'),
      { result: halves },
      'integers are divided as on the port',
    );
    t.match(await sql('SELECT "count" FROM halves LIMIT 1'), { result: [{ count: 1 }] });
    t.match(
      await sql('SELECT v.half, o.who FROM public.halves v JOIN old_ones o ON o.who = v.name ORDER BY 1'),
      {
        result: [
          { half: 3, who: 'al' },
          { half: 4, who: 'cy' },
        ],
      },
    );
    t.match(
      await sql('WITH w AS (SELECT COUNT(*) AS n FROM old_ones) SELECT n FROM w WHERE n IN (SELECT 2)'),
      {
        result: [{ n: 2 }],
      },
    );
  });

  t.test('a view reads views and the newest rows, and is replaced and dropped', async (t) => {
    t.match(await sql('CREATE VIEW oldest AS SELECT MAX(years) AS years FROM old_ones'), {
      status: 'success',
    });
    t.strictSame(await rows('SELECT years FROM oldest'), [{ years: '9' }]);
    await client.query(`INSERT INTO "default" ("entity-id", name, age) VALUES ('d', 'Di', 30)`);
    t.strictSame(await rows('SELECT years FROM oldest'), [{ years: '30' }]);
    t.match(await refusal(client.query('CREATE VIEW oldest AS SELECT 1 AS x')), {
      message: /already exists/,
    });
    await client.query('CREATE OR REPLACE VIEW oldest AS SELECT min(years) AS years FROM old_ones');
    t.strictSame(await rows('SELECT years FROM oldest'), [{ years: '7' }]);
    t.match(refusedBy(await sql('CREATE OR REPLACE VIEW old_ones AS SELECT * FROM oldest')), {
      more_info: { message: /reads itself/ },
    });
    t.match(refusedBy(await sql('CREATE VIEW own AS SELECT * FROM own')), {
      more_info: { message: /reads itself/ },
    });
    t.match(refusedBy(await sql('DROP VIEW oldest, nothing')), {
      more_info: { message: /no table "nothing"/ },
    });
    t.match(await sql('DROP VIEW IF EXISTS oldest, nothing'), { result: { dropped: ['oldest'] } });
    t.match(await refusal(client.query('SELECT 1 FROM oldest')), { code: '42P01' });
    await client.query(`DELETE FROM "default" WHERE "entity-id" = 'd'`);
  });

  t.test('a view is a saved query', async (t) => {
    const listed = await send('GET', '/v1/query/saved');
    t.match(listed['saved-queries'], [
      {
        name: 'old-ones',
        type: 'sql',
        query: { dialect: 'http', columns: ['who', 'years'] },
        dimension: null,
      },
      { name: 'halves', type: 'sql', query: { sql: /^SELECT name, age \/ 2/, dialect: 'postgres' } },
    ]);
    t.match(await send('GET', '/v1/query/saved/old-ones'), {
      type: 'sql',
      count: 2,
      result: [{ who: 'al' }, { who: 'cy' }],
    });
    const body = {
      name: 'Young',
      type: 'sql',
      query: 'SELECT name FROM [default] WHERE age < 5',
      'cache-period': 60,
    };
    t.match(await send('POST', '/v1/query/saved', body), {
      status: 'success',
      name: 'Young',
      query: body.query,
    });
    t.strictSame(await rows('SELECT * FROM young'), [{ name: 'bo' }]);
    t.match(await send('GET', '/v1/query/saved/Young'), { result: [{ name: 'bo' }] });
    const refused: readonly (readonly [unknown, number])[] = [
      ['SELECT nothing FROM [default]', 6000],
      ['SELECT 1; DROP TABLE [default]', 6000],
      ['DELETE FROM [default]', 6000],
      ['SELECT 1 AS x FROM young; SELECT 2', 6000],
      ['', 6000],
      [7, 4049],
      [{ sql: 'SELECT $1', dialect: 'postgres' }, 6000],
      [{ sql: 'SELECT 1; SELECT 2', dialect: 'postgres' }, 6000],
      [{ sql: 'SELECT 1 AS x', dialect: 'oracle' }, 4049],
      [{ dialect: 'http' }, 4010],
      [{ sql: 'SELECT 1 AS x', columns: ['a', 'b'] }, 6000],
    ];
    for (const [query, code] of refused) {
      const answer = await send('POST', '/v1/query/saved', { name: 'wrong', type: 'sql', query });
      t.equal(refusedBy(answer).code, code, JSON.stringify([query, answer]));
    }
    t.match(await send('DELETE', '/v1/query/saved/Young'), { 'deleted-query': 'Young' });
  });

  t.test('the catalog of the port lists views with their columns', async (t) => {
    t.strictSame(
      await rows(`SELECT table_name, column_name, data_type FROM information_schema.columns
        WHERE table_name = 'halves' ORDER BY ordinal_position`),
      [
        { table_name: 'halves', column_name: 'name', data_type: 'text' },
        { table_name: 'halves', column_name: 'half', data_type: 'bigint' },
        { table_name: 'halves', column_name: 'count', data_type: 'bigint' },
      ],
    );
    const named = `SELECT viewname FROM pg_views WHERE schemaname = 'public' ORDER BY 1`;
    t.strictSame(await rows(named), [{ viewname: 'halves' }, { viewname: 'old_ones' }]);
    t.strictSame(
      await rows("SELECT table_name FROM information_schema.views WHERE table_schema = 'public' ORDER BY 1"),
      [{ table_name: 'halves' }, { table_name: 'old_ones' }],
    );
    await client.query('CREATE VIEW third AS SELECT 1 AS one');
    t.equal((await rows(named)).length, 3, 'a new view appears at once');
    await client.query('DROP VIEW third');
    t.match(await rows(`SELECT obj_description('old_ones'::regclass) AS query`), [
      { query: /^SELECT name, age.*-- old$/ },
    ]);
  });

  t.test('whoever reads a view sees only what his key may see', async (t) => {
    const key = async (body: object): Promise<string> =>
      String(
        (
          (
            await https.request({
              ...{ path: '/v1/database/custom_key', key: fixture.keys.team },
              body: {
                'database-name': 'quarry',
                'custom-database-key': { 'key-type': 'write-read', ...body },
              },
            })
          ).body as { readonly key?: string }
        ).key,
      );
    const filtered = await key({ 'key-name': 'filtered', filter: { default: { age: { lt: 8 } } } });
    const narrow = await key({ 'key-name': 'narrow', 'columns-whitelist': { default: ['age'] } });
    t.match(await sql('SELECT who FROM old_ones', filtered), { result: [{ who: 'al' }] });
    t.match(refusedBy(await sql('SELECT years FROM old_ones', narrow)), {
      more_info: { message: 'there is no table "old_ones"' },
    });
    const other = await fixture.connect(narrow);
    t.match(await refusal(other.query('SELECT years FROM old_ones')), { code: '42P01' });
    t.strictSame((await other.query(`SELECT viewname FROM pg_views WHERE schemaname = 'public'`)).rows, []);
    t.match(await refusal(other.query('CREATE VIEW names AS SELECT name FROM "default"')), { code: '42501' });
    await other.query('CREATE VIEW ages AS SELECT age FROM "default"');
    t.equal((await rows('SELECT * FROM ages')).length, 3);
    await client.query('CREATE VIEW doubled AS SELECT age * 2 AS age FROM ages');
    t.equal((await other.query('SELECT age FROM doubled')).rowCount, 3);
    const owner = await fixture.connect(filtered);
    t.match(await refusal(owner.query('DROP VIEW ages')), { message: /another custom key/ });
    await client.query('DROP VIEW doubled, ages');
    t.match(refusedBy(await sql('CREATE VIEW w AS SELECT 1 AS x', fixture.keys.read)), { code: 503 });
  });

  t.test('a view whose column or table is gone gives a clear error', async (t) => {
    await https.request({ method: 'POST', path: '/v1/column', body: [{ name: 'brief', type: 'integer' }] });
    await client.query('CREATE VIEW briefs AS SELECT "entity-id", brief FROM "default"');
    await https.request({ method: 'DELETE', path: '/v1/column', body: { 'api-name': 'brief' } });
    t.match(await refusal(client.query('SELECT * FROM briefs')), {
      message: /^the view "briefs" cannot be read: .*"brief"/,
      position: '15',
    });
    t.match(refusedBy(await sql('SELECT * FROM briefs')), { more_info: { line: 1, column: 15 } });
    t.match((await send('GET', '/v1/query/saved'))['saved-queries'], [{}, {}, { name: 'briefs' }]);
    await client.query('DROP VIEW briefs');
  });

  t.test('refuses what cannot be promised', async (t) => {
    t.match(await refusal(client.query('CREATE VIEW v AS SELECT $1::int AS x', [1])), { code: '42P02' });
    t.match(await refusal(client.query('CREATE TABLE old_ones AS SELECT 1 AS x')), { message: /is a view/ });
    t.match(await refusal(client.query('CREATE VIEW "default" AS SELECT 1 AS x')), {
      message: /already exists/,
    });
    t.match(await refusal(client.query('DROP VIEW "default"')), { message: /is not a view/ });
    await client.query('CREATE TEMP TABLE mine AS SELECT 1 AS x');
    t.match(await refusal(client.query('CREATE VIEW v AS SELECT x FROM mine')), { code: '42P01' });
    t.match(refusedBy(await sql('CREATE TEMP VIEW v AS SELECT 1 AS x')), {
      more_info: { message: /temporary/ },
    });
    t.match(refusedBy(await sql(`CREATE VIEW [${'v'.repeat(300)}] AS SELECT 1 AS x`)), {
      more_info: { code: 4041 },
    });
  });

  t.test('views of views are bounded', async (t) => {
    await client.query('CREATE VIEW d0 AS SELECT 1 AS x');
    for (let depth = 1; depth <= 7; depth++) {
      await client.query(
        `CREATE VIEW d${depth} AS SELECT a.x FROM d${depth - 1} a JOIN d${depth - 1} b ON a.x = b.x`,
      );
    }
    t.match(await refusal(client.query('SELECT * FROM d7 a CROSS JOIN d7 b')), {
      message: /more than 256 views/,
    });
    for (let depth = 7; depth >= 0; depth--) await client.query(`DROP VIEW d${depth}`);
  });

  t.test('views are durable', async (t) => {
    await fixture.server.kill();
    const again = new ServerProcess({ dir: fixture.server.dir, flags: ['--workers', '2'] });
    t.teardown(() => again.kill());
    const reopened = new JsonClient(await again.serving, fixture.keys.master);
    t.teardown(() => reopened.close());
    const headers = { 'content-type': 'application/sql' };
    const { body } = await reopened.request({
      path: '/v1/sql',
      text: 'SELECT half FROM halves ORDER BY 1',
      headers,
    });
    t.match(body, { result: [{ half: 1 }, { half: 3 }, { half: 4 }] });
  });
});
