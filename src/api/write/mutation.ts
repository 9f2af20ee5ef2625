/**
 * POST /v1/update and POST /v1/delete: the entities that change, and the values to set. The body's shape is read once; the
 * engine binds it against a model, possibly several times.
 * Invariants: the condition selects no row that the caller does not see; the numbers in `set` keep their text; the parser
 * of inserts checks the columns and values of `set`.
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
  /** null = the default dimension. */
  readonly dimension: string | null;
  readonly query: Json;
  /** JSON text of an object column api-name -> value; null for a delete. */
  readonly set: string | null;
}

/** The write that the engine executes. */
export interface BoundMutation {
  readonly dimensionId: number;
  readonly condition: Condition;
  readonly set: string | null;
}

/** The key with which an entity names its dimension; no column has this name. */
const DIMENSION = 'dimension';

/**
 * Reads the body. Throws 4004 if it is not an object, 4049 for unknown fields and a `set` that is not an object, 4010 for
 * missing fields, 2017 for an empty `set`, 2011 for a `set` that names a dimension, 5009 for a dimension that is not a
 * string and 4026 for a query that is not a list. An error reports every invalid field.
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
  if (set.has(DIMENSION)) throw new QuarryError(2011, `"set" names "${DIMENSION}", which is not a column`);
  return writeJson(set);
}

/** Binds the write against a model. Throws 506, 5008 and the errors of `bindQuery`. */
export function bindMutation(
  { dimension: name, query, set }: MutationBody,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): BoundMutation {
  const dimension = dimensionAt(model, name ?? DEFAULT_DIMENSION);
  const condition = bindQuery(query, dimension, nowMs, { checkColumn: access.checkColumn });
  return { dimensionId: dimension.id, condition: access.restrict(dimension, condition, nowMs), set };
}
