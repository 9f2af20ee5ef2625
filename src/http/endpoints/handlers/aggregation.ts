/**
 * POST /v1/query/count/event, /v1/query/aggregation and /v1/query/top_values. Each binds and asks in one turn;
 * the engine refuses what it cannot ask as it was bound any more; one query that bypasses the cache takes the others of its request along.
 */
import * as api from '../../../api/index.js';
import type { AskedPlan } from '../../../engine/index.js';
import type { AggregatePlan } from '../../../ir/index.js';
import type { DatabaseCall, Members } from './handler.js';

const askedOf = (plans: readonly AggregatePlan[]) => (): readonly AskedPlan[] =>
  plans.map((plan) => ({ asks: 'aggregate', plan }));

export async function countEvents(call: DatabaseCall): Promise<Members> {
  const { engine, body, model, access, cancellation } = call;
  const queries = call.boundBodies.bind(call, 'count/event', (time) =>
    api.bindCountEvent(api.parseJson(body), model, time, access),
  );
  const bypassCache = queries.some((query) => query.bypassCache);
  const plans = queries.map(({ bound }) => bound);
  call.notes.asked = askedOf(plans);
  const answers = await engine.aggregate(plans, { cancellation, bypassCache });
  return `"result":${api.countEventResult(queries, answers)}`;
}

export async function aggregate(call: DatabaseCall): Promise<Members> {
  const { engine, body, model, access, cancellation } = call;
  const query = call.boundBodies.bind(call, 'aggregation', (time) =>
    api.bindAggregation(api.parseJson(body), model, time, access),
  );
  const { plan, bypassCache } = query;
  call.notes.asked = askedOf([plan]);
  const [answer] = await engine.aggregate([plan], { cancellation, bypassCache });
  return `"result":${api.aggregationResult(query, answer)}`;
}

export async function topValues(call: DatabaseCall): Promise<Members> {
  const { engine, body, model, access, cancellation } = call;
  const queries = call.boundBodies.bind(call, 'top_values', (time) =>
    api.bindTopValues(api.parseJson(body), model, time, access),
  );
  const bypassCache = queries.some((query) => query.bypassCache);
  const plans = queries.map(({ plan }) => plan);
  call.notes.asked = askedOf(plans);
  const answers = await engine.aggregate(plans, { cancellation, bypassCache });
  return `"result":${api.topValuesResult(queries, answers)}`;
}
