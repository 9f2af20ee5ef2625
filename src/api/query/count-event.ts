/** POST /v1/query/count/event: how many events satisfy one event condition, all together or by interval. */
import { type BindingTime, invariant } from '../../base/index.js';
import { type CountEventQueryFields, countEventQuery } from '../../interface/index.js';
import type { AggregateAnswer, AggregatePlan } from '../../ir/index.js';
import { type DatabaseModel, valueKindOf } from '../../schema/index.js';
import type { Access } from '../body/access.js';
import { readAll, readOrNull } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { bindEventQuery, queryList } from '../condition/condition.js';
import { bucketsOf, checkResolution } from '../condition/interval.js';
import { readLocalTime } from '../condition/time-zone.js';
import { AnswerText, writeBuckets } from './aggregate-text.js';
import { bindQueries, type NamedQuery, type QueryEntry } from './query-list.js';

export type CountEventQuery = NamedQuery<AggregatePlan>;

/**
 * Binds every query of the body; an error reports every invalid field of each. Throws 506, 4027 and the errors of
 * `bindQueries` and `bindEventQuery`.
 */
export function bindCountEvent(
  body: Json,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): readonly CountEventQuery[] {
  return bindQueries(body, model, countEventQuery, (entry) => bindPlan(entry, model.id, nowMs, access));
}

/** Selects the events of the rows that the caller sees. If the dimension is invalid, checks only shapes and returns null. */
function bindPlan(
  { query, body, dimension, path, queryPath }: QueryEntry<CountEventQueryFields>,
  databaseId: number,
  nowMs: BindingTime,
  access: Access,
): AggregatePlan | null {
  const intervalPath = `"interval" in ${path}`;
  const readInterval = () => body.get('interval');
  const readLocal = () => readLocalTime(body.get('time-zone'), body.get('week-start'), `${path}.`);
  if (dimension === null) {
    readAll({
      query: () => queryList(query, `"query" in ${path}`),
      interval: readInterval,
      local: readLocal,
    });
    return null;
  }
  const local = readOrNull(readLocal);
  const readEvents = () => bindEventQuery(query, dimension, nowMs, access.checkColumn, queryPath);
  const known = readOrNull(readEvents);
  const { events, entities, buckets } = readAll({
    events: readEvents,
    entities: () => access.restrict(dimension, null, nowMs),
    buckets: () => {
      const interval = readInterval();
      if (interval === undefined || known === null) return null;
      checkResolution(interval, known.event.window, nowMs, intervalPath);
      return local === null ? null : bucketsOf(interval, known.event.window, intervalPath, local);
    },
    local: readLocal,
  });
  const { type, decimalPlaces } = events.column;
  const { columnId, window, tests } = events.event;
  const source = { from: 'events', columnId, kind: valueKindOf(type), window } as const;
  const metric = { source, tests, type, decimalPlaces, metric: 'count-events', buckets } as const;
  return { databaseId, dimensionId: dimension.id, entities, levels: [], metric };
}

/**
 * The `result` of an answer as JSON text: `answers[i]` belongs to `queries[i]`. Throws 9006 if it is too long.
 */
export function countEventResult(
  queries: readonly CountEventQuery[],
  answers: readonly AggregateAnswer[],
): string {
  const text = new AnswerText();
  text.writeAll('{', [...queries.entries()], '}', ([index, { name }]) => {
    const answer = answers[index];
    invariant(answer.answers !== 'values', 'events are counted, not their values');
    text.write(`${JSON.stringify(name)}:`);
    if (answer.answers === 'metric') text.write(answer.token);
    else writeBuckets(text, 'count', answer.rows);
  });
  return text.toString();
}
