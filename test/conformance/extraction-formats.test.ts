/**
 * Extractions as NDJSON, CSV and Arrow from the whole server: the rows of the JSON pages, in the same order, and all of
 * one version while rows are written.
 */
import { tableFromIPC } from 'apache-arrow';
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { ConformanceServer, type RawAnswer } from '../support/conformance-server.js';

const SEED = 59;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

const RESULT = '/v1/data_extraction/result';
/** More rows than a worker returns at once. */
const ENTITY_COUNT = 40_000;
const NDJSON = 'application/x-ndjson';
const ARROW = 'application/vnd.apache.arrow.stream';

type Row = Readonly<Record<string, unknown>>;

async function ok(answer: Promise<RawAnswer>): Promise<RawAnswer> {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(`${status}: ${text.slice(0, 500)}`);
  return answer;
}

async function pagesOf(server: ConformanceServer, body: Row): Promise<Row[]> {
  const rows: Row[] = [];
  for (let token: unknown = null; ; ) {
    const page = JSON.parse(
      (await ok(server.post(RESULT, JSON.stringify({ ...body, 'page-token': token })))).text,
    );
    const { data } = page;
    if (Array.isArray(data)) rows.push(...data);
    else for (const [id, row] of Object.entries(data)) rows.push({ 'entity-id': id, ...(row as Row) });
    if (page['next-page'] === null) return rows;
    token = page['page-token'];
  }
}

async function inFormat(server: ConformanceServer, accept: string, body: Row): Promise<RawAnswer> {
  return ok(server.post(RESULT, JSON.stringify(body), 'application/json', accept));
}

