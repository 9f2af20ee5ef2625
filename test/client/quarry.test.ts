/** Tests every method against a real server. */
import t from 'tap';
import { Quarry } from '../../src/client/index.js';
import { OPERATIONS } from '../../src/openapi/index.js';
import { serveClients } from './site.js';

const YEAR = ['2026-01-01', '2026-12-31'] as const;
const BIG = 2n ** 62n + 1n;

/** Leaving the loop ends the request. */
async function firstOf<T>(answers: AsyncIterable<T>): Promise<T | undefined> {
  for await (const answer of answers) return answer;
  return undefined;
}

t.test('a program works with every method', async (t) => {
  const site = await serveClients(t);
  const called = new Set<string>();
  /** Records the endpoints that are called. */
  const { nodeFetch } = await import('../../src/client/transport/node-fetch.js');
  const over = nodeFetch({ ca: site.ca }).fetch;
  const quarry = site.quarry({
    url: `${site.url}/`,
    fetch: (url, init) => {
      const path = new URL(url).pathname
        .replace(/(\/query\/saved\/)[^/]*/, '$1:query_name')
        .replace(/(\/segment\/)[^/]*/, '$1:segment_name')
        .replace(/(\/status\/queries\/)[^/]*/, '$1:query_id');
      called.add(`${init.method} ${path}`);
      return over(url, init);
    },
  });
  const team = quarry.withKey(site.keys.team);

  await t.test('the model', async (t) => {
    t.strictSame(await quarry.createDimensions({ name: 'People', 'api-name': 'people' }), ['people']);
    t.strictSame(await quarry.dimensions(), ['default', 'people']);
    const columns = await quarry.createColumns([
      { name: 'country', type: 'string', cardinality: 'low' },
      { name: 'age', type: 'integer' },
      { name: 'visit', type: 'string-event' },
      { name: 'paid', type: 'decimal-event', 'decimal-places': 2 },
    ]);
    t.strictSame(columns, ['country', 'age', 'visit', 'paid']);
    t.strictSame(await quarry.createColumns({ name: 'doomed', type: 'string' }), ['doomed']);
    await quarry.changeColumn({ 'api-name': 'doomed', name: 'Doomed', active: false });
    const { default: listed } = await quarry.columns();
    t.strictSame([listed.active.length, listed.inactive[0]?.name], [5, 'Doomed']);
    await quarry.deleteColumn('doomed');
    t.strictSame(await quarry.relate({ name: 'order', columns: ['visit', 'paid'] }), ['visit', 'paid']);
    t.strictSame(await quarry.relations(), { default: { order: ['visit', 'paid'] } });
    t.strictSame(await quarry.unrelate({ name: 'order', columns: ['visit', 'paid'] }), ['visit', 'paid']);
    await quarry.deleteDimension('people');
  });

  await t.test('writes', async (t) => {
    const inserted = await quarry.insert({
      u1: {
        country: 'Germany',
        age: BIG,
        visit: [
          { value: 'docs', date: '2026-01-05' },
          { value: 'docs', date: '2026-01-06' },
        ],
      },
      u2: { country: 'France', age: 27, paid: { value: 9.5, date: '2026-01-05' } },
      u3: { country: 'France', age: 50 },
    });
    t.match(inserted, { 'inserted-entities': 3, 'inserted-values': 9 });
    await quarry.insert({ x1: { fresh: 'x' } }, { autoCreate: ['column'] });
    const name = { idempotencyKey: 'once' };
    const update = { query: [{ 'entity-id': { equals: 'u3' } }], set: { age: 51, country: null } };
    t.equal(await quarry.update(update, name), 1);
    t.equal(await quarry.update(update, name), 1);
    await t.rejects(quarry.update({ ...update, set: { age: 52 } }, name), { code: 9001, status: 422 });
    t.equal(await quarry.delete({ query: [{ 'entity-id': { equals: 'x1' } }] }), 1);
  });

  await t.test('SQL as rows, while they arrive, and as Arrow', async (t) => {
    const select = 'SELECT [entity-id], age FROM [default] ORDER BY [entity-id]';
    const rows = [
      { 'entity-id': 'u1', age: BIG },
      { 'entity-id': 'u2', age: 27 },
      { 'entity-id': 'u3', age: 51 },
    ];
    t.strictSame(await quarry.query(select), rows, 'integers keep their digits');
    const came: unknown[] = [];
    for await (const row of quarry.rows(select)) came.push(row);
    t.strictSame(came, rows);
    const table = await quarry.arrow(select);
    t.strictSame([table.numRows, table.getChild('age')?.get(0)], [3, BIG]);
    t.match(await quarry.sql("UPDATE [default] SET age = 52 WHERE [entity-id] = 'u3'"), {
      result: { updated: 1 },
      count: 1,
    });
    await t.rejects(quarry.query('SELECT nothing FROM [default]'), { code: 6000 });
    await t.rejects(quarry.rows('SELECT nothing FROM [default]').next(), { code: 6000 });
  });

  await t.test('queries', async (t) => {
    const french = [{ country: { equals: 'france' } }];
    const docs = [{ visit: { equals: 'docs', between: YEAR } }];
    t.strictSame(
      await quarry.count([
        { 'query-name': 'a', query: french },
        { 'query-name': 'b', query: docs },
      ]),
      { a: 1, b: 1 },
    );
    t.strictSame(await quarry.countEvents({ 'query-name': 'a', query: docs }), { a: 2 });
    t.match(await quarry.countEvents({ 'query-name': 'a', query: docs, interval: 'days' }), {
      a: [{ count: 1 }, { count: 1 }],
    });
    t.equal(await quarry.total(), 3);
    t.equal(await quarry.total(['default']), 3);
    t.match(await quarry.exists(['u1', 'u9']), { exists: ['u1'], 'not-exists': ['u9'] });
    t.strictSame(await quarry.aggregate({ filter: french, query: [{ country: 5 }, { age: 'max' }] }), {
      country: [{ quantity: 1, value: 'france', age: { max: 27 } }],
    });
    t.strictSame(await quarry.aggregate({ query: [{ age: 'max' }] }), { age: { max: BIG } });
    const top = await quarry.topValues({ q: { country: 2, 'starts-with': ['fr'] } });
    t.strictSame(top, { q: { country: [{ quantity: 1, value: 'france' }] } });
  });

  await t.test('behaviour', async (t) => {
    const visit = { event: { visit: {} } } as const;
    const days = { 'query-name': 'a', ...visit, between: YEAR, interval: 'days' } as const;
    const steps = [visit, { event: { visit: { equals: 'docs' } } }];
    t.match(await quarry.funnel({ 'query-name': 'a', steps, within: '7d' }), {
      a: { steps: [{ name: 'step 1', conversion: 1 }, { name: 'step 2' }] },
    });
    const { between, interval } = days;
    const retained = await quarry.retention([
      { 'query-name': 'a', start: visit, between, interval, periods: 2 },
    ]);
    t.equal(retained.a.total.counts.length, 2);
    const { series } = (await quarry.actives({ ...days, rolling: 7 })).a;
    const lifecycle = (await quarry.lifecycle(days)).a.series;
    t.strictSame(
      series.map(({ count }) => count),
      lifecycle.map((stage) => stage.new + stage.returning + stage.resurrecting),
    );
    t.equal((await quarry.stickiness(days)).a.periods, series.length);
    const a = { 'query-name': 'a' } as const;
    t.ok((await quarry.sequence({ ...a, conditions: [visit], pattern: '(?1)' })).a.entities > 0);
    t.ok((await quarry.sessions({ ...a, stream: ['visit'], gap: '30min' })).a.sessions > 0);
    t.equal((await quarry.flow({ ...a, start: visit, depth: 2 })).a.levels.length, 2);
    const segments = ['one', 'two'].map((name) => ({ name, query: [{ age: { gte: 0 } }] }));
    t.match(await quarry.overlap({ ...a, segments }), { a: { combinations: [{ in: ['one', 'two'] }] } });
    t.equal((await quarry.compare({ ...a, segments, limit: 1 })).a.length, 1);
    t.strictSame(await quarry.timeline({ ...a, 'entity-id': 'nobody' }), { a: { data: [] } });
  });

  await t.test('rows', async (t) => {
    const extraction = {
      query: [{ age: { gte: 0 } }],
      columns: ['entity-id', 'age'],
      order: [{ age: 'asc' }],
    } as const;
    const page = await quarry.extract({ ...extraction, limit: 1 });
    t.strictSame(page.data, [{ 'entity-id': 'u2', age: '27' }]);
    await quarry.inserter({ entitiesMax: 1_000 }).close();
    const many = quarry.inserter();
    for (let n = 0; n < 1_500; n++) await many.add(`m${n}`, { age: n });
    await many.close();
    const sizes: number[] = [];
    for await (const { data } of quarry.pages({ ...extraction, limit: 1_400 }))
      sizes.push((data as readonly unknown[]).length);
    t.strictSame(sizes, [1_024, 376]);
    let count = 0;
    for await (const row of quarry.extractRows({ ...extraction, limit: 1_400 }))
      count += row['entity-id'] === undefined ? 0 : 1;
    t.equal(count, 1_400);
    t.equal((await quarry.extractArrow({ ...extraction, limit: 1_400 })).numRows, 1_400);
    const scored = await quarry.score({
      query: [{ country: { equals: 'france' } }],
      columns: ['entity-id'],
      limit: 1,
    });
    t.strictSame(scored.data, [{ 'entity-id': 'u2', score: 1 }]);
  });

  await t.test('saved queries', async (t) => {
    const query = [{ country: { equals: 'france' } }] as const;
    t.match(await quarry.saveQuery({ name: 'french', type: 'count/entity', query }), {
      name: 'french',
      'cache-period': null,
    });
    t.strictSame(await quarry.askSaved('french'), { query: 1 });
    const value = await firstOf(quarry.followSaved('french', { minIntervalMs: 100 }));
    t.match(value, { answer: { type: 'count/entity', result: { query: 1 } } });
    t.match(await firstOf(quarry.followInserts()), {
      lsn: value?.lsn,
      answer: { database: 'quarry', usage: { 'updated-entities': 2 } },
    });
    await quarry.changeSavedQuery('french', {
      type: 'count/entity/total',
      query: ['default'],
      'cache-period': 5,
    });
    t.match(await quarry.savedQueries(), [{ name: 'french', type: 'count/entity/total', 'cache-period': 5 }]);
    await quarry.deleteSavedQuery('french');
    await t.rejects(quarry.askSaved('french'), { code: 4023 });
  });

  await t.test('segments', async (t) => {
    const query = [{ country: { equals: 'france' } }] as const;
    t.match(await quarry.createSegment({ name: 'french', query }), {
      name: 'french',
      dimension: 'default',
      query,
    });
    await quarry.changeSegment('french', { ids: ['u1'] });
    await quarry.addSegmentIds('french', ['u2', 'u9']);
    t.match(await quarry.segment('french'), { query: null, 'id-count': 3 });
    t.equal(await quarry.removeSegmentIds('french', ['u9', 'u8']), 1);
    t.match(await quarry.segments(), [{ name: 'french', query: null }]);
    await quarry.deleteSegment('french');
    await t.rejects(quarry.segment('french'), { code: 4023 });
  });

  await t.test('databases, keys and users', async (t) => {
    const plans = { 'query-load': 'normal', 'insertion-load': 'normal' } as const;
    const keys = await team.createDatabase({ name: 'shop', type: 'test', ...plans }, ['127.0.0.1']);
    t.match(await quarry.withKey(keys['master-key']).database(), {
      name: 'shop',
      'addresses-whitelist': ['127.0.0.1'],
    });
    t.match(await quarry.status(), { database: 'quarry', dimensions: [{ 'api-name': 'default' }] });
    t.strictSame(await quarry.runningQueries(), []);
    t.equal(await quarry.stopQuery('unknown'), false);
    t.strictSame(await quarry.slowQueries(), []);
    await team.changeDatabase({ name: 'shop', 'new-database-name': 'market' }, []);
    t.strictSame(
      (await team.databases()).map(({ name }) => name),
      ['quarry', 'market'],
    );
    const partner = await team.createCustomKey('market', { 'key-name': 'partner', 'key-type': 'read-only' });
    t.equal(await quarry.withKey(partner).total(), 0);
    await team.changeCustomKey('market', { 'key-name': 'partner', 'new-key-name': 'friend' });
    t.strictSame(await team.customKeys(), { quarry: [], market: ['friend'] });
    const [friend] = await team.customKeyList();
    t.match(friend, { 'database-name': 'market', 'key-name': 'friend', 'columns-whitelist': {} });
    t.match(friend['last-used'], /^20\d\d-/);
    await team.deleteCustomKey('market', 'friend');
    await team.createPermissionGroup({
      'group-name': 'analysts',
      'allowed-permissions': [1],
      'allowed-databases': ['quarry'],
    });
    await team.changePermissionGroup({ 'group-name': 'analysts', 'allowed-permissions': [1, 6] });
    const ada = { email: 'ada@example.com', password: 'correct horse' };
    await team.createUser({ ...ada, 'permission-group': 'analysts' });
    await team.changeUser({ email: ada.email, labels: ['london'] });
    t.match(await team.users(), [{ email: ada.email, labels: ['london'], 'permission-group': 'analysts' }]);
    t.match(await team.permissionGroups(), [{ 'group-name': 'analysts', 'allowed-permissions': [1, 6] }]);
    const session = await quarry.withKey('').signIn({ ...ada, 'database-name': 'quarry' });
    t.strictSame(session.permissions, [1, 6]);
    t.equal(await quarry.withKey(session['session-key']).total(), 1_503);
    await team.deleteUser(ada.email);
    await team.deletePermissionGroup('analysts');
    await team.deleteDatabase('market');
  });

  const alias = 'POST /v1/query/count/events';
  // Records come from programs without this client, which sends entities; so do refused lines.
  const others = [alias, 'POST /v1/insert/lines', 'POST /v1/quarantine/retry'];
  const never = Object.keys(OPERATIONS).filter((name) => !called.has(name) && !others.includes(name));
  t.strictSame(
    never,
    ['GET /v1/query/count/entity/total'],
    'every endpoint has a method; totals are requested by POST',
  );
});

t.test('a server with a private certificate requires `ca`', async (t) => {
  const site = await serveClients(t);
  t.equal(await site.quarry().total(), 0);
  const untrusting = new Quarry({ url: site.url, key: site.keys.master, retries: 0 });
  await t.rejects(untrusting.total(), { name: 'ConnectionError', message: /self-signed|certificate/ });
});
