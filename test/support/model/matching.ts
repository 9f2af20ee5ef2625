/** Query lists over an entity, in three-valued logic: a missing value satisfies neither a condition nor its negation. */
import type { Json, JsonObject } from '../../../src/api/index.js';
import { ENTITY_ID, type Entity, type Event, known, type Table, type Value } from './facts.js';
import { asCount, asList, asObject } from './json.js';
import { holds, type Predicate, predicatesOf } from './predicates.js';
import { windowOf } from './time.js';

/** true, false or unknown. */
type Truth = boolean | null;

/** The entity to test, and the time of the request. */
export interface Case {
  readonly id: string;
  readonly entity: Entity;
  readonly table: Table;
  readonly nowMs: number;
}

/** A list or condition of a query list, and whether `not` precedes it. */
export interface Operand {
  readonly element: Json;
  readonly negated: boolean;
}

/** The entities, with their IDs, for which a query list is true. */
export function matching(table: Table, query: readonly Json[], nowMs: number): [string, Entity][] {
  return [...table.entities].filter(
    ([id, entity]) => judgeList(query, { id, entity, table, nowMs }) === true,
  );
}

/** Operands joined by `and`, joined by `or`: `not` binds the first operand, then `and`, then `or`. */
export function alternativesOf(list: readonly Json[]): readonly (readonly Operand[])[] {
  const alternatives: Operand[][] = [[]];
  let negated = false;
  for (const element of list) {
    if (element === 'not') negated = true;
    else if (element === 'or') alternatives.push([]);
    else if (element !== 'and') {
      alternatives[alternatives.length - 1].push({ element, negated });
      negated = false;
    }
  }
  return alternatives;
}

const every = (truths: readonly Truth[]): Truth => {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
};
const some = (truths: readonly Truth[]): Truth => {
  if (truths.includes(true)) return true;
  return truths.includes(null) ? null : false;
};
const not = (truth: Truth): Truth => (truth === null ? null : !truth);

function judgeList(list: readonly Json[], subject: Case): Truth {
  return some(
    alternativesOf(list).map((operands) => every(operands.map((operand) => judge(operand, subject)))),
  );
}

export function judge({ element, negated }: Operand, subject: Case): Truth {
  const truth = Array.isArray(element)
    ? judgeList(element, subject)
    : judgeCondition(asObject(element), subject);
  return negated ? not(truth) : truth;
}

function judgeCondition(condition: JsonObject, subject: Case): Truth {
  if (condition.has('freqgroup')) {
    const members = asList(condition.get('freqgroup')).map(
      (member) => matchingEvents(asObject(member), subject).length,
    );
    return members.reduce((sum, count) => sum + count, 0) >= minfreqOf(condition);
  }
  const [name, parameters] = onlyColumn(condition);
  if (name === ENTITY_ID) {
    return predicatesOf(parameters).every(([word, operand]) => holds(subject.id, word, operand));
  }
  const { isEvent, isList } = known(subject.table.columns, name);
  if (isEvent) {
    if ((subject.entity.events.get(name) ?? []).length === 0) return null;
    return matchingEvents(condition, subject).length >= minfreqOf(parameters);
  }
  if (isList) {
    const items = subject.entity.lists.get(name);
    return items === undefined ? null : listHolds(items, predicatesOf(parameters));
  }
  const value = subject.entity.values.get(name);
  if (value === undefined) return null;
  return predicatesOf(parameters).every(([word, operand]) => holds(value, word, operand));
}

/** Whether one item satisfies all plain predicates, and no item satisfies a predicate that `not-` negates. */
function listHolds(items: readonly Value[], predicates: readonly Predicate[]): boolean {
  const plain = predicates.filter(([word]) => !word.startsWith('not-'));
  const negated = predicates.filter(([word]) => word.startsWith('not-'));
  const oneFits =
    plain.length === 0 || items.some((item) => plain.every(([word, operand]) => holds(item, word, operand)));
  return oneFits && negated.every(([word, operand]) => items.every((item) => holds(item, word, operand)));
}

/** The events of one condition on an event column. */
export function matchingEvents(condition: JsonObject, { entity, nowMs }: Case): readonly Event[] {
  const [name, parameters] = onlyColumn(condition);
  const events = entity.events.get(name);
  if (events === undefined) return [];
  const [from, to] = windowOf(asList(betweenIn(parameters)), nowMs);
  const predicates = predicatesOf(parameters);
  return events.filter(
    ({ seconds, value }) =>
      seconds >= from && seconds <= to && predicates.every(([word, operand]) => holds(value, word, operand)),
  );
}

/** `between`, which may be inside a geolocation predicate. */
export function betweenIn(parameters: JsonObject): Json | undefined {
  const beside = parameters.get('between');
  if (beside !== undefined) return beside;
  return [...parameters.values()]
    .flatMap((value): readonly Json[] => (Array.isArray(value) ? value : [value]))
    .map((value) => (value instanceof Map ? (value as JsonObject).get('between') : undefined))
    .find((value) => value !== undefined);
}

export function onlyColumn(condition: JsonObject): [string, JsonObject] {
  const [[name, parameters]] = [...condition];
  return [name, asObject(parameters)];
}

function minfreqOf(object: JsonObject): number {
  const value = object.get('minfreq');
  return value === undefined ? 1 : asCount(value);
}