const linesOf = (text: string): Row[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

t.test('all rows are returned in every format', async (t) => {
  const server = await ConformanceServer.start(true, { workers: 2 });
  t.teardown(() => server.stop());
  const prng = new Prng(SEED);
  await ok(
    server.post(
      '/v1/column',
      JSON.stringify([
        { name: 'city', type: 'string' },
        { name: 'age', type: 'integer' },
        { name: 'tags', type: 'string', storage: 'list-of-values' },
        { name: 'clicks', type: 'string-event' },
        { name: 'place', type: 'geolocation' },
      ]),
    ),
  );
  const entity = (): Row => ({
    city: `${prng.pick(['berlin', 'a "quoted", one', 'zürich\n'])} ${prng.below(50)}`,
    ...(prng.chance(0.8) ? { age: prng.below(90) } : {}),
    ...(prng.chance(0.2) ? { tags: ['a', `b${prng.below(5)}`] } : {}),
    ...(prng.chance(0.1) ? { clicks: [{ value: 'buy', date: '2020-01-02' }] } : {}),
    ...(prng.chance(0.3) ? { place: [prng.below(180), prng.below(90)] } : {}),
  });
  for (let from = 0; from < ENTITY_COUNT; from += 1_000) {
    const entities = Array.from({ length: 1_000 }, (_, index) => [`e${from + index}`, entity()]);
    await ok(server.post('/v1/insert', JSON.stringify(Object.fromEntries(entities))));
  }
  const everyone = [{ city: { 'not-equals': 'nowhere' } }];
  const columns = ['entity-id', 'city', 'age', 'tags', { clicks: ['2020-01-01', '2020-02-01'] }];
  const bodies: Row[] = [
    { query: everyone, columns, limit: 3_000, order: [{ age: 'desc' }, { city: 'asc' }] },
    { query: [{ age: { range: [20, 25] } }], columns, limit: 5_000 },
    {
      query: [{ place: { geo_near: { longitude: 7, latitude: 50, limit: 2_500, show_coordinates: true } } }],
      columns,
      limit: 2_500,
    },
  ];
  for (const body of bodies) {
    const expected = await pagesOf(server, body);
    t.ok(expected.length > 1_100, `${expected.length} rows: more than a page`);
    const lines = linesOf((await inFormat(server, NDJSON, body)).text);
    t.ok(sameRows(lines, expected), 'NDJSON');
    const names = ['entity-id', 'city', 'age', 'tags', 'clicks'];
    const table = tableFromIPC((await inFormat(server, ARROW, body)).bytes);
    const arrow = table.toArray().map((row) => names.map((name) => row[name]));
    t.strictSame(
      arrow,
      expected.map((row) => names.map((name) => plain(row[name]))),
      'Arrow',
    );
    const csv = (await inFormat(server, 'text/csv', body)).text;
    t.equal(csv.slice(0, csv.indexOf('\r\n')).startsWith(names.join()), true);
    t.ok(csv.endsWith('\r\n'));
  }
  await t.test('more rows than workers return at once', async (t) => {
    const whole = { query: everyone, columns: ['age'], limit: 10_000_000 };
    const rows = linesOf((await inFormat(server, NDJSON, whole)).text);
    t.equal(rows.length, ENTITY_COUNT);
    t.equal(new Set(rows.map((row) => row['entity-id'])).size, ENTITY_COUNT, 'each once');
    const first = await pagesOf(server, { ...whole, limit: 2_500 });
    t.ok(sameRows(rows.slice(0, 2_500), first), 'in the order of pages');
    t.equal((await inFormat(server, 'text/csv', whole)).text.split('\r\n').length, ENTITY_COUNT + 2);
    const byAge = { query: everyone, columns: ['age'], limit: ENTITY_COUNT, order: [{ age: 'asc' }] };
    const table = tableFromIPC((await inFormat(server, ARROW, byAge)).bytes);
    const ages = [...(table.getChild('age') ?? [])].map((age) => (age === null ? 1e9 : Number(age)));
    t.equal(ages.length, ENTITY_COUNT);
    t.ok(
      ages.every((age, index) => index === 0 || ages[index - 1] <= age),
      'in their order',
    );
  });
  await t.test('all rows are of one version while writes continue', async (t) => {
    const set = (age: number): Promise<RawAnswer> =>
      ok(server.post('/v1/update', JSON.stringify({ query: everyone, set: { age } })));
    await set(0);
    for (let age = 1; age <= 3; age++) {
      const extraction = inFormat(server, NDJSON, { query: everyone, columns: ['age'], limit: ENTITY_COUNT });
      const [{ text }] = await Promise.all([extraction, set(age)]);
      const ages = new Set(linesOf(text).map((row) => row.age));
      t.equal(ages.size, 1, `ages ${[...ages].join()}`);
    }
  });
  await t.test('scores are returned in every format, and page tokens are refused', async (t) => {
    const body = {
      query: [{ age: { gte: 0 } }, 'or', { city: { contains: ['berlin'] } }],
      columns: ['age'],
      limit: 50,
    };
    const path = '/v1/data_extraction/score';
    const { data } = JSON.parse((await ok(server.post(path, JSON.stringify(body)))).text);
    const expected = Object.entries(data).map(([id, row]) => ({ 'entity-id': id, ...(row as Row) }));
    const lines = await ok(server.post(path, JSON.stringify(body), 'application/json', NDJSON));
    t.ok(sameRows(linesOf(lines.text), expected));
    const csv = await ok(server.post(path, JSON.stringify(body), 'application/json', 'text/csv'));
    t.ok(csv.text.startsWith('entity-id,age,score\r\n'));
    const paged = { query: everyone, columns: ['age'], limit: 5_000 };
    const token = JSON.parse((await ok(server.post(RESULT, JSON.stringify(paged)))).text)['page-token'];
    const refused = await server.post(
      RESULT,
      JSON.stringify({ ...paged, 'page-token': token }),
      'application/json',
      ARROW,
    );
    t.equal(refused.status, 400);
    t.equal(JSON.parse(refused.text).errors[0].code, 4049);
  });
});

const plain = (value: unknown): unknown =>
  value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);

/** Keys may be in another order. */
function sameRows(found: readonly Row[], expected: readonly Row[]): boolean {
  const text = (row: Row): string => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  return found.length === expected.length && found.every((row, index) => text(row) === text(expected[index]));
}
