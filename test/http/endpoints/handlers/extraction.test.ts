import t from 'tap';
import { databaseOf } from '../../../../src/catalog/index.js';
import { handleCreateColumns, handleDeleteColumn } from '../../../../src/http/endpoints/handlers/column.js';
import { extractResult, extractScore } from '../../../../src/http/endpoints/handlers/extraction.js';
import type { ExtractedRow } from '../../../../src/ir/index.js';
import { customKey } from '../../../api/databases.js';
import { answerTo, callOf } from '../../database-call.js';
import { DATABASE_ID, FakeEngine } from '../../fake-engine.js';

const COLUMNS = '[{"name":"a","type":"integer"},{"name":"g","type":"geolocation"}]';
const A_IS_5 = {
  op: 'attribute',
  columnId: 1,
  tests: [{ kind: 'ranges', ranges: [{ low: 5n, high: 5n }], negated: false }],
};

async function engineWithColumns(): Promise<FakeEngine> {
  const engine = new FakeEngine();
  await handleCreateColumns(callOf(engine, COLUMNS));
  return engine;
}

const row = (id: string, score = 0, distanceKm: number | null = null): ExtractedRow => ({
  position: { id, score, distanceKm: distanceKm ?? 0, values: [] },
  nearest: distanceKm === null ? null : { longitude: 1, latitude: 2 },
  values: ['5'],
});

const BODY = '{"query":[{"a":{"equals":5}}],"columns":["a"]}';
const PAGED = '{"query":[{"a":{"equals":5}}],"columns":["a"],"limit":3000}';
const NEAR = '{"g":{"geo_near":{"longitude":1,"latitude":2,"limit":2}}}';
const SCORE = `{"query":[{"a":{"equals":5}},"or",${NEAR}],"columns":["a"]}`;

t.test('an extraction is answered with the rows of its plan', async (t) => {
  const engine = await engineWithColumns();
  engine.extractions.push([row('__proto__'), row('10')]);
  const call = callOf(engine, BODY.replace('}]', '}],"bypass-cache":true'));
  t.equal(
    await extractResult(call),
    '"data":{"__proto__":{"a":"5"},"10":{"a":"5"}},"page":1,"next-page":null',
  );
  const [{ plan, options }] = engine.extracts;
  t.match(plan, { databaseId: DATABASE_ID, dimensionId: 1, condition: A_IS_5, scored: null, limit: 100 });
  t.equal(options.cancellation, call.cancellation);
  t.equal(options.bypassCache, true);
});

t.test('each page has the token of the next one, and a token is valid for one key only', async (t) => {
  const engine = await engineWithColumns();
  const rows = Array.from({ length: 1025 }, (_, index) => row(`id${index}`));
  engine.extractions.push(rows, rows.slice(0, 952));
  const first = await answerTo(extractResult, callOf(engine, PAGED));
  t.match(first, { page: 1, 'next-page': 2 });
  const next = `${PAGED.slice(0, -1)},"page-token":"${first['page-token']}"}`;
  const second = await answerTo(extractResult, callOf(engine, next));
  t.match(second, { page: 2, 'next-page': null });
  t.notOk('page-token' in second);
  t.strictSame(engine.extracts[1].plan.after, { id: 'id1023', score: 0, distanceKm: 0, values: [] });
  await t.rejects(extractResult(callOf(engine, next, { key: customKey({}) })), { code: 4029 }, 'another key');
  const user = { kind: 'user', email: 'cd', databaseId: DATABASE_ID, passwordHash: '' } as const;
  const asUser = { ...callOf(engine, PAGED), caller: user };
  engine.extractions.push(rows);
  const token = (await answerTo(extractResult, asUser))['page-token'];
  const ofUser = `${PAGED.slice(0, -1)},"page-token":"${token}"}`;
  await t.resolves(extractResult({ ...callOf(engine, ofUser), caller: { ...user, passwordHash: 'x' } }));
  await t.rejects(
    extractResult({ ...callOf(engine, ofUser), caller: { ...user, email: 'ce' } }),
    { code: 4029 },
    'another user',
  );
  await t.rejects(extractResult(callOf(engine, ofUser, { key: customKey({}) })), { code: 4029 }, 'a key');
});

