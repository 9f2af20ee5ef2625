/** POST /v1/query/count/entity: one query object or a list of at most 10, each bound against its dimension. */
import { QUERIES_PER_REQUEST_MAX, QuarryError, quoted } from '../base/index.js';
import type { Condition } from '../ir/index.js';
import type { DatabaseModel } from '../schema/index.js';
import { bindQuery } from './condition.js';
import { dimensionAt, objectAt, refuseUnknown, requiredString } from './fields.js';
import { isList, type Json, kindOf } from './json.js';

export interface CountQuery {
  readonly name: string;
  readonly dimensionId: number;
  readonly condition: Condition;
  readonly bypassCache: boolean;
}

const FIELDS = ['query-name', 'dimension', 'query', 'bypass-cache'];
const REQUIRED = { missing: 4010, wrongType: 4049 } as const;

/** Binds every query of the body. Throws 4004, 4010, 4036, 4047, 4049, 4054, 5008, 5009 and all of `bindQuery`. */
export function bindCountEntity(body: Json, model: DatabaseModel, nowMs: number): readonly CountQuery[] {
  const entries = isList(body) ? body : [body];
  if (entries.length === 0) throw new QuarryError(4004, 'the body holds no query');
  if (entries.length > QUERIES_PER_REQUEST_MAX) {
    throw new QuarryError(
      4036,
      `${entries.length} queries in one request; at most ${QUERIES_PER_REQUEST_MAX}`,
    );
  }
  const names = new Set<string>();
  return entries.map((entry, index) => {
    const query = readQuery(entry, model, nowMs, isList(body) ? `body[${index}]` : 'the body');
    if (names.has(query.name)) throw new QuarryError(4054, `query-name ${quoted(query.name)} is repeated`);
    names.add(query.name);
    return query;
  });
}

function readQuery(entry: Json, model: DatabaseModel, nowMs: number, place: string): CountQuery {
  const object = objectAt(entry, 4004, place);
  refuseUnknown(object, FIELDS, 4049, place);
  const name = requiredString(object, 'query-name', REQUIRED, place);
  if (name === '') throw new QuarryError(4047, `"query-name" in ${place} is an empty string`);
  const bypassCache = object.get('bypass-cache') ?? false;
  if (typeof bypassCache !== 'boolean') {
    throw new QuarryError(
      4049,
      `"bypass-cache" in ${place} must be true or false, not ${kindOf(bypassCache)}`,
    );
  }
  const dimension = dimensionAt(model, object.get('dimension'), `"dimension" in ${place}`);
  const query = object.get('query');
  if (query === undefined) throw new QuarryError(4010, `${place} lacks "query"`);
  return { name, dimensionId: dimension.id, condition: bindQuery(query, dimension, nowMs), bypassCache };
}
