/** Lifecycle, stickiness and actives, and the condition on activity. */
import { isIn, occurrencesOf } from './events.js';
import type { Entity, History } from './history.js';
import { betweenOf, calendarOf, contains, type Period, periodAt, periodsOf, windowOf } from './periods.js';
import type { EventClause, Shared, Unit } from './question.js';

export interface ActivityFields extends Shared, EventClause {
  readonly interval: Unit;
  readonly between: readonly [string, string];
}

export interface ActivesFields extends ActivityFields {
  readonly rolling?: number;
}

export interface ActiveCondition extends ActivityFields {
  readonly 'at-least'?: number;
  readonly 'at-most'?: number;
}

const periodsOfQuestion = (fields: ActivityFields): Period[] =>
  periodsOf(windowOf(fields), calendarOf(fields, fields.interval));

/** Dates of the entity's events, those before `between` among them. */
function datesOf(fields: ActivityFields, entity: Entity): number[] {
  const [, to] = windowOf(fields);
  return occurrencesOf(entity, fields.event)
    .map(({ seconds }) => seconds)
    .filter((seconds) => seconds <= to);
}

/** By period, whether the entity is active in it. */
function activityOf(fields: ActivityFields, entity: Entity): boolean[] {
  const dates = datesOf(fields, entity).filter((seconds) => isIn(seconds, windowOf(fields)));
  return periodsOfQuestion(fields).map((period) => dates.some((seconds) => contains(period, seconds)));
}

const membersOf = (fields: ActivityFields, history: History): Entity[] =>
  history.entities.filter((entity) => history.satisfies(fields.query, entity));

type Stage = 'new' | 'returning' | 'resurrecting' | 'dormant';

/** By period, the stage of the entity; null = it counts in none. */
function stagesOf(fields: ActivityFields, entity: Entity): (Stage | null)[] {
  const [from] = windowOf(fields);
  const periods = periodsOfQuestion(fields);
  const dates = datesOf(fields, entity);
  const previous = periodAt(periods[0], -1, calendarOf(fields, fields.interval));
  const active = activityOf(fields, entity);
  return periods.map(({ start }, index) => {
    const wasActive = index === 0 ? dates.some((seconds) => contains(previous, seconds)) : active[index - 1];
    if (!active[index]) return wasActive ? 'dormant' : null;
    if (wasActive) return 'returning';
    return dates.some((seconds) => seconds < Math.max(start, from)) ? 'resurrecting' : 'new';
  });
}

export function answerLifecycle(fields: ActivityFields, history: History): unknown {
  const stages = membersOf(fields, history).map((entity) => stagesOf(fields, entity));
  const series = periodsOfQuestion(fields).map((period, index) => {
    const count = (stage: Stage): number => stages.filter((one) => one[index] === stage).length;
    return {
      between: betweenOf(period),
      new: count('new'),
      returning: count('returning'),
      resurrecting: count('resurrecting'),
      dormant: count('dormant'),
    };
  });
  return { series };
}

const activePeriods = (fields: ActivityFields, entity: Entity): number =>
  activityOf(fields, entity).filter(Boolean).length;

export function answerStickiness(fields: ActivityFields, history: History): unknown {
  const periods = periodsOfQuestion(fields).length;
  const active = membersOf(fields, history).map((entity) => activePeriods(fields, entity));
  const counts = Array.from({ length: periods }, (_, index) => ({
    active: index + 1,
    count: active.filter((number) => number === index + 1).length,
  }));
  return { periods, counts };
}

export function answerActives(fields: ActivesFields, history: History): unknown {
  const members = membersOf(fields, history);
  const calendar = calendarOf(fields, fields.interval);
  const dates = members.map((entity) => datesOf(fields, entity));
  const active = members.map((entity) => activityOf(fields, entity));
  const series = periodsOfQuestion(fields).map((period, index) => {
    const rolling = (periods: number): number => {
      const { start } = periodAt(period, 1 - periods, calendar);
      return dates.filter((some) => some.some((seconds) => contains({ start, end: period.end }, seconds)))
        .length;
    };
    return {
      between: betweenOf(period),
      count: active.filter((one) => one[index]).length,
      ...(fields.rolling !== undefined && { rolling: rolling(fields.rolling) }),
    };
  });
  return { series };
}

/** Whether the entity is active in at least `at-least` and at most `at-most` periods. */
export function isActiveEnough(condition: ActiveCondition, entity: Entity, history: History): boolean {
  const { 'at-least': least = 1, 'at-most': most = Number.POSITIVE_INFINITY } = condition;
  if (!history.satisfies(condition.query, entity)) return false;
  return isIn(activePeriods(condition, entity), [least, most]);
}
