/** Columns and dimensions that preserve case, through the whole server: inserts, conditions, SQL, restarts. */
import t, { type Test } from 'tap';
import { ConformanceServer } from '../support/conformance-server.js';

type Row = Readonly<Record<string, unknown>>;

class Store {
  readonly #server: ConformanceServer;
  readonly #t: Test;

  constructor(server: ConformanceServer, t: Test) {
    this.#server = server;
    this.#t = t;
  }

  async post(path: string, body: unknown): Promise<Row> {
    const { status, text } = await this.#server.post(path, JSON.stringify(body));
    this.#t.equal(status, 200, `${path} ${JSON.stringify(body)}: ${text}`);
    return JSON.parse(text);
  }

  async refused(path: string, body: unknown, code: number): Promise<void> {
    const { text } = await this.#server.post(path, JSON.stringify(body));
    this.#t.match(JSON.parse(text), { errors: [{ code }] }, `${path} ${JSON.stringify(body)}`);
  }

  async rows(sql: string): Promise<readonly Row[]> {
    const { status, text } = await this.#server.sql(sql);
    this.#t.equal(status, 200, `${sql}: ${text}`);
    return JSON.parse(text).result;
  }

  /** The number of entities of `pages` that satisfy the query. */
  async count(query: unknown): Promise<unknown> {
    const body = { 'query-name': 'q', dimension: 'pages', query };
    return ((await this.post('/v1/query/count/entity', body)).result as Row).q;
  }
}

const PAGES = {
  Home: { dimension: 'pages', url: 'https://Example.com/A', title: 'Welcome' },
  home: { dimension: 'pages', url: 'https://example.com/a', title: 'Welcome' },
  'Ümläut É': { dimension: 'pages', url: 'https://Example.com/ÄÖ?x="Y"', title: 'OTHER' },
  '😀 Q': { dimension: 'pages', url: 'HTTPS://EXAMPLE.COM/A', title: 'third' },
};

async function fill(store: Store): Promise<void> {
  await store.post('/v1/dimension', { name: 'Pages', 'api-name': 'pages', case: 'preserve' });
  await store.post('/v1/column', [
    { name: 'url', type: 'string', dimension: 'pages', case: 'preserve' },
    { name: 'title', type: 'string', dimension: 'pages' },
    { name: 'tags', type: 'string', storage: 'list-of-values', dimension: 'pages', case: 'preserve' },
    { name: 'visits', type: 'string-event', dimension: 'pages', case: 'preserve' },
  ]);
  await store.post('/v1/insert', PAGES);
  const visits = [
    { value: 'Ref A', date: '2026-01-01T00:00:00Z' },
    { value: 'ref a', date: '2026-01-02T00:00:00Z' },
  ];
  await store.post('/v1/insert', { Home: { dimension: 'pages', tags: ['Red', 'red', 'BLUE'], visits } });
}

