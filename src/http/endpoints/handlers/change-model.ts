/** Common code of the handlers that change the model of one database. */
import { type Json, type ModelDecision, parseJson } from '../../../api/index.js';
import { QuarryError } from '../../../base/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import { type DatabaseCall, handleMembersOf, type Members } from './handler.js';

/**
 * Decides on the newest model and resolves when the change is durable. Rejects with 8002 if the database was deleted since the
 * caller was authorized.
 */
export async function changeModel(
  { engine, databaseId, body, checkAgain, notes }: DatabaseCall,
  decide: (body: Json, model: DatabaseModel) => ModelDecision<object>,
): Promise<Members> {
  const json = parseJson(body);
  const answer = await engine.change((catalog) => {
    checkAgain(catalog);
    const model = catalog.databases.get(databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    const decision = decide(json, model);
    notes.changed(decision.changes, catalog);
    return decision;
  });
  return handleMembersOf(answer);
}
