import t from 'tap';
import {
  aggregate,
  countEvents,
  handleTopValues,
} from '../../../../src/http/endpoints/handlers/aggregation.js';
import { handleCreateColumns } from '../../../../src/http/endpoints/handlers/column.js';
import type { DatabaseCall, Handler } from '../../../../src/http/endpoints/handlers/handler.js';
import { customKey } from '../../../api/databases.js';
import { answerTo, callOf } from '../../database-call.js';
import { DATABASE_ID, FakeEngine } from '../../fake-engine.js';

async function engineWithColumns(): Promise<FakeEngine> {
  const engine = new FakeEngine();
  const columns = '[{"name":"a","type":"integer"},{"name":"e","type":"integer-event"}]';
  await handleCreateColumns(callOf(engine, columns));
  return engine;
}

const eventsOf = (name: string, fields = ''): string =>
  `{"query-name":"${name}","query":[{"e":{"gt":1,"between":["2016-01-01","2016-01-02"]}}]${fields}}`;
/** Each handler with its body, and with the same body and "bypass-cache". */
const CASES: readonly (readonly [Handler<DatabaseCall>, string, string])[] = [
  [
    countEvents,
    `[${eventsOf('p')},${eventsOf('q')}]`,
    `[${eventsOf('p')},${eventsOf('q', ',"bypass-cache":true')}]`,
  ],
  [aggregate, '{"query":[{"a":3}]}', '{"query":[{"a":3}],"bypass-cache":true}'],
  [handleTopValues, '{"p":{"a":3},"q":{"e":4}}', '{"p":{"a":3},"q":{"e":4},"bypass-cache":true}'],
  [handleTopValues, '{"p":{"a":3},"q":{"e":4}}', '{"p":{"a":3,"bypass-cache":true},"q":{"e":4}}'],
];

t.test('counts of events are answered by query name', async (t) => {
  const engine = await engineWithColumns();
  engine.aggregateAnswers = [
    { answers: 'metric', token: '12' },
    { answers: 'buckets', rows: [{ token: '7', from: 0, to: 60 }] },
  ];
  t.strictSame(
    await countEvents(callOf(engine, `[${eventsOf('__proto__')},${eventsOf('q')}]`)),
    '"result":{"__proto__":12,"q":[{"count":7,"between":["1970-01-01T00:00:00Z","1970-01-01T00:01:00Z"]}]}',
  );
});

t.test('an aggregation is answered with nested levels', async (t) => {
  const engine = await engineWithColumns();
  const rows = [{ value: '5', quantity: 2, next: { answers: 'metric', token: '2.0' } }] as const;
  engine.aggregateAnswers = [{ answers: 'values', rows }];
  t.strictSame(await answerTo(aggregate, callOf(engine, '{"query":[{"a":3},{"a":"avg"}]}')), {
    result: { a: [{ quantity: 2, value: '5', a: { avg: 2 } }] },
  });
});

t.test('top values are answered by query name and column', async (t) => {
  const engine = await engineWithColumns();
  engine.aggregateAnswers = [
    { answers: 'values', rows: [{ value: '5', quantity: 2, next: null }] },
    { answers: 'values', rows: [] },
  ];
  t.equal(
    await handleTopValues(callOf(engine, '{"__proto__":{"a":3},"q":{"e":4}}')),
    '"result":{"__proto__":{"a":[{"quantity":2,"value":"5"}]},"q":{"e":[]}}',
  );
});

t.test('the body is bound and all queries are started in the same turn', async (t) => {
  for (const [handler, body, bypassing] of CASES) {
    const engine = await engineWithColumns();
    engine.aggregateAnswers = Array.from({ length: 2 }, () =>
      handler === countEvents ? { answers: 'metric', token: '1' } : { answers: 'values', rows: [] },
    );
    for (const [index, text] of [body, bypassing].entries()) {
      const call = callOf(engine, text);
      const answer = handler(call);
      t.equal(engine.aggregations.length, index + 1, `${handler.name} starts its queries before it waits`);
      await answer;
      const aggregation = engine.aggregations[index];
      t.equal(aggregation.options.bypassCache, index === 1, `${handler.name}: ${text}`);
      t.equal(aggregation.options.cancellation, call.cancellation, 'the query is canceled with its request');
      t.ok(aggregation.plans.every(({ databaseId }) => databaseId === DATABASE_ID));
      t.equal(aggregation.plans.length, handler === aggregate ? 1 : 2);
    }
  }
});

t.test('a key with a row filter queries only the rows that it may see', async (t) => {
  const key = customKey({ filter: [{ dimension: 'default', conditions: '{"a":{"equals":5}}' }] });
  const tests = [{ kind: 'ranges', ranges: [{ low: 5n, high: 5n }], negated: false }];
  for (const [handler, body] of CASES) {
    const engine = await engineWithColumns();
    engine.aggregateAnswers = Array.from({ length: 2 }, () =>
      handler === countEvents ? { answers: 'metric', token: '1' } : { answers: 'values', rows: [] },
    );
    await handler(callOf(engine, body, { key }));
    for (const { entities } of engine.aggregations[0].plans) {
      t.strictSame(entities, { op: 'attribute', columnId: 1, tests });
    }
  }
});

t.test('a refused body starts no query', async (t) => {
  const engine = await engineWithColumns();
  await t.rejects(countEvents(callOf(engine, '[]')), { code: 4004 });
  await t.rejects(aggregate(callOf(engine, '{"query":[]}')), { code: 4015 });
  await t.rejects(handleTopValues(callOf(engine, '{"q":{"a":0}}')), { code: 4051 });
  t.strictSame(engine.aggregations, []);
});
