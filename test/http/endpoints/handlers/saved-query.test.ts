import t from 'tap';
import { savedQueriesOf } from '../../../../src/catalog/index.js';
import { handleCreateColumns } from '../../../../src/http/endpoints/handlers/column.js';
import type { DatabaseCall } from '../../../../src/http/endpoints/handlers/handler.js';
import {
  handleChangeSavedQuery,
  handleDeleteSavedQuery,
  handleListSavedQueries,
  runSavedQuery,
  saveQuery,
} from '../../../../src/http/endpoints/handlers/saved-query.js';
import { customKey } from '../../../api/databases.js';
import { answerTo, type CallOptions, callOf } from '../../database-call.js';
import { DATABASE_ID, FakeEngine } from '../../fake-engine.js';

const COLUMNS = `[{"name":"a","type":"integer"},{"name":"b","type":"integer","dimension":"other"},
  {"name":"e","type":"string-event"}]`;

async function engineWithColumns(): Promise<FakeEngine> {
  const engine = new FakeEngine();
  await handleCreateColumns(callOf(engine, COLUMNS));
  return engine;
}

/** A call whose path names `pathName`. */
const named = (engine: FakeEngine, pathName: string, body = '', options: CallOptions = {}): DatabaseCall => ({
  ...callOf(engine, body, options),
  pathName,
});

const save = (engine: FakeEngine, fields: object, options: CallOptions = {}) =>
  answerTo(saveQuery, callOf(engine, JSON.stringify({ name: 'q', ...fields }), options));
const run = (engine: FakeEngine, options: CallOptions = {}) =>
  answerTo(runSavedQuery, named(engine, 'q', '', options));

const COUNT = { type: 'count/entity', query: [{ a: { equals: 5 } }] };
const A_IS_5 = {
  op: 'attribute',
  columnId: 1,
  tests: [{ kind: 'ranges', ranges: [{ low: 5n, high: 5n }], negated: false }],
};
const PLAN = { databaseId: DATABASE_ID, dimensionId: 1, condition: A_IS_5 };

t.test('a query is saved, listed, run, changed and deleted under its name', async (t) => {
  const engine = await engineWithColumns();
  const own = { ...COUNT, 'cache-period': null };
  const made = await save(engine, COUNT);
  t.strictSame(made, { name: 'q', ...own, dimension: 'default' });
  t.strictSame(Object.keys(made), ['name', 'type', 'query', 'dimension', 'cache-period']);
  await t.rejects(save(engine, COUNT), { code: 4022 });
  t.strictSame(await answerTo(handleListSavedQueries, callOf(engine, '')), {
    'saved-queries': [{ name: 'q', ...own, dimension: 'default' }],
  });
  t.strictSame(await run(engine), { ...COUNT, dimension: 'default', result: { query: 42 } });
  t.strictSame(engine.plans, [[PLAN]]);
  const total = { type: 'count/entity/total', query: [], 'cache-period': 9 };
  const put = named(engine, 'q', JSON.stringify(total));
  t.strictSame(await answerTo(handleChangeSavedQuery, put), total);
  t.strictSame(await answerTo(handleDeleteSavedQuery, named(engine, 'q')), {
    'deleted-query': 'q',
    ...total,
  });
  t.equal(savedQueriesOf(engine.catalog(), DATABASE_ID).size, 0);
});

t.test('an unknown name is refused for every operation', async (t) => {
  const engine = await engineWithColumns();
  await save(engine, COUNT);
  for (const name of ['Q', '__proto__', '', 'q/']) {
    const body = JSON.stringify(COUNT);
    for (const handler of [runSavedQuery, handleChangeSavedQuery, handleDeleteSavedQuery]) {
      await t.rejects(
        answerTo(handler, named(engine, name, body)),
        { code: 4023 },
        `${handler.name} ${name}`,
      );
    }
  }
});

t.test('each type is answered like its own endpoint', async (t) => {
  const engine = await engineWithColumns();
  const between = ['2018-01-01', '2018-02-01'];
  engine.counts = [40, 2];
  const rows = [{ value: '5', quantity: 3, next: null }];
  const cases = [
    { type: 'count/entity', query: COUNT.query, result: { query: 40 } },
    { type: 'count/event', query: [{ e: { equals: 'x', between } }], result: { query: 7 } },
    { type: 'count/entity/total', query: ['default', 'other'], dimension: null, result: { total: 42 } },
    { type: 'aggregation', query: { query: [{ a: 3 }] }, result: { a: [{ quantity: 3, value: '5' }] } },
    {
      ...{ type: 'top_values', query: { first: { a: 3 } }, dimension: 'default' },
      result: { first: { a: [{ quantity: 3, value: '5' }] } },
    },
  ];
  for (const { type, query, result, dimension = 'default' } of cases) {
    engine.aggregateAnswers =
      type === 'count/event' ? [{ answers: 'metric', token: '7' }] : [{ answers: 'values', rows }];
    await save(engine, { type, query });
    t.strictSame(await run(engine), { type, query, dimension, result }, type);
    await handleDeleteSavedQuery(named(engine, 'q'));
  }
});

const FILTERED = customKey({ filter: [{ dimension: 'default', conditions: '{"a":{"equals":5}}' }] });
const ONLY_E = customKey({ columnsWhitelist: [{ dimension: 'default', columns: ['e'] }] });

