/**
 * POST /v1/query/count/entity, POST and GET /v1/query/count/entity/total, POST /v1/query/exists/entity. Each handler binds and
 * starts its queries in one turn of the event loop, so the model cannot change in between.
 */
import * as api from '../../../api/index.js';
import type { CountEntityPlan } from '../../../ir/index.js';
import { type DatabaseCall, handleMembersOf, type Members, queryOptionsOf } from './handler.js';

export async function handleCountEntities(call: DatabaseCall): Promise<Members> {
  const { databaseId, body, model, access } = call;
  const { plans, names, bypassCache } = call.boundBodies.bind(call, 'count/entity', (time) => {
    const queries = api.bindCountEntity(api.parseJson(body), model, time, access);
    return {
      plans: queries.map(({ dimensionId, condition }) => ({ databaseId, dimensionId, condition })),
      names: queries.map(({ name }) => JSON.stringify(name)),
      bypassCache: queries.some((query) => query.bypassCache),
    };
  });
  call.notes.plans = () => plans.map((plan) => ({ kind: 'count', plan }));
  const counts = await call.engine.countEntities(plans, queryOptionsOf(call, bypassCache));
  // Not made from an object, because a query may be named "__proto__" and names keep their order.
  const results = names.map((name, index) => `${name}:${counts[index]}`);
  return `"result":{${results.join(',')}}`;
}

export function countTotal(call: DatabaseCall): Promise<Members> {
  // All fields of this body are optional, so it may be empty.
  const body = call.body.length === 0 ? new Map() : api.parseJson(call.body);
  return totalOf(call, api.bindTotal(body, call.model, call.nowMs, call.access));
}

export function countTotalOfAll(call: DatabaseCall): Promise<Members> {
  return totalOf(call, api.bindTotalOfAll(call.model, call.nowMs, call.access));
}

async function totalOf(call: DatabaseCall, plans: readonly CountEntityPlan[]): Promise<Members> {
  call.notes.plans = () => plans.map((plan) => ({ kind: 'count', plan }));
  const counts = await call.engine.countEntities(plans, queryOptionsOf(call, false));
  return `"result":{"total":${counts.reduce((sum, count) => sum + count, 0)}}`;
}

export async function existEntities(call: DatabaseCall): Promise<Members> {
  const query = api.bindExists(api.parseJson(call.body), call.model, call.nowMs, call.access);
  call.notes.plans = () => [{ kind: 'exist', plan: query.plan }];
  const found = await call.engine.exist(query.plan, query.ids, queryOptionsOf(call, false));
  return handleMembersOf(api.existsAnswer(query, found));
}
