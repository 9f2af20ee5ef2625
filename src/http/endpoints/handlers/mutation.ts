/** POST /v1/update and POST /v1/delete. */
import { createHash } from 'node:crypto';
import * as api from '../../../api/index.js';
import type { DatabaseCall, Members } from './handler.js';

export async function updateEntities(call: DatabaseCall): Promise<Members> {
  return `"result":{"updated":${await mutate(call, 'update')}}`;
}

export async function deleteEntities(call: DatabaseCall): Promise<Members> {
  return `"result":{"deleted":${await mutate(call, 'delete')}}`;
}

function mutate(call: DatabaseCall, kind: api.MutationKind): Promise<number> {
  const { databaseId, access, nowMs, charge, idempotencyId } = call;
  const body = api.readMutation(api.parseJson(call.body), kind);
  return call.engine.mutate({
    databaseId,
    customKey: !call.mayCreate,
    columnIds: access.columnIds(call.model),
    charge,
    nowMs,
    idempotency: idempotencyId === null ? null : { id: idempotencyId, bodyHash: sha256(call.body) },
    bind: (model) => api.bindMutation(body, model, nowMs, access),
  });
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