t.test('a score without "nearest" runs one query', async (t) => {
  const engine = await engineWithColumns();
  engine.atOneVersion = () => t.fail('called atOneVersion') as never;
  engine.extractions.push([row('x', 1)]);
  t.equal(
    await extractScore(callOf(engine, BODY)),
    '"data":{"x":{"a":"5","score":1}},"page":1,"next-page":null',
  );
  t.match(engine.extracts, [{ plan: { condition: null, scored: [A_IS_5], limit: 100 } }]);
});

t.test(
  'a score with "nearest" finds the nearest entities first, with both queries at the same version',
  async (t) => {
    const engine = await engineWithColumns();
    let inside = 0;
    engine.atOneVersion = async (read) => {
      inside++;
      const answer = await read((plan, options) => engine.extract(plan, options));
      t.equal(engine.extracts.length, 2, 'both queries ran at the same version');
      return answer;
    };
    engine.extractions.push([row('n1', 0, 0.5), row('n2', 0, 7)], [row('n1', 2, 0.5), row('x', 1)]);
    const key = customKey({ filter: [{ dimension: 'default', conditions: '{"a":{"equals":5}}' }] });
    t.equal(
      await extractScore(callOf(engine, SCORE, { key })),
      '"data":{"n1":{"a":"5","score":2,"g_distance":0.5},"x":{"a":"5","score":1}},"page":1,"next-page":null',
    );
    t.equal(inside, 1);
    const near = { from: 'attribute', columnId: 2, longitude: 1, latitude: 2, tests: [] };
    const texts = ['n1', 'n2'];
    const isNearest = { op: 'entity-id', tests: [{ kind: 'text', match: 'equals', texts, negated: false }] };
    t.match(engine.extracts, [
      { plan: { condition: A_IS_5, scored: null, near, limit: 2, columns: [] } },
      { plan: { condition: A_IS_5, scored: [A_IS_5, isNearest], near, limit: 100 } },
    ]);
  },
);

t.test('a score without near entities and without other scores has no rows', async (t) => {
  const engine = await engineWithColumns();
  const answer = await extractScore(callOf(engine, `{"query":[${NEAR}],"columns":["a"]}`));
  t.equal(answer, '"data":{},"page":1,"next-page":null');
  t.equal(engine.extracts.length, 1);
});

t.test('a query that starts in a later turn than its binding is bound again', async (t) => {
  const engine = await engineWithColumns();
  for (const [handler, body, expected] of [
    [extractResult, BODY, 1],
    [extractScore, BODY, 2],
    [extractScore, SCORE, 3],
  ] as const) {
    const answer = handler(callOf(engine, body));
    t.equal(engine.extracts.length, expected, body);
    await answer;
  }
  let checked: unknown = null;
  const call = callOf(engine, SCORE);
  const later = {
    ...call,
    checkAgain: (newest: unknown) => {
      checked = newest;
    },
  };
  engine.atOneVersion = async (read) => {
    await handleDeleteColumn(callOf(engine, '{"api-name":"g"}'));
    await handleCreateColumns(callOf(engine, '[{"name":"g","type":"geolocation"}]'));
    return read((plan, options) => engine.extract(plan, options));
  };
  const before = engine.extracts.length;
  await extractScore(later);
  t.equal(checked, engine.catalog(), 'the caller is authorized again');
  t.match(engine.extracts[before].plan.near, { columnId: 3 });
  t.equal(databaseOf(engine.catalog(), DATABASE_ID).dimensions.get('default')?.columns.get('g')?.id, 3);
  engine.atOneVersion = async (read) => {
    await handleDeleteColumn(callOf(engine, '{"api-name":"g"}'));
    return read((plan, options) => engine.extract(plan, options));
  };
  await t.rejects(extractScore(callOf(engine, SCORE)), { code: 4008 }, 'the column was deleted');
});

t.test('invalid bodies are refused before any query', async (t) => {
  const engine = await engineWithColumns();
  const refused: readonly [string, number][] = [
    ['', 1503],
    ['{"query":[}', 1503],
    ['[]', 4004],
    ['{"query":[{"zzz":{"equals":1}}],"columns":["a"]}', 4008],
    ['{"query":[{"a":{"equals":1}}]}', 4010],
    [`${BODY.slice(0, -1)},"page-token":"AAAA"}`, 4029],
  ];
  for (const [body, code] of refused) {
    await t.rejects(extractResult(callOf(engine, body)), { code }, body);
    await t.rejects(extractScore(callOf(engine, body)), { code }, body);
  }
  t.strictSame(engine.extracts, []);
});
