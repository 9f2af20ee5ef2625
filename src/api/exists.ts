/** POST /v1/query/exists/entity: the IDs to look for, and the answer that echoes them as they were asked. */
import {
  type BindingTime,
  checkAll,
  IDS_PER_EXISTS_MAX,
  QuarryError,
  TEXT_POINTS_MAX,
} from '../base/index.js';
import type { CountEntityPlan } from '../ir/index.js';
import { codePointCount, type DatabaseModel, lowerCase } from '../schema/index.js';
import type { Access } from './access.js';
import { dimensionAt, objectAt, readAll, readKnown, readOrNull } from './fields.js';
import { isList, type Json, type JsonObject, kindOf } from './json.js';
import { KNOWN_FIELDS } from './known-fields.js';

export interface ExistsQuery {
  /** The entities that the caller sees. */
  readonly plan: CountEntityPlan;
  /** The IDs as they stood in the request. */
  readonly asked: readonly string[];
  /** The same IDs, place by place, as they are stored. */
  readonly ids: readonly string[];
}

/** Throws 506, 4004, 4019, 4025, 4031, 4049, 5008 and 5009. */
export function bindExists(
  body: Json,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): ExistsQuery {
  const object = objectAt(body, 4004, 'the body');
  const list = readOrNull(() => readIds(object)) ?? [];
  const { dimension, asked } = readKnown(object, KNOWN_FIELDS.exists, 4049, 'the body', () =>
    readAll({
      ids: () => readIds(object),
      dimension: () => dimensionAt(model, object.get('dimension'), '"dimension"'),
      asked: () => checkAll(list, (id, index) => checkId(id, `ids[${index}]`)),
    }),
  );
  const condition = access.restrict(dimension, null, nowMs);
  return {
    plan: { databaseId: model.id, dimensionId: dimension.id, condition },
    asked,
    ids: asked.map(lowerCase),
  };
}

/** The list at "ids", whatever it holds. */
function readIds(object: JsonObject): readonly Json[] {
  const ids = object.get('ids');
  if (ids === undefined) throw new QuarryError(4025, 'the body lacks "ids"');
  if (!isList(ids)) throw new QuarryError(4049, `"ids" must be a list of strings, not ${kindOf(ids)}`);
  if (ids.length === 0) throw new QuarryError(4031, '"ids" is empty');
  if (ids.length <= IDS_PER_EXISTS_MAX) return ids;
  throw new QuarryError(4019, `${ids.length} IDs in one request; at most ${IDS_PER_EXISTS_MAX}`);
}

function checkId(id: Json, place: string): string {
  if (typeof id !== 'string') throw new QuarryError(4049, `${place} must be a string, not ${kindOf(id)}`);
  if (id === '') throw new QuarryError(4049, `${place} is an empty string`);
  if (codePointCount(id) <= TEXT_POINTS_MAX) return id;
  throw new QuarryError(4049, `${place} is longer than ${TEXT_POINTS_MAX} characters`);
}

export interface ExistsAnswer {
  readonly exists: readonly string[];
  readonly 'not-exists': readonly string[];
}

/** `found[i]` belongs to `query.ids[i]`. */
export function existsAnswer(query: ExistsQuery, found: readonly boolean[]): ExistsAnswer {
  return {
    exists: query.asked.filter((_, index) => found[index]),
    'not-exists': query.asked.filter((_, index) => !found[index]),
  };
}
