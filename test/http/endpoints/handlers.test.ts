import t, { type Test } from 'tap';
import { KEYS } from '../fake-engine.js';
import { codeOf, type Front, type Reply, sendRequest, startFront, type TestRequest } from '../harness.js';

function send(front: Front, method: string, path: string, json?: unknown): Promise<Reply> {
  const headers = { Authorization: KEYS.master, 'Content-Type': 'application/json' };
  const request: TestRequest = { method, path, headers };
  return sendRequest(front, json === undefined ? request : { ...request, body: JSON.stringify(json) });
}

/** The answer without `took`, after a check that `took` has a fraction. */
function answerOf(t: Test, reply: Reply): unknown {
  t.equal(reply.status, 200, reply.body);
  t.match(reply.body, /"took":\d+\.\d+\}$/);
  const { took, ...rest } = JSON.parse(reply.body) as Record<string, unknown>;
  t.type(took, 'number');
  return rest;
}

t.test('dimensions are created, listed and deleted', async (t) => {
  const front = await startFront(t);
  const one = { name: 'Users', 'api-name': 'users' };
  t.strictSame(answerOf(t, await send(front, 'POST', '/v1/dimension', one)), {
    status: 'success',
    'api-name': ['users'],
  });
  const two = [
    { name: 'A', 'api-name': 'a' },
    { name: 'B', 'api-name': 'b', 'relational-model-type': 'fact' },
  ];
  t.strictSame(answerOf(t, await send(front, 'POST', '/v1/dimension', two)), {
    status: 'success',
    'api-name': ['a', 'b'],
  });
  t.equal(codeOf(await send(front, 'POST', '/v1/dimension', one)), 5006);
  t.strictSame(answerOf(t, await send(front, 'DELETE', '/v1/dimension', { 'api-name': 'a' })), {
    status: 'success',
    'api-name': ['a'],
  });
  t.strictSame(answerOf(t, await send(front, 'GET', '/v1/dimension')), {
    status: 'success',
    dimensions: ['default', 'users', 'b'],
  });
});

t.test('columns are created one by one or as a list, and are listed per dimension', async (t) => {
  const front = await startFront(t);
  const list = [{ name: 'Age', type: 'integer', storage: 'latest-value' }];
  t.strictSame(answerOf(t, await send(front, 'POST', '/v1/column', list)), {
    status: 'success',
    'api-name': ['age'],
  });
  const one = { name: 'Visits', type: 'string-event', dimension: 'users' };
  t.strictSame(answerOf(t, await send(front, 'POST', '/v1/column', one)), {
    status: 'success',
    'api-name': 'visits',
  });
  const entityId = {
    name: 'entity-id',
    'api-name': 'entity-id',
    description: '',
    type: 'unique-id',
    category: 'general',
    storage: 'latest-value',
  };
  const entry = { description: '', category: 'general' };
  t.strictSame(answerOf(t, await send(front, 'GET', '/v1/column')), {
    status: 'success',
    count: 4,
    default: {
      active: [
        entityId,
        { ...entry, name: 'Age', 'api-name': 'age', type: 'integer', storage: 'latest-value' },
      ],
      inactive: [],
    },
    users: {
      active: [entityId, { ...entry, name: 'Visits', 'api-name': 'visits', type: 'string-event' }],
      inactive: [],
    },
  });
});

t.test(
  'an insert passes its bytes to the engine and is answered with the counts of the engine',
  async (t) => {
    const front = await startFront(t);
    front.engine.onInsert = async () => ({ entityCount: 3, valueCount: 12 });
    const body = { x: { age: 1 } };
    t.strictSame(answerOf(t, await send(front, 'POST', '/v1/insert', body)), {
      status: 'success',
      'inserted-entities': 3,
      'inserted-values': 12,
    });
    t.equal(front.engine.inserts.length, 1);
    t.equal(front.engine.inserts[0].databaseId, 1);
    t.equal(Buffer.from(front.engine.inserts[0].bytes).toString(), JSON.stringify(body));
  },
);

t.test('counts are answered under any query name', async (t) => {
  const front = await startFront(t);
  front.engine.counts = [5, 0, Number.MAX_SAFE_INTEGER];
  const query = [{ 'entity-id': { equals: 'X' } }];
  const names = ['__proto__', 'quote " \\ \u0000 \u{1f600}', '7'];
  const body = names.map((name) => ({ 'query-name': name, query }));
  const reply = await send(front, 'POST', '/v1/query/count/entity', body);
  const { result } = answerOf(t, reply) as { result: object };
  t.strictSame(
    new Map(Object.entries(result)),
    new Map<string, number>([
      ['7', Number.MAX_SAFE_INTEGER],
      [names[0], 5],
      [names[1], 0],
    ]),
  );
  t.equal(front.engine.plans.length, 1, 'all queries are sent at once');
  t.strictSame(
    front.engine.plans[0].map((plan) => [plan.databaseId, plan.dimensionId]),
    [
      [1, 1],
      [1, 1],
      [1, 1],
    ],
  );
});

t.test('total counts the named dimensions or all, by POST and GET', async (t) => {
  const front = await startFront(t);
  front.engine.counts = [100, 20];
  await send(front, 'POST', '/v1/dimension', { name: 'U', 'api-name': 'u' });
  const total = '/v1/query/count/entity/total';
  const answer = (count: number) => ({ status: 'success', result: { total: count } });
  t.strictSame(answerOf(t, await send(front, 'POST', total, { dimensions: ['u'] })), answer(100));
  t.strictSame(answerOf(t, await send(front, 'POST', total, {})), answer(120));
  t.strictSame(answerOf(t, await send(front, 'GET', total)), answer(120));
  t.equal(codeOf(await send(front, 'POST', total, { dimensions: ['nowhere'] })), 5008);
  t.strictSame(
    front.engine.plans.map((plans) => plans.map(({ dimensionId }) => dimensionId)),
    [[2], [1, 2], [1, 2]],
  );
});

t.test('exists echoes the IDs of the request', async (t) => {
  const front = await startFront(t);
  front.engine.existing = new Set(['ab', 'c']);
  const reply = await send(front, 'POST', '/v1/query/exists/entity', { ids: ['AB', 'x', 'c'] });
  t.strictSame(answerOf(t, reply), { status: 'success', exists: ['AB', 'c'], 'not-exists': ['x'] });
});
