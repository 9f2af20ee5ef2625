/** POST /v1/query/count/entity, POST and GET /v1/query/count/entity/total, POST /v1/query/exists/entity. */
import * as api from '../../api/index.js';
import { type Call, type Members, membersOf } from './handler.js';

export async function countEntities(call: Call): Promise<Members> {
  const { databaseId } = call;
  const queries = api.bindCountEntity(api.parseJson(call.body), call.model, call.nowMs);
  const counts = await call.engine.countEntities(
    queries.map(({ dimensionId, condition }) => ({ databaseId, dimensionId, condition })),
  );
  // By hand, not from an object: a query may be named "__proto__", and names keep their order.
  const results = queries.map((query, index) => `${JSON.stringify(query.name)}:${counts[index]}`);
  return `"result":{${results.join(',')}}`;
}

export function countTotal(call: Call): Promise<Members> {
  return totalOf(call, api.bindTotal(api.parseJson(call.body), call.model));
}

export function countTotalOfAll(call: Call): Promise<Members> {
  return totalOf(call, api.allDimensionIds(call.model));
}

async function totalOf(call: Call, dimensionIds: readonly number[]): Promise<Members> {
  return `"result":{"total":${await call.engine.countAll(call.databaseId, dimensionIds)}}`;
}

export async function existEntities(call: Call): Promise<Members> {
  const query = api.bindExists(api.parseJson(call.body), call.model);
  const found = await call.engine.exist(call.databaseId, query.dimensionId, query.ids);
  return membersOf(api.existsAnswer(query, found));
}
