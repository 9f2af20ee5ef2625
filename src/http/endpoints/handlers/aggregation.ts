/**
 * POST /v1/query/count/event, /v1/query/aggregation and /v1/query/top_values. Each handler binds and starts its queries in one
 * turn of the event loop; the engine refuses a plan that no longer fits its model. If one query of a request bypasses the
 * cache, all of them do.
 */
import * as api from '../../../api/index.js';
import type { QueryPlan } from '../../../engine/index.js';
import type { AggregatePlan } from '../../../ir/index.js';
import { type DatabaseCall, type Members, queryOptionsOf } from './handler.js';

const plansOf = (plans: readonly AggregatePlan[]) => (): readonly QueryPlan[] =>
  plans.map((plan) => ({ kind: 'aggregate', plan }));

export async function countEvents(call: DatabaseCall): Promise<Members> {
  const { engine, body, model, access } = call;
  const queries = call.boundBodies.bind(call, 'count/event', (time) =>
    api.bindCountEvent(api.parseJson(body), model, time, access),
  );
  const bypassCache = queries.some((query) => query.bypassCache);
  const plans = queries.map(({ bound }) => bound);
  call.notes.plans = plansOf(plans);
  const answers = await engine.aggregate(plans, queryOptionsOf(call, bypassCache));
  return `"result":${api.countEventResult(queries, answers)}`;
}

export async function aggregate(call: DatabaseCall): Promise<Members> {
  const { engine, body, model, access } = call;
  const query = call.boundBodies.bind(call, 'aggregation', (time) =>
    api.bindAggregation(api.parseJson(body), model, time, access),
  );
  const { plan, bypassCache } = query;
  call.notes.plans = plansOf([plan]);
  const [answer] = await engine.aggregate([plan], queryOptionsOf(call, bypassCache));
  return `"result":${api.aggregationResult(query, answer)}`;
}

export async function handleTopValues(call: DatabaseCall): Promise<Members> {
  const { engine, body, model, access } = call;
  const queries = call.boundBodies.bind(call, 'top_values', (time) =>
    api.bindTopValues(api.parseJson(body), model, time, access),
  );
  const bypassCache = queries.some((query) => query.bypassCache);
  const plans = queries.map(({ plan }) => plan);
  call.notes.plans = plansOf(plans);
  const answers = await engine.aggregate(plans, queryOptionsOf(call, bypassCache));
  return `"result":${api.topValuesResult(queries, answers)}`;
}
