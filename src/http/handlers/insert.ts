/** POST /v1/insert. The body goes to the engine as the bytes that came: nothing of it is parsed on this thread. */
import type { DatabaseCall, Members } from './handler.js';

export async function insert(call: DatabaseCall): Promise<Members> {
  const { databaseId, body, onceId, charge } = call;
  const { entityCount, valueCount } = await call.engine.insert({
    databaseId,
    body,
    customKey: !call.mayCreate,
    columnIds: call.access.columnIds(call.model),
    charge,
    onceId,
  });
  return `"inserted-entities":${entityCount},"inserted-values":${valueCount}`;
}
