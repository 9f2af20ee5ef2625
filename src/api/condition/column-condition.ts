/**
 * A condition on one column: its predicates, and on event columns its window and minimum frequency.
 * Rules: an event column needs `between` and at least one predicate on its values; an attribute column takes
 * neither `between` nor `minfreq`.
 */
import { type BindingTime, QuarryError, quoted } from '../../base/index.js';
import { CONDITION_CODES, eventFields } from '../../interface/index.js';
import type { Condition, EventTest } from '../../ir/index.js';
import { type Column, isEventType } from '../../schema/index.js';
import type { Json, JsonObject } from '../body/json.js';
import { readValue } from '../body/request-body.js';
import { type BoundPredicates, bindPredicates, type Predicate } from './predicate.js';
import { readWindow } from './window.js';

export interface ColumnCondition {
  readonly column: Column;
  /** Not empty. */
  readonly parameters: JsonObject;
  /** Path of the condition in the body, for messages. */
  readonly path: string;
}

const EVENT_PARAMETERS: readonly string[] = Object.keys(eventFields);

export function predicatesIn({ parameters, path }: ColumnCondition): Predicate[] {
  return [...parameters]
    .filter(([name]) => !EVENT_PARAMETERS.includes(name))
    .map(([name, argument]) => ({ name, argument, path: `${path}.${quoted(name).slice(1, -1)}` }));
}

export function bindColumn(condition: ColumnCondition, nowMs: BindingTime): Condition {
  const { column, parameters, path } = condition;
  if (isEventType(column.type)) {
    const minfreq = readMinfreq(parameters.get('minfreq'), `${path}.minfreq`);
    return { op: 'event', event: bindEvents(condition, nowMs), minfreq };
  }
  checkNoEventParameters(condition, []);
  const { tests, betweens } = bindPredicates(predicatesIn(condition), column);
  checkNoEventParameters(condition, betweens);
  return column.type === 'unique-id'
    ? { op: 'entity-id', tests }
    : { op: 'attribute', columnId: column.id, tests };
}

/** Throws 4017 for `between` and `minfreq` on an attribute column. `betweens` are the ones inside geo predicates. */
export function checkNoEventParameters(
  { parameters, path }: ColumnCondition,
  betweens: BoundPredicates['betweens'],
): void {
  const misplaced = EVENT_PARAMETERS.find((name) => parameters.has(name));
  const where = misplaced === undefined ? betweens.at(0)?.path : `${path}.${misplaced}`;
  if (where !== undefined) throw new QuarryError(4017, `${where} is for event columns only`);
}

/** The events that a condition on an event column selects, without their frequency. Throws 4005 and 4011. */
export function bindEvents(condition: ColumnCondition, nowMs: BindingTime): EventTest {
  const { column, parameters, path } = condition;
  const predicates = predicatesIn(condition);
  const { tests, betweens } = bindPredicates(predicates, column);
  const between = windowArgument(condition, betweens);
  if (predicates.length === 0 && !parameters.has('minfreq')) {
    throw new QuarryError(4011, `${path} has only "between"`);
  }
  return { columnId: column.id, window: readWindow(between.argument, nowMs, between.path), tests };
}

/** The only `between` of a condition: next to its predicates, or inside a geo predicate. Throws 4005 and 4049. */
export function windowArgument(
  { parameters, path }: ColumnCondition,
  betweens: BoundPredicates['betweens'],
): BoundPredicates['betweens'][number] {
  const between = parameters.get('between');
  const all =
    between === undefined ? betweens : [{ argument: between, path: `${path}.between` }, ...betweens];
  if (all.length === 0) throw new QuarryError(4005, `${path} lacks "between"`);
  if (all.length > 1) throw new QuarryError(4049, `${all[1].path} is a second "between"`);
  return all[0];
}

/** The minimum number of events; 1 if absent. Throws 4050. */
export function readMinfreq(json: Json | undefined, path: string): number {
  return json === undefined ? 1 : readValue(eventFields.minfreq, json, path, CONDITION_CODES);
}
