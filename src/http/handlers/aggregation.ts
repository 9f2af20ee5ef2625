/**
 * POST /v1/query/count/event, /v1/query/aggregation and /v1/query/top_values. Each binds and asks in one turn;
 * the engine refuses what it cannot ask as it was bound any more; one query that bypasses the cache takes the others of its request along.
 */
import * as api from '../../api/index.js';
import type { DatabaseCall, Members } from './handler.js';

export async function countEvents(call: DatabaseCall): Promise<Members> {
  const { engine, model, nowMs, access, hangUp } = call;
  const queries = api.bindCountEvent(api.parseJson(call.body), model, nowMs, access);
  const bypassCache = queries.some((query) => query.bypassCache);
  const plans = queries.map(({ bound }) => bound);
  const answers = await engine.aggregate(plans, { hangUp, bypassCache });
  return `"result":${api.countEventResult(queries, answers)}`;
}

export async function aggregate(call: DatabaseCall): Promise<Members> {
  const { engine, model, nowMs, access, hangUp } = call;
  const query = api.bindAggregation(api.parseJson(call.body), model, nowMs, access);
  const { plan, bypassCache } = query;
  const [answer] = await engine.aggregate([plan], { hangUp, bypassCache });
  return `"result":${api.aggregationResult(query, answer)}`;
}

export async function topValues(call: DatabaseCall): Promise<Members> {
  const { engine, model, nowMs, access, hangUp } = call;
  const queries = api.bindTopValues(api.parseJson(call.body), model, nowMs, access);
  const bypassCache = queries.some((query) => query.bypassCache);
  const plans = queries.map(({ plan }) => plan);
  const answers = await engine.aggregate(plans, { hangUp, bypassCache });
  return `"result":${api.topValuesResult(queries, answers)}`;
}
