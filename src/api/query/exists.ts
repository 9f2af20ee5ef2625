/** POST /v1/query/exists/entity: the IDs to look for, and the answer, which contains them as the request wrote them. */
import { type BindingTime, checkAll, QuarryError, TEXT_POINTS_MAX } from '../../base/index.js';
import { exists } from '../../interface/index.js';
import type { CountEntityPlan } from '../../ir/index.js';
import { codePointCount, type DatabaseModel, storedText } from '../../schema/index.js';
import type { Access } from '../body/access.js';
import { dimensionOf, readAll, readOrNull } from '../body/fields.js';
import { type Json, kindOf } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';

export interface ExistsQuery {
  /** The entities that the caller sees. */
  readonly plan: CountEntityPlan;
  /** The IDs as the request wrote them. */
  readonly requestedIds: readonly string[];
  /** The same IDs in the same order, in their stored form. */
  readonly ids: readonly string[];
}

/** Throws 506, 4004, 4019, 4025, 4031, 4049, 5008 and 5009. */
export function bindExists(
  json: Json,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): ExistsQuery {
  const body = RequestBody.of(exists, json);
  const list = readOrNull(() => body.get('ids')) ?? [];
  const { dimension, requestedIds } = body.read(() =>
    readAll({
      ids: () => body.get('ids'),
      dimension: () => dimensionOf(model, body),
      requestedIds: () => checkAll(list, (id, index) => checkId(id, `ids[${index}]`)),
    }),
  );
  const condition = access.restrict(dimension, null, nowMs);
  return {
    plan: { databaseId: model.id, dimensionId: dimension.id, condition },
    requestedIds,
    ids: requestedIds.map((id) => storedText(id, dimension)),
  };
}

function checkId(id: Json, path: string): string {
  if (typeof id !== 'string') throw new QuarryError(4049, `${path} must be a string, not ${kindOf(id)}`);
  if (id === '') throw new QuarryError(4049, `${path} is an empty string`);
  if (codePointCount(id) <= TEXT_POINTS_MAX) return id;
  throw new QuarryError(4049, `${path} is longer than ${TEXT_POINTS_MAX} characters`);
}

export interface ExistsAnswer {
  readonly exists: readonly string[];
  readonly 'not-exists': readonly string[];
}

/** `found[i]` belongs to `query.ids[i]`. */
export function existsAnswer(query: ExistsQuery, found: readonly boolean[]): ExistsAnswer {
  return {
    exists: query.requestedIds.filter((_, index) => found[index]),
    'not-exists': query.requestedIds.filter((_, index) => !found[index]),
  };
}
