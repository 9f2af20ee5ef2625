/** POST /v1/query/top_values: each query gives the most frequent values of a column, under the query's name. */
import {
  type BindingTime,
  checkAll,
  invariant,
  QuarryError,
  quoted,
  TOP_VALUES_QUERIES_MAX,
} from '../../base/index.js';
import { topValuesFields } from '../../interface/index.js';
import { type AggregateAnswer, type AggregatePlan, ALL_EVENTS, type TopLevel } from '../../ir/index.js';
import type { DatabaseModel, Dimension } from '../../schema/index.js';
import type { Access } from '../body/access.js';
import { dimensionOf, objectAt, readAll, readOrNull } from '../body/fields.js';
import type { Json, JsonObject } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import { readMinfreq } from '../condition/column-condition.js';
import { AnswerText, writeAnswer } from './aggregate-text.js';
import { bindValues, readLevel, readLimit } from './level.js';

export interface TopValuesQuery {
  readonly name: string;
  readonly column: string;
  readonly plan: AggregatePlan;
  readonly bypassCache: boolean;
}

const BYPASS_CACHE = 'bypass-cache';
/** Fields of a query other than its column and predicates. */
const OPTIONS = Object.keys(topValuesFields.properties);

/**
 * Binds every query of the body; an error reports every invalid field of each. Throws 506, 4004, 4007, 4008, 4014, 4017,
 * 4036, 4038, 4047, 4049 to 4051, 5008, 5009, and the errors of predicates and windows.
 */
export function bindTopValues(
  body: Json,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): readonly TopValuesQuery[] {
  const object = objectAt(body, 4004, 'the body');
  const bypassesAll = object.get(BYPASS_CACHE);
  const isFlag = typeof bypassesAll === 'boolean';
  const entries = [...object].filter(([name]) => !(isFlag && name === BYPASS_CACHE));
  if (entries.length === 0) throw new QuarryError(4004, 'the body contains no query');
  if (entries.length > TOP_VALUES_QUERIES_MAX) {
    throw new QuarryError(
      4036,
      `${entries.length} queries in one request; at most ${TOP_VALUES_QUERIES_MAX}`,
    );
  }
  return checkAll(entries, ([name, entry]) => {
    if (name === '') throw new QuarryError(4047, 'the name of a query is an empty string');
    const query = bindOne(objectAt(entry, 4004, quoted(name)), quoted(name), model, nowMs, access);
    return { ...query, name, bypassCache: query.bypassCache || bypassesAll === true };
  });
}

function bindOne(
  object: JsonObject,
  path: string,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): Omit<TopValuesQuery, 'name'> {
  const options = RequestBody.of(topValuesFields, object, path);
  const readDimension = () => dimensionOf(model, options);
  const known = readOrNull(readDimension);
  const { bound } = readAll({
    dimension: readDimension,
    bound: () =>
      known === null ? null : bindIn(known, object, { path, databaseId: model.id, nowMs, access }),
  });
  invariant(bound !== null, 'a query was bound in an invalid dimension');
  return bound;
}

interface QueryContext {
  readonly path: string;
  readonly databaseId: number;
  readonly nowMs: BindingTime;
  readonly access: Access;
}

function bindIn(
  dimension: Dimension,
  object: JsonObject,
  { path, databaseId, nowMs, access }: QueryContext,
): Omit<TopValuesQuery, 'name'> {
  const fields = readLevel(object, OPTIONS, dimension, access, path);
  const options = RequestBody.of(topValuesFields, fields.others, path);
  const rules = { nowMs, allowsBuckets: false, defaultWindow: ALL_EVENTS };
  const { limit, values, minQuantity, bypassCache, entities } = readAll({
    limit: () => readLimit(fields),
    values: () => bindValues(fields, rules),
    minQuantity: () => readMinfreq(fields.others.get('minfreq'), `${path}.minfreq`),
    bypassCache: () => options.get('bypass-cache') ?? false,
    entities: () => access.restrict(dimension, null, nowMs),
  });
  const { source, tests, type, decimalPlaces } = values;
  const level: TopLevel = { source, tests, type, decimalPlaces, limit, minQuantity };
  const plan = { databaseId, dimensionId: dimension.id, entities, levels: [level], metric: null };
  return { column: fields.column.apiName, plan, bypassCache };
}

/** The `result` of an answer as JSON text: `answers[i]` belongs to `queries[i]`. Throws 9006 if it is too long. */
export function topValuesResult(
  queries: readonly TopValuesQuery[],
  answers: readonly AggregateAnswer[],
): string {
  const text = new AnswerText();
  text.writeAll('{', [...queries.entries()], '}', ([index, { name, column }]) => {
    text.write(`${JSON.stringify(name)}:`);
    writeAnswer(text, { columns: [column], metric: null }, answers[index]);
  });
  return text.toString();
}
