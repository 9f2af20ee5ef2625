/** POST /v1/insert. The body goes to the engine as the bytes that came: nothing of it is parsed on this thread. */
import type { Call, Members } from './handler.js';

export async function insert(call: Call): Promise<Members> {
  const { databaseId, body } = call;
  const { entityCount, valueCount } = await call.engine.insert({ databaseId, body, customKey: false });
  return `"inserted-entities":${entityCount},"inserted-values":${valueCount}`;
}
