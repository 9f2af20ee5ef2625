/** Bodies of one query object or a list of at most 10, each with a name, a dimension and a query of its own. */
import { checkAll, invariant, QUERIES_PER_REQUEST_MAX, QuarryError, quoted } from '../base/index.js';
import type { DatabaseModel, Dimension } from '../schema/index.js';
import { dimensionAt, objectAt, readAll, readKnown, readOrNull, requiredString } from './fields.js';
import { isList, type Json, type JsonObject, kindOf } from './json.js';

export interface NamedQuery<Bound> {
  readonly name: string;
  readonly dimensionId: number;
  readonly bound: Bound;
  readonly bypassCache: boolean;
}

/** One query object of a body, as far as it is known when its query is bound. */
export interface QueryEntry {
  readonly query: Json;
  readonly object: JsonObject;
  /** null = it was refused, and that is told elsewhere. */
  readonly dimension: Dimension | null;
  readonly place: string;
  /** Where `query` stands. */
  readonly queryPlace: string;
}

const REQUIRED = { missing: 4010, wrongType: 4049 } as const;

/**
 * Binds every query of the body with `bind`, which gives null in a refused dimension only. `fields`: what a query may
 * hold. A refusal tells every faulty field of each. Throws 4004, 4010,
 * 4036, 4047, 4049, 4054, 5008, 5009 and what `bind` throws.
 */
export function bindQueries<Bound>(
  body: Json,
  model: DatabaseModel,
  fields: readonly string[],
  bind: (entry: QueryEntry) => Bound | null,
): readonly NamedQuery<Bound>[] {
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
    const queryPlace = isList(body) ? `${place}.query` : 'query';
    const object = objectAt(entry, 4004, place);
    const readDimension = () => dimensionAt(model, object.get('dimension'), `"dimension" in ${place}`);
    const known = readOrNull(readDimension);
    const { dimension, bound, ...rest } = readKnown(object, fields, 4049, place, () =>
      readAll({
        name: () => readName(object, names, place),
        dimension: readDimension,
        bound: () => {
          const query = object.get('query');
          if (query === undefined) throw new QuarryError(4010, `${place} lacks "query"`);
          return bind({ query, object, dimension: known, place, queryPlace });
        },
        bypassCache: () => readBypassCache(object, place),
      }),
    );
    invariant(bound !== null, 'a query was taken in a dimension that is refused');
    return { ...rest, dimensionId: dimension.id, bound };
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

/** false when absent or null. Throws 4049. */
export function readBypassCache(object: JsonObject, place: string): boolean {
  const bypassCache = object.get('bypass-cache') ?? false;
  if (typeof bypassCache === 'boolean') return bypassCache;
  throw new QuarryError(4049, `"bypass-cache" in ${place} must be true or false, not ${kindOf(bypassCache)}`);
}
