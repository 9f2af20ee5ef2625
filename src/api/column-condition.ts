/**
 * A condition on one column: its predicates, and on event columns its window and least frequency.
 * Rules: an event column needs `between` and at least one predicate on its values; an attribute column takes
 * neither `between` nor `minfreq`.
 */
import { MINFREQ_MAX, QuarryError, quoted } from '../base/index.js';
import type { Condition, EventTest } from '../ir/index.js';
import { type Column, isEventType } from '../schema/index.js';
import { ExactNumber, type Json, type JsonObject } from './json.js';
import { bindPredicates, type Predicate } from './predicate.js';
import { readWindow } from './window.js';

export interface ColumnCondition {
  readonly column: Column;
  /** Not empty. */
  readonly parameters: JsonObject;
  /** Where the condition stands in the body, for messages. */
  readonly place: string;
}

const EVENT_PARAMETERS = ['between', 'minfreq'];

function predicatesIn({ parameters, place }: ColumnCondition): Predicate[] {
  return [...parameters]
    .filter(([name]) => !EVENT_PARAMETERS.includes(name))
    .map(([name, argument]) => ({ name, argument, place: `${place}.${quoted(name).slice(1, -1)}` }));
}

export function bindColumn(condition: ColumnCondition, nowMs: number): Condition {
  const { column, parameters, place } = condition;
  if (isEventType(column.type)) {
    const minfreq = readMinfreq(parameters.get('minfreq'), `${place}.minfreq`);
    return { op: 'event', event: bindEvents(condition, nowMs), minfreq };
  }
  const misplaced = EVENT_PARAMETERS.find((name) => parameters.has(name));
  if (misplaced !== undefined) throw forEventsOnly(`${place}.${misplaced}`);
  const { tests, betweens } = bindPredicates(predicatesIn(condition), column);
  if (betweens.length > 0) throw forEventsOnly(betweens[0].place);
  return column.type === 'unique-id'
    ? { op: 'entity-id', tests }
    : { op: 'attribute', columnId: column.id, tests };
}

function forEventsOnly(place: string): QuarryError {
  return new QuarryError(4017, `${place} is for event columns only`);
}

/** The events that a condition on an event column means, without their frequency. Throws 4005 and 4011. */
export function bindEvents(condition: ColumnCondition, nowMs: number): EventTest {
  const { column, parameters, place } = condition;
  const predicates = predicatesIn(condition);
  const { tests, betweens } = bindPredicates(predicates, column);
  const between = parameters.get('between');
  const windows =
    between === undefined ? betweens : [{ argument: between, place: `${place}.between` }, ...betweens];
  if (windows.length === 0) throw new QuarryError(4005, `${place} lacks "between"`);
  if (windows.length > 1) throw new QuarryError(4049, `${windows[1].place} stands beside another "between"`);
  if (predicates.length === 0 && !parameters.has('minfreq')) {
    throw new QuarryError(4011, `${place} has only "between"`);
  }
  return { columnId: column.id, window: readWindow(windows[0].argument, nowMs, windows[0].place), tests };
}

/** An integer from 1 to 10,000; 1 when absent. Throws 4050. */
export function readMinfreq(json: Json | undefined, place: string): number {
  if (json === undefined) return 1;
  const value = json instanceof ExactNumber && /^\d+$/.test(json.text) ? Number(json.text) : 0;
  if (value >= 1 && value <= MINFREQ_MAX) return value;
  throw new QuarryError(4050, `${place} must be an integer from 1 to ${MINFREQ_MAX}`);
}
