/**
 * Funnels: all attempts of an entity by recursion over its events, straight from the definition. Only for histories of a
 * few events.
 */
import {
  columnsOf,
  dateFor,
  isIn,
  type Occurrence,
  occurrencesOf,
  type StreamEvent,
  streamOf,
} from './events.js';
import type { Entity, History, StoredEvent } from './history.js';
import { windowOf } from './periods.js';
import {
  type Breakdown,
  type EventClause,
  type Query,
  type Shared,
  secondsOf,
  type Unit,
} from './question.js';

export interface FunnelStep extends EventClause {
  readonly optional?: boolean;
  readonly query?: Query;
}

export interface Exclusion extends EventClause {
  readonly after: number;
  readonly before: number;
}

export interface FunnelFields extends Shared {
  readonly steps: readonly FunnelStep[];
  readonly within?: string;
  readonly order?: 'in-order' | 'strict' | 'any';
  readonly exclude?: readonly Exclusion[];
  readonly same?: readonly string[];
  readonly attempts?: 'best' | 'first' | 'every';
  readonly interval?: Unit;
  readonly breakdown?: Breakdown;
  readonly histogram?: number;
  readonly stream?: readonly string[];
  readonly 'distinct-instants'?: boolean;
}

/**
 * The events taken, by step; null = left out. The last is never null. With `order: any` the nth is the nth event by date.
 */
export type Attempt = readonly (Occurrence | null)[];

/** What attempts are made of, for one entity. */
interface Search {
  readonly funnel: FunnelFields;
  readonly window: readonly [number, number];
  readonly within: number;
  /** Events that satisfy each step. */
  readonly candidates: readonly (readonly Occurrence[])[];
  readonly stream: readonly StreamEvent[];
  readonly entity: Entity;
}

const taken = (attempt: Attempt): Occurrence[] => attempt.filter((event) => event !== null);
export const firstOf = (attempt: Attempt): Occurrence => attempt[0]!;

function searchOf(funnel: FunnelFields, entity: Entity, history: History): Search {
  const columns = funnel.stream ?? funnel.steps.flatMap(({ event }) => columnsOf(event));
  return {
    funnel,
    entity,
    window: windowOf(funnel),
    within: funnel.within === undefined ? Number.POSITIVE_INFINITY : secondsOf(funnel.within),
    candidates: funnel.steps.map(({ event, query }) =>
      history.satisfies(query, entity) ? occurrencesOf(entity, event) : [],
    ),
    stream: streamOf(entity, columns),
  };
}

/** Whether the event may follow those of the attempt, by its date and as an event of its own. */
function mayFollow(next: Occurrence, attempt: Attempt, { funnel, window, within }: Search): boolean {
  const before = taken(attempt);
  if (before.length === 0) return isIn(next.seconds, window);
  const last = before[before.length - 1].seconds;
  const inOrder = funnel['distinct-instants'] === true ? last < next.seconds : last <= next.seconds;
  const isOther = before.every(({ event }) => event !== next.event);
  return inOrder && isOther && next.seconds - before[0].seconds <= within;
}

/** Whether all events hold equal values in the columns of `same`; a missing value equals nothing. */
function hasSame(attempt: Attempt, { funnel }: Search): boolean {
  const events = taken(attempt).map(({ event }) => event);
  if (events.length === 1) return true;
  return (funnel.same ?? []).every((column) => {
    const values = events.map(({ values }) => values.get(column)?.value);
    return values[0] !== undefined && values.every((value) => value === values[0]);
  });
}

/** Whether no event of the stream lies strictly between two neighbours of the attempt. */
function isStrict(attempt: Attempt, { funnel, stream }: Search): boolean {
  if (funnel.order !== 'strict') return true;
  const dates = taken(attempt).map(({ seconds }) => seconds);
  return dates
    .slice(1)
    .every((to, index) => stream.every(({ seconds }) => seconds <= dates[index] || to <= seconds));
}

/** Whether no excluded event lies strictly between the two steps, or what stands in for them. */
function avoids(attempt: Attempt, { event, after, before }: Exclusion, { entity }: Search): boolean {
  if (attempt.length <= after) return true;
  const start = attempt.slice(0, after).findLast((step) => step !== null)!;
  const end = attempt.slice(Math.min(before, attempt.length) - 1).find((step) => step !== null)!;
  return occurrencesOf(entity, event).every(
    ({ seconds }) => seconds <= start.seconds || end.seconds <= seconds,
  );
}

const isAttempt = (attempt: Attempt, search: Search): boolean =>
  hasSame(attempt, search) &&
  isStrict(attempt, search) &&
  (search.funnel.exclude ?? []).every((exclusion) => avoids(attempt, exclusion, search));

