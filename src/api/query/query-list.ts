/** Bodies of one query object or a list of at most 10; each has its own name, dimension and query. */
import { checkAll, invariant, QUERIES_PER_REQUEST_MAX, QuarryError, quoted } from '../../base/index.js';
import type { Body, CountQueryFields } from '../../interface/index.js';
import type { DatabaseModel, Dimension } from '../../schema/index.js';
import { dimensionOf, readAll, readOrNull } from '../body/fields.js';
import { isList, type Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';

export interface NamedQuery<Bound> {
  readonly name: string;
  readonly dimensionId: number;
  readonly bound: Bound;
  readonly bypassCache: boolean;
}

/** The fields of a query object that are known before its query is bound. */
export interface QueryEntry<F extends CountQueryFields> {
  readonly query: Json;
  readonly body: RequestBody<F>;
  /** null = the dimension is invalid; another reader reports the error. */
  readonly dimension: Dimension | null;
  readonly path: string;
  /** Path of `query` in the body. */
  readonly queryPath: string;
}

/**
 * Binds every query of the body with `bind`, which returns null only if the dimension is invalid. An error reports every
 * invalid field of each query. Throws 4004, 4010, 4036, 4047, 4049, 4054, 5008, 5009 and the errors of `bind`.
 */
export function bindQueries<F extends CountQueryFields, Bound>(
  json: Json,
  model: DatabaseModel,
  schema: Body<F>,
  bind: (entry: QueryEntry<F>) => Bound | null,
): readonly NamedQuery<Bound>[] {
  const entries = isList(json) ? json : [json];
  if (entries.length === 0) throw new QuarryError(4004, 'the body contains no query');
  if (entries.length > QUERIES_PER_REQUEST_MAX) {
    throw new QuarryError(
      4036,
      `${entries.length} queries in one request; at most ${QUERIES_PER_REQUEST_MAX}`,
    );
  }
  const names = new Set<string>();
  return checkAll(entries, (entry, index) => {
    const path = isList(json) ? `body[${index}]` : 'the body';
    const queryPath = isList(json) ? `${path}.query` : 'query';
    const body = RequestBody.of<CountQueryFields>(schema, entry, path);
    const readDimension = () => dimensionOf(model, body);
    const known = readOrNull(readDimension);
    const { dimension, bound, ...rest } = body.read(() =>
      readAll({
        name: () => readName(body, names),
        dimension: readDimension,
        bound: () =>
          bind({
            query: body.get('query'),
            body: body as RequestBody<F>,
            dimension: known,
            path,
            queryPath,
          }),
        bypassCache: () => body.get('bypass-cache') ?? false,
      }),
    );
    invariant(bound !== null, 'a query was bound in an invalid dimension');
    return { ...rest, dimensionId: dimension.id, bound };
  });
}

/** Reads the query's name and adds it to `names`. */
function readName(body: RequestBody<CountQueryFields>, names: Set<string>): string {
  const name = body.get('query-name');
  if (names.has(name)) throw new QuarryError(4054, `query-name ${quoted(name)} is repeated`);
  names.add(name);
  return name;
}
