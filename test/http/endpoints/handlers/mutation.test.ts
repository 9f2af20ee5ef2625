import { createHash } from 'node:crypto';
import t from 'tap';
import { databaseOf } from '../../../../src/catalog/index.js';
import {
  handleChangeColumn,
  handleCreateColumns,
  handleDeleteColumn,
} from '../../../../src/http/endpoints/handlers/column.js';
import { deleteEntities, updateEntities } from '../../../../src/http/endpoints/handlers/mutation.js';
import { customKey } from '../../../api/databases.js';
import { answerTo, callOf, NOW_MS } from '../../database-call.js';
import { DATABASE_ID, FakeEngine } from '../../fake-engine.js';

async function engineWithColumns(): Promise<FakeEngine> {
  const engine = new FakeEngine();
  engine.onMutate = async ({ bind }) => {
    bind(databaseOf(engine.catalog(), DATABASE_ID));
    return 12345678901;
  };
  await handleCreateColumns(callOf(engine, '[{"name":"a","type":"integer"},{"name":"b","type":"integer"}]'));
  return engine;
}

const QUERY = '[{"a":{"equals":1}}]';
const UPDATE = `{"query":${QUERY},"set":{"b":9007199254740993}}`;

t.test('updates and deletes are answered with the number of entities', async (t) => {
  const engine = await engineWithColumns();
  t.strictSame(await answerTo(updateEntities, callOf(engine, UPDATE)), { result: { updated: 12345678901 } });
  t.strictSame(await answerTo(deleteEntities, callOf(engine, `{"query":${QUERY}}`)), {
    result: { deleted: 12345678901 },
  });
  const model = databaseOf(engine.catalog(), DATABASE_ID);
  const condition = {
    op: 'attribute',
    columnId: 1,
    tests: [{ kind: 'ranges', ranges: [{ low: 1n, high: 1n }], negated: false }],
  };
  t.strictSame(
    engine.mutations.map(({ bind }) => bind(model)),
    [
      { dimensionId: 1, condition, set: '{"b":9007199254740993}' },
      { dimensionId: 1, condition, set: null },
    ],
  );
});

t.test('the engine gets the columns of the caller, the charge function and the ID of a write', async (t) => {
  const engine = await engineWithColumns();
  const charged: number[] = [];
  const key = customKey({ columnsWhitelist: [{ dimension: 'default', columns: ['a'] }] });
  const charge = (entityCount: number): void => {
    charged.push(entityCount);
  };
  await updateEntities(callOf(engine, UPDATE));
  await updateEntities(callOf(engine, UPDATE, { key, charge, idempotencyId: 'the-id' }));
  const facts = engine.mutations.map(({ databaseId, customKey, columnIds, nowMs, idempotency }) => ({
    ...{ databaseId, customKey, columnIds, nowMs, idempotency },
  }));
  const bodyHash = createHash('sha256').update(UPDATE).digest('base64url');
  t.strictSame(facts, [
    { databaseId: DATABASE_ID, customKey: false, columnIds: null, nowMs: NOW_MS, idempotency: null },
    {
      ...{ databaseId: DATABASE_ID, customKey: true, columnIds: [0, 1], nowMs: NOW_MS },
      idempotency: { id: 'the-id', bodyHash },
    },
  ]);
  engine.mutations[1].charge(7);
  t.strictSame(charged, [7]);
});

t.test('a request is bound against the model of the engine and the row filter of its key', async (t) => {
  const engine = await engineWithColumns();
  const key = customKey({ filter: [{ dimension: 'default', conditions: '{"b":{"gt":0}}' }] });
  await deleteEntities(callOf(engine, `{"query":${QUERY}}`, { key }));
  const [{ bind }] = engine.mutations;
  t.match(bind(databaseOf(engine.catalog(), DATABASE_ID)), { condition: { op: 'and' } });
  await handleChangeColumn(callOf(engine, '{"api-name":"b","active":false}'));
  t.throws(() => bind(databaseOf(engine.catalog(), DATABASE_ID)), { code: 506 });
  await handleDeleteColumn(callOf(engine, '{"api-name":"a"}'));
  t.throws(() => bind(databaseOf(engine.catalog(), DATABASE_ID)), { code: 4008 });
});

t.test('invalid bodies and bindings are refused', async (t) => {
  const engine = await engineWithColumns();
  const refused: readonly [string, number][] = [
    ['', 1503],
    ['{"query":[}', 1503],
    [`{"query":${QUERY},"set":{"b":1,"b":2}}`, 1503],
    ['[]', 4004],
    [`{"query":${QUERY},"set":{}}`, 2017],
    ['{"query":[{"zzz":{"equals":1}}],"set":{"b":1}}', 4008],
  ];
  for (const [body, code] of refused) {
    await t.rejects(async () => updateEntities(callOf(engine, body)), { code }, body);
  }
  const repeated = '{"query":[{"a":{"equals":1}}],"set":{"b":1}}';
  await t.rejects(async () => deleteEntities(callOf(engine, repeated)), { code: 4049 });
});
