import t from 'tap';
import {
  handleChangeColumn,
  handleCreateColumns,
  handleDeleteColumn,
  handleListColumns,
} from '../../../../src/http/endpoints/handlers/column.js';
import { createDimension, handleDeleteDimension } from '../../../../src/http/endpoints/handlers/dimension.js';
import {
  handleCreateRelation,
  handleDeleteRelation,
} from '../../../../src/http/endpoints/handlers/relation.js';
import { customKey } from '../../../api/databases.js';
import { answerTo, callOf } from '../../database-call.js';
import { DATABASE_ID, FakeEngine } from '../../fake-engine.js';

const ENTRY = { category: 'general', storage: 'latest-value', description: '', type: 'integer' };
const ENTITY_ID = { ...ENTRY, name: 'entity-id', 'api-name': 'entity-id', type: 'unique-id' };

t.test('a column is changed, deactivated, listed as inactive and deleted', async (t) => {
  const engine = new FakeEngine();
  await handleCreateColumns(
    callOf(engine, '[{"name":"a","type":"integer"},{"name":"b","type":"string-event"}]'),
  );
  const changes = [
    '{"api-name":"a","name":"Years","description":"of age"}',
    '{"api-name":"a","active":false}',
  ];
  for (const change of changes) {
    t.strictSame(await answerTo(handleChangeColumn, callOf(engine, change)), { 'api-name': ['a'] });
  }
  const { storage: _, ...event } = { ...ENTRY, name: 'b', 'api-name': 'b', type: 'string-event' };
  const years = { ...ENTRY, name: 'Years', 'api-name': 'a', description: 'of age' };
  t.strictSame(await answerTo(handleListColumns, callOf(engine, '')), {
    default: { active: [ENTITY_ID, event], inactive: [years] },
    count: 3,
  });
  t.strictSame(await answerTo(handleDeleteColumn, callOf(engine, '{"api-name":"a"}')), { 'api-name': ['a'] });
  const key = customKey({ columnsWhitelist: [] });
  t.strictSame(await answerTo(handleListColumns, callOf(engine, '', { key })), {
    default: { active: [ENTITY_ID], inactive: [] },
    count: 1,
  });
});

t.test('a change to a database that was deleted meanwhile is refused', async (t) => {
  const handlers = [
    ...[handleCreateColumns, handleChangeColumn, handleDeleteColumn, createDimension, handleDeleteDimension],
    ...[handleCreateRelation, handleDeleteRelation],
  ];
  for (const handler of handlers) {
    const engine = new FakeEngine();
    const call = callOf(engine, '{}');
    engine.apply({ change: 'database-deleted', databaseId: DATABASE_ID });
    await t.rejects(async () => handler(call), { code: 8002 }, handler.name);
  }
});
