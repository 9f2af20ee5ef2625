/** POST and GET /v1/column. */
import * as api from '../../api/index.js';
import { databaseOf } from '../../catalog/index.js';
import { type Call, type Members, membersOf } from './handler.js';

export async function createColumns(call: Call): Promise<Members> {
  const body = api.parseJson(call.body);
  const answer = await call.engine.change((catalog) =>
    api.createColumns(body, databaseOf(catalog, call.databaseId)),
  );
  return membersOf(answer);
}

export function listColumns(call: Call): Members {
  return membersOf(api.listColumns(call.model));
}
