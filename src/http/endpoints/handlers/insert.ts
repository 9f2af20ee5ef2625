/**
 * POST /v1/insert. The body goes to the engine as the bytes that came: nothing of it is parsed on this thread.
 *
 * Of a body of lines (application/x-ndjson) this is called for each part (body-parts.ts). A line is an entity,
 * `{"id": "u1", "dimension": "people", "age": 31}`: what stands beside `id` is what the entity's object holds elsewhere.
 * The member `auto-create` of other bodies is a line here, `{"auto-create": ["column"]}`, which stands before all
 * entities and holds for every part.
 */
import type { DatabaseCall, Members } from './handler.js';

export async function insert(call: DatabaseCall): Promise<Members> {
  const { databaseId, body, lines, onceId, charge } = call;
  const { entityCount, valueCount } = await call.engine.insert({
    databaseId,
    body,
    lines,
    customKey: !call.mayCreate,
    columnIds: call.access.columnIds(call.model),
    charge,
    onceId,
    created: (changes) => call.notes.changed(changes, call.catalog),
  });
  return `"inserted-entities":${entityCount},"inserted-values":${valueCount}`;
}
