/**
 * Conditions on behaviour select the same entities wherever conditions are used: counts, extractions, scores, keys' row filters,
 * saved queries, updates and deletes, also when these are read from the log after a kill.
 */
import t from 'tap';
import { SqlStore, temporaryDir } from './sql-store.js';

const ENTITIES = 60;
const VISIT = (value: string): object => ({ event: { visit: { equals: value } } });
/** Entity i sees page a on day 1, page b on day 2 if i is even, and page c on day 3 if i is a multiple of 3. */
const entity = (i: number): object => ({
  visit: ['a', ...(i % 2 === 0 ? ['b'] : []), ...(i % 3 === 0 ? ['c'] : [])].map((value, day) => ({
    value,
    date: `2024-01-0${day + 1}`,
  })),
});
const CONDITIONS: readonly (readonly [name: string, condition: object, selects: (i: number) => boolean])[] = [
  [
    'funnel',
    { funnel: { steps: ['a', 'b', 'c'].map(VISIT), reached: 2, 'not-reached': 3 } },
    (i) => i % 2 === 0 && i % 3 !== 0,
  ],
  [
    'retention',
    {
      retention: {
        ...{ start: VISIT('a'), return: VISIT('c'), interval: 'days', between: ['2024-01-01', '2024-01-02'] },
        ...{ 'cohort-of': '2024-01-01', period: 1 },
      },
    },
    (i) => i % 2 !== 0 && i % 3 === 0,
  ],
  [
    'active',
    {
      active: {
        event: { visit: {} },
        interval: 'days',
        between: ['2024-01-01', '2024-01-05'],
        'at-least': 3,
      },
    },
    (i) => i % 6 === 0,
  ],
  [
    'sequence',
    { sequence: { conditions: [VISIT('a'), VISIT('c')], pattern: '(?1)(?2)' } },
    (i) => i % 3 === 0,
  ],
];

const idsOf = (selects: (i: number) => boolean): string[] =>
  Array.from({ length: ENTITIES }, (_, i) => i)
    .filter(selects)
    .map((i) => `e${String(i).padStart(2, '0')}`);

t.test('counts, extractions, scores, row filters, saved queries, updates and deletes', async (t) => {
  const dir = temporaryDir(t);
  let store = await SqlStore.open(dir);
  t.teardown(() => store.server.kill());
  const flags = CONDITIONS.map(([name]) => ({
    name: `is-${name}`,
    'api-name': `is-${name}`,
    type: 'boolean',
    storage: 'latest-value',
  }));
  await store.client.succeed({
    path: '/v1/column',
    body: [{ name: 'visit', type: 'string-event' }, ...flags],
  });
  const body = Object.fromEntries(idsOf(() => true).map((id, i) => [id, entity(i)]));
  await store.client.succeed({ path: '/v1/insert', body });
  for (const [name, condition, selects] of CONDITIONS) {
    const expected = idsOf(selects);
    t.ok(expected.length > 0 && expected.length < ENTITIES, `${name}: ${expected.length} entities`);
    const query = [condition];
    const count = await store.client.succeed<{ result: { q: number } }>({
      path: '/v1/query/count/entity',
      body: { 'query-name': 'q', query },
    });
    t.equal(count.result.q, expected.length, `${name}: count`);
    const extraction = { query, columns: ['entity-id'], limit: 100, order: [{ 'entity-id': 'asc' }] };
    const found = await store.client.succeed<{ data: { 'entity-id': string }[] }>({
      path: '/v1/data_extraction/result',
      body: extraction,
    });
    t.strictSame(
      found.data.map((row) => row['entity-id']),
      expected,
      `${name}: extraction`,
    );
    const scored = await store.client.succeed<{ data: { 'entity-id': string; score: number }[] }>({
      path: '/v1/data_extraction/score',
      body: {
        query: [condition, 'or', { visit: { equals: 'a', between: ['2024-01-01', '2024-02-01'] } }],
        columns: ['entity-id'],
        limit: 100,
      },
    });
    const twice = scored.data.filter(({ score }) => score === 2);
    t.strictSame(twice.map((row) => row['entity-id']).sort(), expected, `${name}: score`);
    const key = { 'key-name': name, 'key-type': 'read-only', filter: { default: condition } };
    const made = await store.client.succeed<{ key: string }>({
      ...{ path: '/v1/database/custom_key', key: store.server.keys().team },
      body: { 'database-name': 'quarry', 'custom-database-key': key },
    });
    const total = await store.client.succeed<{ result: { total: number } }>({
      ...{ path: '/v1/query/count/entity/total', key: made.key },
    });
    t.equal(total.result.total, expected.length, `${name}: row filter`);
    const saved = { name, type: 'count/entity', query };
    await store.client.succeed({ path: '/v1/query/saved', body: saved });
    const again = await store.client.succeed<{ result: { query: number } }>({
      path: `/v1/query/saved/${name}`,
    });
    t.equal(again.result.query, expected.length, `${name}: saved query`);
    const updated = await store.client.succeed<{ result: { updated: number } }>({
      path: '/v1/update',
      body: { query, set: { [`is-${name}`]: true } },
    });
    t.equal(updated.result.updated, expected.length, `${name}: update`);
  }
  await store.server.kill();
  store = await SqlStore.open(dir);
  for (const [name, , selects] of CONDITIONS) {
    const rows = await store.rows<{ id: string }>(
      `SELECT [entity-id] AS id FROM [default] WHERE [is-${name}] ORDER BY id`,
    );
    t.strictSame(
      rows.map(({ id }) => id),
      idsOf(selects),
      `${name}: the update is in the log`,
    );
  }
  const [, condition, selects] = CONDITIONS[0];
  await store.client.succeed({ path: '/v1/delete', body: { query: [condition] } });
  await store.server.kill();
  store = await SqlStore.open(dir);
  const rows = await store.rows<{ id: string }>('SELECT [entity-id] AS id FROM [default] ORDER BY id');
  t.strictSame(
    rows.map(({ id }) => id),
    idsOf((i) => !selects(i)),
    'the delete is in the log',
  );
});