async function check(store: Store, t: Test): Promise<void> {
  const url = (predicates: Row): unknown => [{ url: predicates }];
  t.equal(await store.count(url({ equals: 'https://Example.com/A' })), 1, 'equals is exact');
  t.equal(await store.count(url({ equals: 'https://EXAMPLE.com/A' })), 0, 'another case is another text');
  t.equal(await store.count(url({ equals: 'HTTPS://example.COM/a', 'ignore-case': true })), 3, 'ignore-case');
  t.equal(await store.count(url({ 'not-equals': 'https://example.com/a', 'ignore-case': true })), 1);
  t.equal(await store.count(url({ in: ['https://example.com/a'], 'ignore-case': false })), 1);
  t.equal(await store.count(url({ contains: 'Example' })), 2);
  t.equal(await store.count(url({ contains: 'eXAMPLE.', 'ignore-case': true })), 4);
  t.equal(await store.count(url({ 'ends-with': 'äö?x="y"', 'ignore-case': true })), 1);
  t.equal(await store.count([{ 'entity-id': { equals: 'Home' } }]), 1, 'IDs are exact');
  t.equal(await store.count([{ 'entity-id': { equals: 'HOME' } }]), 0);
  t.equal(await store.count([{ 'entity-id': { equals: 'HOME', 'ignore-case': true } }]), 2);
  t.equal(await store.count([{ title: { equals: 'WELCOME' } }]), 2, 'a folding column beside it');
  t.equal(await store.count([{ tags: { equals: 'Red' } }]), 1);
  t.equal(await store.count([{ tags: { equals: 'RED' } }]), 0);
  const between = ['2026-01-01', '2026-01-31'];
  t.equal(await store.count([{ visits: { equals: 'Ref A', between } }]), 1);
  t.equal(await store.count([{ visits: { equals: 'REF A', between } }]), 0);
  t.equal(await store.count([{ visits: { equals: 'REF A', 'ignore-case': true, minfreq: 2, between } }]), 1);

  const exists = await store.post('/v1/query/exists/entity', { ids: ['Home', 'HOME'], dimension: 'pages' });
  t.match(exists, { exists: ['Home'], 'not-exists': ['HOME'] });

  const ids = async (where: string): Promise<unknown> =>
    (await store.rows(`SELECT [entity-id] FROM pages WHERE ${where} ORDER BY [entity-id]`)).map(
      (row) => row['entity-id'],
    );
  t.strictSame(await ids("url = 'https://Example.com/A'"), ['Home']);
  t.strictSame(await ids("url LIKE 'https://Example%'"), ['Home', 'Ümläut É']);
  t.strictSame(await ids("url ILIKE 'https://Example%'"), ['Home', 'home', 'Ümläut É', '😀 Q']);
  t.strictSame(await ids("LOWER(url) = 'https://example.com/A'"), ['Home', 'home', '😀 Q']);
  t.strictSame(await ids("UPPER(url) = 'HTTPS://EXAMPLE.COM/A' AND url <> 'x'"), ['Home', 'home', '😀 Q']);
  t.strictSame(await ids("url IN ('https://example.com/a', 'HTTPS://EXAMPLE.COM/A')"), ['home', '😀 Q']);
  t.strictSame(await ids("[entity-id] = 'Home' AND title = 'WELCOME'"), ['Home']);
  t.strictSame(await ids("CASE WHEN url = 'https://example.com/a' THEN 1 ELSE 0 END = 1"), ['home']);
  const wrapped = "SELECT u FROM (SELECT url AS u FROM pages) p WHERE u || '' = 'HTTPS://EXAMPLE.COM/A'";
  t.strictSame(await store.rows(wrapped), [{ u: 'HTTPS://EXAMPLE.COM/A' }], 'through a derived table');
  const grouped = await store.rows('SELECT url, COUNT(*) AS n FROM pages GROUP BY url');
  t.equal(grouped.length, 4, 'groups are exact');
  const folded = await store.rows('SELECT LOWER(url) AS u, COUNT(*) AS n FROM pages GROUP BY LOWER(url)');
  t.strictSame(folded.map(({ n }) => n).sort(), [1, 3]);
  const events = await store.rows('SELECT value, COUNT(*) AS n FROM visits GROUP BY value ORDER BY value');
  t.strictSame(events, [
    { value: 'Ref A', n: 1 },
    { value: 'ref a', n: 1 },
  ]);
  const self = 'SELECT COUNT(*) AS n FROM pages a JOIN pages b ON a.url = b.url';
  t.strictSame(await store.rows(self), [{ n: 4 }], 'joins are exact');

  const extracted = await store.post('/v1/data_extraction/result', {
    ...{ dimension: 'pages', columns: ['entity-id', 'url', 'tags'] },
    query: [{ 'entity-id': { equals: 'Home' } }],
  });
  t.match(extracted.data, [
    { 'entity-id': 'Home', url: 'https://Example.com/A', tags: ['Red', 'red', 'BLUE'] },
  ]);
}

for (const simd of [true, false]) {
  t.test(`texts keep their case${simd ? '' : ', without SIMD'}`, async (t) => {
    const server = await ConformanceServer.start(simd, { workers: 2, shards: 3 });
    const store = new Store(server, t);
    try {
      await fill(store);
      await check(store, t);
      await server.restartFromLog();
      await check(store, t);
      await server.restart(!simd);
      await check(store, t);
      await store.rows("UPDATE pages SET url = 'New URL' WHERE url = 'https://example.com/a'");
      t.equal(await store.count([{ url: { equals: 'New URL' } }]), 1, 'UPDATE keeps the case');
      await store.rows("DELETE FROM pages WHERE [entity-id] = 'home'");
      t.equal(await store.count([{ 'entity-id': { equals: 'Home' } }]), 1, 'DELETE is exact');
      await store.rows("INSERT INTO pages ([entity-id], url) VALUES ('HOME', 'A b')");
      t.strictSame(await store.rows("SELECT url FROM pages WHERE [entity-id] = 'HOME'"), [{ url: 'A b' }]);
    } finally {
      await server.stop();
    }
  });
}

t.test('case is refused where it has no meaning', async (t) => {
  const server = await ConformanceServer.start(true);
  const store = new Store(server, t);
  try {
    await store.refused('/v1/column', { name: 'n', type: 'integer', case: 'preserve' }, 3000);
    await store.refused('/v1/column', { name: 'n', type: 'string', case: 'upper' }, 3000);
    await store.refused('/v1/dimension', { name: 'd', 'api-name': 'd', case: 7 }, 5007);
    await store.post('/v1/column', [
      { name: 'name', type: 'string' },
      { name: 'age', type: 'integer' },
    ]);
    const query = (column: string, predicates: Row): unknown => ({
      'query-name': 'q',
      query: [{ [column]: predicates }],
    });
    const path = '/v1/query/count/entity';
    await store.refused(path, query('age', { equals: 1, 'ignore-case': true }), 4039);
    await store.refused(path, query('name', { equals: 'x', 'ignore-case': 'yes' }), 4049);
    await store.refused(path, query('name', { 'ignore-case': true }), 4049);
    t.strictSame((await store.post(path, query('name', { equals: 'x', 'ignore-case': true }))).result, {
      q: 0,
    });
  } finally {
    await server.stop();
  }
});
