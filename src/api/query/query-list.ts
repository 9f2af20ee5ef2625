/** Bodies of one query object or a list of at most 10, each with a name, a dimension and a query of its own. */
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

/** One query object of a body, as far as it is known when its query is bound. */
export interface QueryEntry<F extends CountQueryFields> {
  readonly query: Json;
  readonly body: RequestBody<F>;
  /** null = it was refused, and that is told elsewhere. */
  readonly dimension: Dimension | null;
  readonly place: string;
  /** Where `query` stands. */
  readonly queryPlace: string;
}

/**
 * Binds every query of the body with `bind`, which gives null in a refused dimension only. A
 * refusal holds the errors of all fields of each. Throws 4004, 4010,
 * 4036, 4047, 4049, 4054, 5008, 5009 and what `bind` throws.
 */
export function bindQueries<F extends CountQueryFields, Bound>(
  json: Json,
  model: DatabaseModel,
  schema: Body<F>,
  bind: (entry: QueryEntry<F>) => Bound | null,
): readonly NamedQuery<Bound>[] {
  const entries = isList(json) ? json : [json];
  if (entries.length === 0) throw new QuarryError(4004, 'the body holds no query');
  if (entries.length > QUERIES_PER_REQUEST_MAX) {
    throw new QuarryError(
      4036,
      `${entries.length} queries in one request; at most ${QUERIES_PER_REQUEST_MAX}`,
    );
  }
  const names = new Set<string>();
  return checkAll(entries, (entry, index) => {
    const place = isList(json) ? `body[${index}]` : 'the body';
    const queryPlace = isList(json) ? `${place}.query` : 'query';
    const body = RequestBody.of<CountQueryFields>(schema, entry, place);
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
            place,
            queryPlace,
          }),
        bypassCache: () => body.get('bypass-cache') ?? false,
      }),
    );
    invariant(bound !== null, 'a query was taken in a dimension that is refused');
    return { ...rest, dimensionId: dimension.id, bound };
  });
}

/** The name, which joins `names`. */
function readName(body: RequestBody<CountQueryFields>, names: Set<string>): string {
  const name = body.get('query-name');
  if (names.has(name)) throw new QuarryError(4054, `query-name ${quoted(name)} is repeated`);
  names.add(name);
  return name;
}
