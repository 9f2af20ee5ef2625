/** POST and GET /v1/query/count/entity/total: one plan per dimension, which counts the rows that the caller sees. */
import { type BindingTime, checkAll } from '../../base/index.js';
import { dimensionName, total } from '../../interface/index.js';
import type { CountEntityPlan } from '../../ir/index.js';
import type { DatabaseModel, Dimension } from '../../schema/index.js';
import type { Access } from '../body/access.js';
import { dimensionAt } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { RequestBody, readValue } from '../body/request-body.js';

/**
 * One plan per distinct dimension that the body names; for all dimensions if it names none. Throws 506, 4004, 4049, 5008 and
 * 5009.
 */
export function bindTotal(
  json: Json,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): readonly CountEntityPlan[] {
  const dimensions = RequestBody.of(total, json).read((body) =>
    checkAll(body.get('dimensions') ?? [], (name, index) =>
      dimensionAt(model, readValue(dimensionName, name, `dimensions[${index}]`, total.codes)),
    ),
  );
  if (dimensions.length === 0) return bindTotalOfAll(model, nowMs, access);
  return plansOf(new Set(dimensions), model, nowMs, access);
}

/** One plan per dimension of the database. Throws 506. */
export function bindTotalOfAll(
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): readonly CountEntityPlan[] {
  return plansOf(model.dimensions.values(), model, nowMs, access);
}

function plansOf(
  dimensions: Iterable<Dimension>,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): readonly CountEntityPlan[] {
  return Array.from(dimensions, (dimension) => ({
    databaseId: model.id,
    dimensionId: dimension.id,
    condition: access.restrict(dimension, null, nowMs),
  }));
}
