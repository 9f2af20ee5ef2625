import t from 'tap';
import { handleCreateColumns } from '../../../../src/http/endpoints/handlers/column.js';
import {
  handleCreateRelation,
  handleDeleteRelation,
  handleListRelations,
} from '../../../../src/http/endpoints/handlers/relation.js';
import { customKey } from '../../../api/databases.js';
import { answerTo, callOf } from '../../database-call.js';
import { FakeEngine } from '../../fake-engine.js';

async function engineWithColumns(): Promise<FakeEngine> {
  const engine = new FakeEngine();
  const columns = ['a', 'b', 'c'].map((name) => ({ name, type: 'string-event' }));
  const inOther = { name: 'x', type: 'string-event', dimension: 'other' };
  await handleCreateColumns(callOf(engine, JSON.stringify([...columns, inOther])));
  return engine;
}

t.test('relations are created, listed by dimension and name, and deleted', async (t) => {
  const engine = await engineWithColumns();
  t.strictSame(await answerTo(handleListRelations, callOf(engine, '')), { count: 0, relations: {} });
  t.strictSame(await answerTo(handleCreateRelation, callOf(engine, '{"name":"r","columns":["b","a"]}')), {
    columns_on_relation: ['b', 'a'],
  });
  const inOther = '{"name":"r","columns":["x"],"dimension":"other"}';
  t.strictSame(await answerTo(handleCreateRelation, callOf(engine, inOther)), { columns_on_relation: ['x'] });
  t.strictSame(await answerTo(handleListRelations, callOf(engine, '')), {
    count: 2,
    relations: { default: { r: ['b', 'a'] }, other: { r: ['x'] } },
  });
  t.strictSame(await answerTo(handleDeleteRelation, callOf(engine, '{"name":"r","columns":["a","b"]}')), {
    columns_deleted: ['a', 'b'],
  });
  t.strictSame(await answerTo(handleListRelations, callOf(engine, '')), {
    count: 1,
    relations: { other: { r: ['x'] } },
  });
});

t.test('a relation may have any name, and names keep their order', async (t) => {
  const engine = await engineWithColumns();
  for (const [name, column] of [
    ['__proto__', 'c'],
    ['10', 'a'],
    ['9 \\', 'b'],
  ]) {
    await handleCreateRelation(callOf(engine, JSON.stringify({ name, columns: [column] })));
  }
  t.equal(
    handleListRelations(callOf(engine, '')),
    '"count":3,"relations":{"default":{"__proto__":["c"],"10":["a"],"9 \\\\":["b"]}}',
  );
});

t.test('a key with a column whitelist sees and counts only its own columns', async (t) => {
  const engine = await engineWithColumns();
  await handleCreateRelation(callOf(engine, '{"name":"r","columns":["a","b"]}'));
  await handleCreateRelation(callOf(engine, '{"name":"s","columns":["c"]}'));
  const key = customKey({ columnsWhitelist: [{ dimension: 'default', columns: ['b'] }] });
  t.strictSame(await answerTo(handleListRelations, callOf(engine, '', { key })), {
    count: 1,
    relations: { default: { r: ['b'] } },
  });
});
