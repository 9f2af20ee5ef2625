/** POST /v1/query/count/entity: one query object or a list of at most 10, each bound against its dimension. */
import { checkAll, QUERIES_PER_REQUEST_MAX, QuarryError, quoted } from '../base/index.js';
import type { Condition } from '../ir/index.js';
import type { DatabaseModel } from '../schema/index.js';
import type { Access } from './access.js';
import { bindQuery } from './condition.js';
import { dimensionAt, objectAt, refuseUnknown, requiredString } from './fields.js';
import { isList, type Json, type JsonObject, kindOf } from './json.js';

export interface CountQuery {
  readonly name: string;
  readonly dimensionId: number;
  /** Narrowed to the rows that the caller sees. */
  readonly condition: Condition;
  readonly bypassCache: boolean;
}

const FIELDS = ['query-name', 'dimension', 'query', 'bypass-cache'];
const REQUIRED = { missing: 4010, wrongType: 4049 } as const;

/**
 * Binds every query of the body; a refusal tells the first fault of each. Throws 506, 4004, 4010, 4036, 4047, 4049,
 * 4054, 5008, 5009 and all of `bindQuery`.
 */
export function bindCountEntity(
  body: Json,
  model: DatabaseModel,
  nowMs: number,
  access: Access,
): readonly CountQuery[] {
  const entries = isList(body) ? body : [body];
  if (entries.length === 0) throw new QuarryError(4004, 'the body holds no query');
  if (entries.length > QUERIES_PER_REQUEST_MAX) {
    throw new QuarryError(
      4036,
      `${entries.length} queries in one request; at most ${QUERIES_PER_REQUEST_MAX}`,
    );
  }
  const names = new Set<string>();
  return checkAll(entries, (entry, index) => {
    const place = isList(body) ? `body[${index}]` : 'the body';
    const object = objectAt(entry, 4004, place);
    const name = readName(object, place);
    if (names.has(name)) throw new QuarryError(4054, `query-name ${quoted(name)} is repeated`);
    names.add(name);
    const dimension = dimensionAt(model, object.get('dimension'), `"dimension" in ${place}`);
    const query = object.get('query');
    if (query === undefined) throw new QuarryError(4010, `${place} lacks "query"`);
    const queryPlace = isList(body) ? `${place}.query` : 'query';
    const condition = bindQuery(query, dimension, nowMs, access.checkColumn, queryPlace);
    return {
      name,
      dimensionId: dimension.id,
      condition: access.restrict(dimension, condition, nowMs),
      bypassCache: readBypassCache(object, place),
    };
  });
}

function readName(object: JsonObject, place: string): string {
  refuseUnknown(object, FIELDS, 4049, place);
  const name = requiredString(object, 'query-name', REQUIRED, place);
  if (name !== '') return name;
  throw new QuarryError(4047, `"query-name" in ${place} is an empty string`);
}

function readBypassCache(object: JsonObject, place: string): boolean {
  const bypassCache = object.get('bypass-cache') ?? false;
  if (typeof bypassCache === 'boolean') return bypassCache;
  throw new QuarryError(4049, `"bypass-cache" in ${place} must be true or false, not ${kindOf(bypassCache)}`);
}
