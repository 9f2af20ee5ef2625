/** POST /v1/query/count/entity: one query object or a list of at most 10, each bound against its dimension. */
import { checkAll, invariant, QUERIES_PER_REQUEST_MAX, QuarryError, quoted } from '../base/index.js';
import type { Condition } from '../ir/index.js';
import type { DatabaseModel, Dimension } from '../schema/index.js';
import type { Access } from './access.js';
import { bindQuery, queryList } from './condition.js';
import { dimensionAt, objectAt, readAll, readKnown, readOrNull, requiredString } from './fields.js';
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
 * Binds every query of the body; a refusal tells every faulty field of each. Throws 506, 4004, 4010, 4036, 4047, 4049,
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
    const readDimension = () => dimensionAt(model, object.get('dimension'), `"dimension" in ${place}`);
    const known = readOrNull(readDimension);
    const bind = (query: Json, dimension: Dimension): Condition => {
      const queryPlace = isList(body) ? `${place}.query` : 'query';
      const condition = bindQuery(query, dimension, nowMs, access.checkColumn, queryPlace);
      return access.restrict(dimension, condition, nowMs);
    };
    const { dimension, condition, ...rest } = readKnown(object, FIELDS, 4049, place, () =>
      readAll({
        name: () => readName(object, names, place),
        dimension: readDimension,
        condition: () => readCondition(object, known, bind, place),
        bypassCache: () => readBypassCache(object, place),
      }),
    );
    invariant(condition !== null, 'a query was taken in a dimension that is refused');
    return { ...rest, dimensionId: dimension.id, condition };
  });
}

/** The name, which joins `names`. */
function readName(object: JsonObject, names: Set<string>, place: string): string {
  const name = requiredString(object, 'query-name', REQUIRED, place);
  if (name === '') throw new QuarryError(4047, `"query-name" in ${place} is an empty string`);
  if (names.has(name)) throw new QuarryError(4054, `query-name ${quoted(name)} is repeated`);
  names.add(name);
  return name;
}

/** The query as `bind` binds it; null, and only its shape is checked, in a `dimension` that was refused (null). */
function readCondition(
  object: JsonObject,
  dimension: Dimension | null,
  bind: (query: Json, dimension: Dimension) => Condition,
  place: string,
): Condition | null {
  const query = object.get('query');
  if (query === undefined) throw new QuarryError(4010, `${place} lacks "query"`);
  if (dimension !== null) return bind(query, dimension);
  queryList(query, `"query" in ${place}`);
  return null;
}

function readBypassCache(object: JsonObject, place: string): boolean {
  const bypassCache = object.get('bypass-cache') ?? false;
  if (typeof bypassCache === 'boolean') return bypassCache;
  throw new QuarryError(4049, `"bypass-cache" in ${place} must be true or false, not ${kindOf(bypassCache)}`);
}
