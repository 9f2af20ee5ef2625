/** POST and GET /v1/query/count/entity/total: which dimensions to count. */
import { QuarryError } from '../base/index.js';
import type { DatabaseModel } from '../schema/index.js';
import { dimensionAt, objectAt, refuseUnknown } from './fields.js';
import { isList, type Json, kindOf } from './json.js';

/** Ids of the dimensions that a body names, each once; of all when it names none. Throws 4004, 4049, 5008, 5009. */
export function bindTotal(body: Json, model: DatabaseModel): readonly number[] {
  const object = objectAt(body, 4004, 'the body');
  refuseUnknown(object, ['dimensions'], 4049, 'the body');
  const names = object.get('dimensions') ?? [];
  if (!isList(names)) throw new QuarryError(5009, `"dimensions" must be a list, not ${kindOf(names)}`);
  if (names.length === 0) return allDimensionIds(model);
  return [
    ...new Set(
      names.map((name, index) => {
        if (name === null)
          throw new QuarryError(5009, `dimensions[${index}] must be a dimension's api-name, not null`);
        return dimensionAt(model, name, `dimensions[${index}]`).id;
      }),
    ),
  ];
}

export function allDimensionIds(model: DatabaseModel): readonly number[] {
  return [...model.dimensions.values()].map((dimension) => dimension.id);
}
