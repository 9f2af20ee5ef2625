/** Sessions: runs of events without a long gap. */
import { isIn, type StreamEvent, streamOf } from './events.js';
import { satisfiesAlone } from './flow.js';
import { attributeKeys, groupsOf } from './groups.js';
import type { Entity, History } from './history.js';
import { spreadOf } from './numbers.js';
import { betweenOf, calendarOf, contains, periodsOf, windowOf } from './periods.js';
import { type Breakdown, type EventClause, type Shared, secondsOf, type Unit } from './question.js';

export interface SessionsFields extends Shared {
  readonly stream: readonly string[];
  readonly gap: string;
  /** Each names one column. */
  readonly starts?: readonly EventClause[];
  readonly interval?: Unit;
  readonly breakdown?: Breakdown;
}

interface Session {
  readonly entity: Entity;
  readonly events: readonly StreamEvent[];
}

function sessionsOf(fields: SessionsFields, entity: Entity): Session[] {
  const window = windowOf(fields);
  const events = streamOf(entity, fields.stream).filter(({ seconds }) => isIn(seconds, window));
  const begins = (event: StreamEvent, index: number): boolean =>
    index === 0 ||
    event.seconds - events[index - 1].seconds > secondsOf(fields.gap) ||
    (fields.starts ?? []).some((clause) => satisfiesAlone(event, clause.event));
  const starts = events.flatMap((event, index) => (begins(event, index) ? [index] : []));
  return starts.map((from, index) => ({ entity, events: events.slice(from, starts[index + 1]) }));
}

const lengthOf = ({ events }: Session): number => events[events.length - 1].seconds - events[0].seconds;

const measure = (sessions: readonly Session[]): object => ({
  sessions: sessions.length,
  entities: new Set(sessions.map(({ entity }) => entity)).size,
  'single-event': sessions.filter(({ events }) => events.length === 1).length,
  seconds: spreadOf(sessions.map(lengthOf)),
  events: spreadOf(sessions.map(({ events }) => events.length)),
});

export function answerSessions(fields: SessionsFields, history: History): unknown {
  const sessions = history.entities
    .filter((entity) => history.satisfies(fields.query, entity))
    .flatMap((entity) => sessionsOf(fields, entity));
  const { interval, breakdown } = fields;
  return {
    ...measure(sessions),
    ...(interval !== undefined && {
      series: periodsOf(windowOf(fields), calendarOf(fields, interval)).map((period) => ({
        between: betweenOf(period),
        ...measure(sessions.filter(({ events }) => contains(period, events[0].seconds))),
      })),
    }),
    ...(breakdown !== undefined && {
      groups: groupsOf(
        sessions.map((item) => ({ item, keys: attributeKeys(item.entity, breakdown.column) })),
        breakdown,
      ).map(({ label, items }) => ({ ...label, ...measure(items) })),
    }),
  };
}
