/**
 * POST /v1/insert. The engine gets the body's bytes as sent; nothing is parsed on this thread.
 *
 * For a line body (application/x-ndjson) the handler runs once for each part (body-parts.ts). A line is an entity,
 * `{"id": "u1", "dimension": "people", "age": 31}`: the members besides `id` are those of an entity's object in a JSON body.
 * The member `auto-create` of a JSON body is a line of its own, `{"auto-create": ["column"]}`, which comes before all
 * entities and applies to every part.
 */
import { QUARANTINE_BYTES_MAX } from '../../../base/index.js';
import type { QuarantineRequest } from '../../../engine/index.js';
import type { DatabaseCall, Members } from './handler.js';

export async function handleInsert(call: DatabaseCall): Promise<Members> {
  const { databaseId, body, lines, records, idempotencyId, charge } = call;
  const { entityCount, valueCount, quarantinedCount, duplicateCount } = await call.engine.insert({
    databaseId,
    body,
    lines,
    records,
    quarantine: call.quarantine === null ? null : quarantineOf(call, call.quarantine),
    customKey: !call.mayCreate,
    columnIds: call.access.columnIds(call.model),
    charge,
    idempotencyId,
    created: (changes) => call.notes.changed(changes, call.catalog),
  });
  const kept = quarantinedCount === undefined ? '' : `,"quarantined-lines":${quarantinedCount}`;
  const left = duplicateCount === undefined ? '' : `,"duplicate-lines":${duplicateCount}`;
  return `"inserted-entities":${entityCount},"inserted-values":${valueCount}${kept}${left}`;
}

function quarantineOf({ engine, databaseId, notes }: DatabaseCall, parameters: string): QuarantineRequest {
  return {
    source: notes.callerName,
    requestId: notes.requestId,
    parameters,
    onQuarantined: (quarantined) => {
      notes.quarantined = quarantined;
    },
    hasCapacity: async (names) => {
      const model = engine.catalog().databases.get(databaseId);
      const ids = names.map((name) => model?.dimensions.get(name)?.id);
      return (await engine.describeData())
        .filter((one) => one.databaseId === databaseId && ids.includes(one.dimensionId))
        .every(({ memory }) => memory.reduce((sum, { bytes }) => sum + bytes, 0) < QUARANTINE_BYTES_MAX);
    },
  };
}
