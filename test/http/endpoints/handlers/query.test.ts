import t from 'tap';
import { handleCreateColumns } from '../../../../src/http/endpoints/handlers/column.js';
import {
  countTotal,
  countTotalOfAll,
  existEntities,
  handleCountEntities,
} from '../../../../src/http/endpoints/handlers/query.js';
import { customKey } from '../../../api/databases.js';
import { answerTo, callOf } from '../../database-call.js';
import { DATABASE_ID, FakeEngine } from '../../fake-engine.js';

async function engineWithColumns(): Promise<FakeEngine> {
  const engine = new FakeEngine();
  const columns = '[{"name":"a","type":"integer"},{"name":"b","type":"integer","dimension":"other"}]';
  await handleCreateColumns(callOf(engine, columns));
  engine.counts = [40, 2];
  return engine;
}

const A_IS_5 = {
  op: 'attribute',
  columnId: 1,
  tests: [{ kind: 'ranges', ranges: [{ low: 5n, high: 5n }], negated: false }],
};
const FILTERED = customKey({ filter: [{ dimension: 'default', conditions: '{"a":{"equals":5}}' }] });
const PLAN = { databaseId: DATABASE_ID, dimensionId: 1, condition: null };

t.test('counts are answered by query name, including "__proto__"', async (t) => {
  const engine = await engineWithColumns();
  const body = JSON.stringify(
    ['__proto__', 'q'].map((name) => ({ 'query-name': name, query: [{ a: { equals: 5 } }] })),
  );
  t.equal(await handleCountEntities(callOf(engine, body)), '"result":{"__proto__":40,"q":2}');
  t.strictSame(engine.plans, [[1, 1].map((dimensionId) => ({ ...PLAN, dimensionId, condition: A_IS_5 }))]);
});

t.test('a total is the sum over its dimensions of the rows that the key may see', async (t) => {
  const engine = await engineWithColumns();
  t.strictSame(await answerTo(countTotalOfAll, callOf(engine, '')), { result: { total: 42 } });
  t.strictSame(await answerTo(countTotalOfAll, callOf(engine, '', { key: FILTERED })), {
    result: { total: 42 },
  });
  const one = callOf(engine, '{"dimensions":["default"]}', { key: FILTERED });
  t.strictSame(await answerTo(countTotal, one), { result: { total: 40 } });
  const other = { ...PLAN, dimensionId: 2 };
  const seen = { ...PLAN, condition: A_IS_5 };
  t.strictSame(engine.plans, [[PLAN, other], [seen, other], [seen]]);
});

t.test('exists queries the rows that the key may see, and echoes the IDs of the request', async (t) => {
  const engine = await engineWithColumns();
  engine.existing = new Set(['x']);
  const plans: unknown[] = [];
  const exist = engine.exist.bind(engine);
  engine.exist = (plan, ids) => {
    plans.push(plan);
    return exist(plan, ids);
  };
  const body = '{"ids":["X","y"]}';
  const answer = { exists: ['X'], 'not-exists': ['y'] };
  t.strictSame(await answerTo(existEntities, callOf(engine, body)), answer);
  t.strictSame(await answerTo(existEntities, callOf(engine, body, { key: FILTERED })), answer);
  t.strictSame(plans, [PLAN, { ...PLAN, condition: A_IS_5 }]);
});

t.test('the body is bound and the query is started in the same turn', async (t) => {
  const engine = await engineWithColumns();
  const bodies = [
    [handleCountEntities, '{"query-name":"q","query":[{"a":{"gt":1}}]}'],
    [countTotal, '{}'],
    [countTotalOfAll, ''],
  ] as const;
  for (const [handler, body] of bodies) {
    const before = engine.plans.length;
    const answer = handler(callOf(engine, body));
    t.equal(engine.plans.length, before + 1, handler.name);
    await answer;
  }
});
