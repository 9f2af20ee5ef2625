/**
 * POST /v1/update and POST /v1/delete: which entities, and what is set. The body's shape is read once; it is bound
 * against a model each time that the engine asks.
 * Invariants: the condition covers no row that the caller does not see; the values of `set` keep the text of their
 * numbers, and are checked, as are its columns, by the parser of inserts.
 */
import { type BindingTime, QuarryError } from '../base/index.js';
import type { Condition } from '../ir/index.js';
import type { DatabaseModel } from '../schema/index.js';
import type { Access } from './access.js';
import { bindQuery, queryList } from './condition.js';
import { dimensionAt, objectAt, readAll, readKnown } from './fields.js';
import { isObject, type Json, type JsonObject, kindOf, writeJson } from './json.js';
import { KNOWN_FIELDS } from './known-fields.js';

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
export function readMutation(body: Json, kind: MutationKind): MutationBody {
  const object = objectAt(body, 4004, 'the body');
  return readKnown(object, KNOWN_FIELDS[kind], 4049, 'the body', () => {
    const query = object.get('query');
    const { present, set, dimension } = readAll({
      present: () => readPresent(query),
      set: () => (kind === 'update' ? readSet(object) : null),
      dimension: () => readDimensionName(object),
      list: () => (query === undefined ? null : queryList(query)),
    });
    return { dimension, query: present, set };
  });
}

function readPresent(query: Json | undefined): Json {
  if (query !== undefined) return query;
  throw new QuarryError(4010, 'the body lacks "query"');
}

/** Whether there is a dimension of that name is for the model that it is bound against. */
function readDimensionName(object: JsonObject): string | null {
  const name = object.get(DIMENSION) ?? null;
  if (name === null || typeof name === 'string') return name;
  throw new QuarryError(5009, `"${DIMENSION}" must be a dimension's api-name, not ${kindOf(name)}`);
}

function readSet(object: JsonObject): string {
  const set = object.get('set');
  if (set === undefined) throw new QuarryError(4010, 'the body lacks "set"');
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
  const dimension = dimensionAt(model, name, `"${DIMENSION}"`);
  const condition = bindQuery(query, dimension, nowMs, access.checkColumn);
  return { dimensionId: dimension.id, condition: access.restrict(dimension, condition, nowMs), set };
}
