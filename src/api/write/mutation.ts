/**
 * POST /v1/update and POST /v1/delete: which entities, and what is set. The body's shape is read once; it is bound
 * against a model each time that the engine asks.
 * Invariants: the condition covers no row that the caller does not see; the values of `set` keep the text of their
 * numbers, and are checked, as are its columns, by the parser of inserts.
 */
import { type BindingTime, QuarryError } from '../../base/index.js';
import { deletion, update } from '../../interface/index.js';
import type { Condition } from '../../ir/index.js';
import { type DatabaseModel, DEFAULT_DIMENSION } from '../../schema/index.js';
import type { Access } from '../body/access.js';
import { dimensionAt, readAll } from '../body/fields.js';
import { isObject, type Json, kindOf, writeJson } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import { bindQuery, queryList } from '../condition/condition.js';

export type MutationKind = 'update' | 'delete';

export interface MutationBody {
  /** null = the default one. */
  readonly dimension: string | null;
  readonly query: Json;
  /** JSON text of an object column api-name -> value; null of a delete. */
  readonly set: string | null;
}

/** What the engine is to do. */
export interface BoundMutation {
  readonly dimensionId: number;
  readonly condition: Condition;
  readonly set: string | null;
}

/** An entity names its dimension by this key, so no column has it. */
const DIMENSION = 'dimension';

/**
 * Reads the body. Throws 4004 when it is no object, 4049 for unknown fields and a `set` that is no object, 4010 for
 * what is missing, 2017 for an empty `set`, 2011 for one that names a dimension, and 5009 and 4026 for a dimension that
 * is no string and a query that is no list; every faulty field is told.
 */
export function readMutation(json: Json, kind: MutationKind): MutationBody {
  const body = RequestBody.of(kind === 'update' ? update : deletion, json);
  return body.read(() => {
    const { query, set, dimension } = readAll({
      query: () => body.get('query'),
      set: () => (kind === 'update' ? readSet(RequestBody.of(update, json).get('set')) : null),
      dimension: () => body.get('dimension') ?? null,
      list: () => (body.object.has('query') ? queryList(body.get('query')) : null),
    });
    return { dimension, query, set };
  });
}

function readSet(set: Json): string {
  if (!isObject(set)) throw new QuarryError(4049, `"set" must be an object, not ${kindOf(set)}`);
  if (set.size === 0) throw new QuarryError(2017, '"set" has no column');
  if (set.has(DIMENSION)) throw new QuarryError(2011, `"set" names "${DIMENSION}", which is no column`);
  return writeJson(set);
}

/** Throws 506, 5008 and all of `bindQuery`. */
export function bindMutation(
  { dimension: name, query, set }: MutationBody,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): BoundMutation {
  const dimension = dimensionAt(model, name ?? DEFAULT_DIMENSION);
  const condition = bindQuery(query, dimension, nowMs, access.checkColumn);
  return { dimensionId: dimension.id, condition: access.restrict(dimension, condition, nowMs), set };
}
