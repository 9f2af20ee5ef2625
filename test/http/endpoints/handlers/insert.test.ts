import t from 'tap';
import { handleCreateColumns } from '../../../../src/http/endpoints/handlers/column.js';
import { handleInsert } from '../../../../src/http/endpoints/handlers/insert.js';
import { customKey } from '../../../api/databases.js';
import { answerTo, callOf } from '../../database-call.js';
import { DATABASE_ID, FakeEngine } from '../../fake-engine.js';

t.test('the engine gets the body unchanged and the columns that the key may write', async (t) => {
  const engine = new FakeEngine();
  await handleCreateColumns(callOf(engine, '[{"name":"a","type":"integer"},{"name":"b","type":"integer"}]'));
  const body = '{ "x" : {"a": 1.0e0 }, \n';
  const answer = { 'inserted-entities': 1, 'inserted-values': 2 };
  const charged: number[] = [];
  const charge = (entityCount: number): void => {
    charged.push(entityCount);
  };
  const whitelisted = customKey({ columnsWhitelist: [{ dimension: 'default', columns: ['b'] }] });
  t.strictSame(await answerTo(handleInsert, callOf(engine, body)), answer);
  t.strictSame(
    await answerTo(handleInsert, callOf(engine, body, { key: customKey({}), idempotencyId: 'id' })),
    answer,
  );
  t.strictSame(await answerTo(handleInsert, callOf(engine, body, { key: whitelisted, charge })), answer);
  const inserted = engine.inserts.map(({ databaseId, bytes, request }) => [
    ...[databaseId, new TextDecoder().decode(bytes), request.customKey],
    ...[request.columnIds, request.idempotencyId],
  ]);
  t.strictSame(inserted, [
    [DATABASE_ID, body, false, null, null],
    [DATABASE_ID, body, true, null, 'id'],
    [DATABASE_ID, body, true, [0, 2], null],
  ]);
  engine.inserts[2].request.charge(3);
  t.strictSame(charged, [3]);
});
