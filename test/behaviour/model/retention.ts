/** Retention: cohorts, and the entities of each that return. */
import { isIn, occurrencesOf } from './events.js';
import { attributeKeys, groupsOf } from './groups.js';
import type { Entity, History } from './history.js';
import { type Float, ratio } from './numbers.js';
import {
  betweenOf,
  calendarOf,
  contains,
  instantOf,
  type Period,
  periodAt,
  periodOf,
  periodsOf,
  windowOf,
} from './periods.js';
import type { Breakdown, EventClause, Shared, Unit } from './question.js';

export interface RetentionFields extends Shared {
  readonly start: EventClause;
  readonly return?: EventClause;
  readonly between: readonly [string, string];
  readonly interval: Unit;
  readonly periods?: number;
  readonly brackets?: readonly number[];
  readonly cohort?: 'first-time' | 'recurring';
  readonly count?: 'on' | 'on-or-after';
  readonly rolling?: boolean;
  readonly until?: string;
  readonly breakdown?: Breakdown;
}

export interface RetentionCondition extends RetentionFields {
  readonly 'cohort-of': string;
  readonly period?: number;
}

const PERIODS_DEFAULT = 8;
const LENGTHS: Partial<Record<Unit, number>> = { hours: 3600, days: 86_400, weeks: 604_800 };

/** An entity in a cohort. */
interface Member {
  readonly entity: Entity;
  readonly cohort: Period;
  /** The date of the reference event. */
  readonly reference: number;
}

interface CohortCounts {
  readonly size: number;
  readonly counts: readonly number[];
}

/** Distances of the columns of the answer: the first period of each and that after its last. */
function columnsOf({ periods = PERIODS_DEFAULT, brackets }: RetentionFields): [number, number][] {
  if (brackets !== undefined) return brackets.map((end, index) => [brackets[index - 1] ?? 0, end]);
  return Array.from({ length: periods }, (_, period) => [period, period + 1]);
}

const untilOf = ({ until, 'time-zone': zone = 'UTC' }: RetentionFields): number =>
  until === undefined ? Math.floor(Date.now() / 1000) : instantOf(until, zone);

function membershipsOf(fields: RetentionFields, entity: Entity): Member[] {
  const window = windowOf(fields);
  const calendar = calendarOf(fields, fields.interval);
  const starts = occurrencesOf(entity, fields.start.event).map(({ seconds }) => seconds);
  if (fields.cohort !== 'recurring') {
    const reference = starts[0];
    if (reference === undefined || !isIn(reference, window)) return [];
    return [{ entity, cohort: periodOf(reference, calendar), reference }];
  }
  const inside = starts.filter((seconds) => isIn(seconds, window));
  return periodsOf(window, calendar).flatMap((cohort) => {
    const reference = inside.find((seconds) => contains(cohort, seconds));
    return reference === undefined ? [] : [{ entity, cohort, reference }];
  });
}

/** Dates of the member's returns. */
function returnsOf({ entity, reference }: Member, fields: RetentionFields): number[] {
  const references = occurrencesOf(entity, fields.start.event).filter(({ seconds }) => seconds === reference);
  return occurrencesOf(entity, (fields.return ?? fields.start).event)
    .filter(({ event, seconds }) => {
      const isAnother = references.some((other) => other.event !== event);
      return seconds >= reference && seconds <= untilOf(fields) && isAnother;
    })
    .map(({ seconds }) => seconds);
}

/** The beginning of the period so many after that of the cohort, for a member with that reference. */
function beginOf(distance: number, cohort: Period, reference: number, fields: RetentionFields): number {
  if (fields.rolling) return reference + distance * LENGTHS[fields.interval]!;
  return periodAt(cohort, distance, calendarOf(fields, fields.interval)).start;
}

/** Whether the member returns in the column of the answer. */
function returnsIn(column: number, member: Member, fields: RetentionFields): boolean {
  const [first, end] = columnsOf(fields)[column].map((distance) =>
    beginOf(distance, member.cohort, member.reference, fields),
  );
  const isOpen = fields.count === 'on-or-after';
  return returnsOf(member, fields).some((seconds) => first <= seconds && (isOpen || seconds < end));
}

function cohortCounts(cohort: Period, members: readonly Member[], fields: RetentionFields): CohortCounts {
  const own = members.filter((member) => member.cohort.start === cohort.start);
  const [from] = windowOf(fields);
  const earliest = Math.max(cohort.start, from);
  const counts = columnsOf(fields)
    .filter(([first]) => beginOf(first, cohort, earliest, fields) <= untilOf(fields))
    .map((_, column) => own.filter((member) => returnsIn(column, member, fields)).length);
  return { size: own.length, counts };
}

function totalOf(cohorts: readonly CohortCounts[]): CohortCounts & { readonly ratios: (Float | null)[] } {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const columns = Math.max(...cohorts.map(({ counts }) => counts.length));
  const having = Array.from({ length: columns }, (_, column) =>
    cohorts.filter(({ counts }) => counts.length > column),
  );
  const counts = having.map((some, column) => sum(some.map((cohort) => cohort.counts[column])));
  return {
    size: sum(cohorts.map(({ size }) => size)),
    counts,
    ratios: counts.map((count, column) => ratio(count, sum(having[column].map(({ size }) => size)))),
  };
}

function tableOf(members: readonly Member[], fields: RetentionFields): object {
  const cohorts = periodsOf(windowOf(fields), calendarOf(fields, fields.interval)).map((cohort) => ({
    between: betweenOf(cohort),
    ...cohortCounts(cohort, members, fields),
  }));
  return { cohorts, total: totalOf(cohorts) };
}

export function answerRetention(fields: RetentionFields, history: History): unknown {
  const members = history.entities
    .filter((entity) => history.satisfies(fields.query, entity))
    .flatMap((entity) => membershipsOf(fields, entity));
  const { breakdown } = fields;
  if (breakdown === undefined) return tableOf(members, fields);
  const keyed = members.map((item) => ({ item, keys: attributeKeys(item.entity, breakdown.column) }));
  const groups = groupsOf(keyed, breakdown).map(({ label, items }) => ({
    ...label,
    ...tableOf(items, fields),
  }));
  return { ...tableOf(members, fields), groups };
}

/** Whether the entity is in the cohort that contains the date and, with `period`, returns in that period. */
export function isInCohort(condition: RetentionCondition, entity: Entity, history: History): boolean {
  const { 'cohort-of': date, period, 'time-zone': zone = 'UTC' } = condition;
  if (!history.satisfies(condition.query, entity)) return false;
  const instant = instantOf(date, zone);
  return membershipsOf(condition, entity)
    .filter(({ cohort }) => contains(cohort, instant))
    .some((member) => period === undefined || returnsIn(period, member, condition));
}