t.test('a saved query runs with the permissions of the caller who runs it', async (t) => {
  const engine = await engineWithColumns();
  await save(engine, { type: 'count/entity/total', query: ['default'] });
  await run(engine, { key: FILTERED });
  t.strictSame(engine.plans, [[PLAN]]);
  await handleChangeSavedQuery(named(engine, 'q', JSON.stringify(COUNT)));
  await t.rejects(run(engine, { key: ONLY_E }), { code: 4023 });
  const listed = await answerTo(handleListSavedQueries, callOf(engine, '', { key: ONLY_E }));
  t.strictSame(listed, { 'saved-queries': [] });
  await t.rejects(save(engine, { ...COUNT, name: 'r' }, { key: ONLY_E }), { code: 506 });
});

t.test('a saved query uses the columns that exist when it runs', async (t) => {
  const engine = await engineWithColumns();
  await save(engine, COUNT);
  engine.apply({ change: 'column-deleted', databaseId: DATABASE_ID, dimensionId: 1, columnId: 1 });
  await t.rejects(run(engine), { code: 4008 });
  await handleCreateColumns(callOf(engine, '[{"name":"a","type":"integer"}]'));
  await run(engine);
  t.match(engine.plans, [[{ condition: { columnId: 4 } }]]);
});

t.test('an answer is cached for its period, per data version and row filter', async (t) => {
  const engine = await engineWithColumns();
  const periods: number[] = [];
  const remembered = engine.remembered.bind(engine);
  engine.remembered = (databaseId, key, seconds, compute) => {
    periods.push(seconds);
    return remembered(databaseId, key, seconds, compute);
  };
  await save(engine, COUNT);
  await run(engine);
  await run(engine);
  t.strictSame([engine.plans.length, periods], [2, []], 'without a period the query runs each time');
  await handleChangeSavedQuery(named(engine, 'q', JSON.stringify({ ...COUNT, 'cache-period': 5 })));
  const first = await run(engine);
  engine.counts = [43];
  t.strictSame(await run(engine), first);
  t.strictSame([engine.plans.length, periods], [3, [5, 5]]);
  t.match(
    await run(engine, { key: FILTERED }),
    { result: { query: 43 } },
    'different filters do not share the answer',
  );
  t.match(await run(engine, { key: { ...FILTERED, hash: 'ce' } }), { result: { query: 43 } });
  t.equal(engine.plans.length, 4, 'two keys with the same filter share the answer');
  t.match(await run(engine, { key: customKey({}) }), first, 'a key without restrictions sees all');
  await handleChangeSavedQuery(named(engine, 'q', JSON.stringify(COUNT)));
  t.match(await run(engine), { result: { query: 43 } }, 'a changed query does not use the old answer');
  await handleDeleteSavedQuery(named(engine, 'q'));
  engine.counts = [44];
  await save(engine, { ...COUNT, 'cache-period': 5 });
  t.match(
    await run(engine),
    { result: { query: 44 } },
    'a query that was deleted and created again does not use the old answer',
  );
  await t.rejects(
    run(engine, { key: ONLY_E }),
    { code: 4023 },
    'a key that may not run the query gets no answer',
  );
});

t.test(
  'a custom key has its own saved queries under any name, and other custom keys cannot change them',
  async (t) => {
    const engine = await engineWithColumns();
    const other = { ...customKey({}), hash: 'ce', name: 'other' };
    await save(engine, COUNT, { key: customKey({}) });
    t.equal(savedQueriesOf(engine.catalog(), DATABASE_ID).get('q')?.creator, 'cd');
    const body = JSON.stringify(COUNT);
    await t.rejects(handleChangeSavedQuery(named(engine, 'q', body, { key: other })), { code: 508 });
    await t.rejects(handleDeleteSavedQuery(named(engine, 'q', '', { key: other })), { code: 508 });
    t.match(await run(engine, { key: other }), { result: { query: 42 } }, 'the other key may run it');
    await handleChangeSavedQuery(named(engine, 'q', body, { key: { ...customKey({}), name: 'renamed' } }));
    await handleChangeSavedQuery(named(engine, 'q', body));
    await t.rejects(handleDeleteSavedQuery(named(engine, 'q', '', { key: other })), { code: 508 });
    await handleDeleteSavedQuery(named(engine, 'q', '', { key: customKey({}) }));
  },
);

t.test('a caller whose access was revoked changes nothing', async (t) => {
  const engine = await engineWithColumns();
  await save(engine, COUNT);
  const before = engine.catalog();
  const checkAgain = (): never => {
    throw new Error('access was revoked');
  };
  const body = JSON.stringify({ ...COUNT, name: 'r' });
  for (const handler of [saveQuery, handleChangeSavedQuery, handleDeleteSavedQuery]) {
    await t.rejects(
      handler({ ...named(engine, 'q', body), checkAgain }) as Promise<string>,
      /access was revoked/,
    );
  }
  t.equal(engine.catalog(), before);
});

t.test('nothing is saved in or answered from a database that was deleted meanwhile', async (t) => {
  const engine = await engineWithColumns();
  await save(engine, COUNT);
  const body = JSON.stringify({ ...COUNT, name: 'r' });
  const call = named(engine, 'q', body);
  engine.apply({ change: 'database-deleted', databaseId: DATABASE_ID });
  for (const handler of [saveQuery, handleChangeSavedQuery, handleDeleteSavedQuery, runSavedQuery]) {
    await t.rejects(handler(call) as Promise<string>, { code: 8002 }, handler.name);
  }
});

t.test('a demo key gets no total through a saved query', async (t) => {
  const engine = await engineWithColumns();
  await save(engine, { type: 'count/entity/total', query: [] });
  const caller = { kind: 'demo', hash: 'de', databaseId: DATABASE_ID } as const;
  await t.rejects(answerTo(runSavedQuery, { ...named(engine, 'q'), caller }), { code: 503 });
  t.match(await run(engine), { result: { total: Number } });
});
