/** The SQL of questions: its form, and what has none. That its numbers are those of the answers is tested on a server. */
import t from 'tap';
import { sqlOf, sqlOfAll } from '../../../src/console/query/sql-text.js';
import { MODEL } from '../model.js';

const sql = (path: string, body: unknown): string | null =>
  sqlOf({ method: 'POST', path: `/v1/${path}`, body: JSON.stringify(body) }, MODEL);
const count = (query: readonly unknown[]): string | null =>
  sql('query/count/entity', { 'query-name': 'n', dimension: 'airports', query });
const where = (query: readonly unknown[]): string | undefined =>
  count(query)?.replace(/\s+/g, ' ').split(' WHERE ').slice(1).join(' WHERE ');

t.test('conditions are predicates, with quotes where texts need them', async (t) => {
  t.equal(where([{ state: { equals: "o'hare [x]" } }]), "[state] = 'o''hare [x]'");
  t.equal(
    where([{ state: { in: ['ca', 'ny'] } }, 'or', ['not', { big: { equals: true } }]]),
    "[state] IN ('ca', 'ny') OR NOT ([big] = TRUE)",
  );
  t.equal(where([{ runways: { gt: '9007199254740993' } }]), '[runways] > 9007199254740993', 'every digit');
  t.equal(
    where([{ location: { geo_radius: { longitude: 1, latitude: 2, radius: 3, unit: 'km' } } }]),
    'GEO_WITHIN_RADIUS([location], GEO_POINT(1, 2), 3000)',
  );
  t.equal(where([{ segment: 'vips' }]), "[entity-id] IN SEGMENT 'vips'");
  const march = ['2001-03-01', '2001-03-31T23:59:59Z'];
  t.equal(
    where([{ delay: { gt: 120, between: march } }]),
    "([delay.date] BETWEEN '2001-03-01' AND '2001-03-31T23:59:59Z' AND [delay.value] > 120)",
  );
  t.match(where([{ delay: { between: march, minfreq: 3 } }]), 'HAVING COUNT([delay.value]) >= 3)');
});

t.test('what SQL does not have is null', async (t) => {
  for (const condition of [
    { tags: { equals: 'x' } },
    { delay: { between: ['now', '-3d'] } },
    { unknown: { equals: 'x' } },
    { runways: { gt: '1) OR (1' } },
    { state: { 'regexp-match': 'x' } },
    { funnel: { steps: [] } },
  ]) {
    t.equal(count([condition]), null, JSON.stringify(condition));
  }
  t.equal(count([{ state: { equals: 'a' } }, 'and', { state: { equals: 'b' } }, 'or', { big: {} }]), null);
  t.equal(sql('query/exists/entity', { dimension: 'airports', ids: ['x'] }), null);
  t.equal(sql('query/count/entity/total', { dimensions: ['airports', 'default'] }), null);
  t.equal(sqlOf({ method: 'GET', path: '/v1/query/saved/x' }, MODEL), null);
});

t.test('a question about behaviour is a table, without what only the endpoint answers', async (t) => {
  const question = { 'query-name': 'n', dimension: 'airports', steps: [{ name: "it's" }], histogram: 20 };
  t.equal(
    sql('query/funnel', question),
    `SELECT * FROM funnel('{"dimension":"airports","steps":[{"name":"it''s"}]}')`,
  );
});

t.test('several questions are several statements', async (t) => {
  const total = { method: 'POST', path: '/v1/query/count/entity/total' } as const;
  const request = { ...total, body: '{"dimensions":["airports"]}' };
  const own = { ...total, path: '/v1/sql', body: 'SELECT 1' };
  t.equal(sqlOfAll([request, own], MODEL), 'SELECT COUNT(*) AS count\nFROM [airports];\n\nSELECT 1');
  t.equal(sqlOfAll([request, { ...request, body: '{}' }], MODEL), null);
});