/** All attempts that begin with the events and omissions of `begun`. */
function* attemptsFrom(begun: Attempt, search: Search): Generator<Attempt> {
  const step = begun.length;
  if (step === search.candidates.length) return;
  for (const next of search.candidates[step]) {
    if (!mayFollow(next, begun, search)) continue;
    const attempt = [...begun, next];
    if (isAttempt(attempt, search)) yield attempt;
    yield* attemptsFrom(attempt, search);
  }
  if (search.funnel.steps[step].optional) yield* attemptsFrom([...begun, null], search);
}

/** All attempts with `order: any` that begin with these events, which satisfy the steps that are not `free`. */
function* anyOrderFrom(begun: Attempt, free: readonly number[], search: Search): Generator<Attempt> {
  for (const step of free) {
    for (const next of search.candidates[step]) {
      if (!mayFollow(next, begun, search)) continue;
      const attempt = [...begun, next];
      if (hasSame(attempt, search)) yield attempt;
      const others = free.filter((other) => other !== step);
      yield* anyOrderFrom(attempt, others, search);
    }
  }
}

function allAttempts(search: Search): Attempt[] {
  const { steps, order } = search.funnel;
  if (order === 'any') return [...anyOrderFrom([], [...steps.keys()], search)];
  return [...attemptsFrom([], search)];
}

/** Below 0 if `a` is better than `b`: longer, then with fewer steps left out, then with earlier dates step by step. */
function compareAttempts(a: Attempt, b: Attempt): number {
  if (a.length !== b.length) return b.length - a.length;
  if (taken(a).length !== taken(b).length) return taken(b).length - taken(a).length;
  const dates = (attempt: Attempt): number[] =>
    attempt.map((event) => event?.seconds ?? Number.POSITIVE_INFINITY);
  const [left, right] = [dates(a), dates(b)];
  const at = left.findIndex((date, step) => date !== right[step]);
  return at === -1 ? 0 : left[at] < right[at] ? -1 : 1;
}

const bestOf = (attempts: readonly Attempt[]): Attempt | undefined => attempts.toSorted(compareAttempts)[0];

/** The best of the attempts that begin with the earliest first event later than `after`. */
function firstAfter(after: number, attempts: readonly Attempt[]): Attempt | undefined {
  const later = attempts.filter((attempt) => firstOf(attempt).seconds > after);
  const begin = Math.min(...later.map((attempt) => firstOf(attempt).seconds));
  return bestOf(later.filter((attempt) => firstOf(attempt).seconds === begin));
}

function everyAttempt(attempts: readonly Attempt[], { funnel, within }: Search): Attempt[] {
  const found: Attempt[] = [];
  for (let after = Number.NEGATIVE_INFINITY; after < Number.POSITIVE_INFINITY; ) {
    const next = firstAfter(after, attempts);
    if (next === undefined) break;
    found.push(next);
    const isComplete = next.length === funnel.steps.length;
    after = isComplete ? next[next.length - 1]!.seconds : firstOf(next).seconds + within;
  }
  return found;
}

/** The attempts of the entity that are counted. */
export function countedAttempts(funnel: FunnelFields, entity: Entity, history: History): Attempt[] {
  const search = searchOf(funnel, entity, history);
  const attempts = allAttempts(search);
  if (funnel.attempts === 'every') return everyAttempt(attempts, search);
  const one = funnel.attempts === 'first' ? firstAfter(Number.NEGATIVE_INFINITY, attempts) : bestOf(attempts);
  return one === undefined ? [] : [one];
}

/** Whether an attempt that counts has the event of step `reached` and not that of step `not-reached`; both from 1. */
export function reaches(condition: FunnelCondition, entity: Entity, history: History): boolean {
  const { reached, 'not-reached': missed } = condition;
  return (
    history.satisfies(condition.query, entity) &&
    countedAttempts(condition, entity, history).some(
      (attempt) => has(attempt, reached) && (missed === undefined || !has(attempt, missed)),
    )
  );
}

export interface FunnelCondition extends FunnelFields {
  readonly reached: number;
  readonly 'not-reached'?: number;
}

/** Whether the attempt has an event for the step, counted from 1. */
export const has = (attempt: Attempt, step: number): boolean => (attempt[step - 1] ?? null) !== null;

/** Events of the date of the attempt's step that satisfy this step. */
export function eventsAtStep(
  attempt: Attempt,
  step: number,
  { steps }: FunnelFields,
  entity: Entity,
): StoredEvent[] {
  const event = attempt[step - 1] ?? null;
  if (event === null) return [];
  return entity.events.filter((other) => dateFor(other, steps[step - 1].event) === event.seconds);
}
