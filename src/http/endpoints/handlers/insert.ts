/**
 * POST /v1/insert. The engine gets the body's bytes as sent; nothing is parsed on this thread.
 *
 * For a line body (application/x-ndjson) the handler runs once for each part (body-parts.ts). A line is an entity,
 * `{"id": "u1", "dimension": "people", "age": 31}`: the members besides `id` are those of an entity's object in a JSON body.
 * The member `auto-create` of a JSON body is a line of its own, `{"auto-create": ["column"]}`, which comes before all
 * entities and applies to every part.
 */
import type { DatabaseCall, Members } from './handler.js';

export async function handleInsert(call: DatabaseCall): Promise<Members> {
  const { databaseId, body, lines, records, idempotencyId, charge } = call;
  const { entityCount, valueCount } = await call.engine.insert({
    databaseId,
    body,
    lines,
    records,
    customKey: !call.mayCreate,
    columnIds: call.access.columnIds(call.model),
    charge,
    idempotencyId,
    created: (changes) => call.notes.changed(changes, call.catalog),
  });
  return `"inserted-entities":${entityCount},"inserted-values":${valueCount}`;
}
