/** POST and GET /v1/query/count/entity/total: a plan for each dimension to count, of the rows that the caller sees. */
import { type BindingTime, checkAll, QuarryError } from '../base/index.js';
import type { CountEntityPlan } from '../ir/index.js';
import type { DatabaseModel, Dimension } from '../schema/index.js';
import type { Access } from './access.js';
import { dimensionAt, objectAt, readKnown } from './fields.js';
import { isList, type Json, kindOf } from './json.js';
import { KNOWN_FIELDS } from './known-fields.js';

/**
 * One plan per dimension that a body names, each once; for all dimensions when it names none. Throws 506, 4004, 4049,
 * 5008, 5009.
 */
export function bindTotal(
  body: Json,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): readonly CountEntityPlan[] {
  const object = objectAt(body, 4004, 'the body');
  const dimensions = readKnown(object, KNOWN_FIELDS.total, 4049, 'the body', () =>
    readDimensions(object.get('dimensions') ?? [], model),
  );
  if (dimensions.length === 0) return bindTotalOfAll(model, nowMs, access);
  return plansOf(new Set(dimensions), model, nowMs, access);
}

function readDimensions(names: Json, model: DatabaseModel): readonly Dimension[] {
  if (!isList(names)) throw new QuarryError(5009, `"dimensions" must be a list, not ${kindOf(names)}`);
  return checkAll(names, (name, index) => {
    if (name === null)
      throw new QuarryError(5009, `dimensions[${index}] must be a dimension's api-name, not null`);
    return dimensionAt(model, name, `dimensions[${index}]`);
  });
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
