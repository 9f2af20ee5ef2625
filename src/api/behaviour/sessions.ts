/** POST /v1/query/sessions: runs of events without a long gap. */
import { checkAll, QuarryError } from '../../base/index.js';
import type { sessions } from '../../interface/index.js';
import {
  type BehaviourAnswer,
  type BehaviourEvent,
  type BehaviourScope,
  periodCount,
  SESSION_SLOTS,
} from '../../ir/index.js';
import { type Column, formatDateTime } from '../../schema/index.js';
import { readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import type { AnswerText } from '../query/aggregate-text.js';
import { betweenText, bindBreakdown, writeGroups } from './breakdown.js';
import { EventBinder, valueColumnOf } from './event.js';
import type { BoundQuestion } from './kind.js';
import { samplesOf, statsText } from './numbers.js';
import { bindShared, calendarOf, periodsOf, type QuestionCall, scopeOf, secondsOf } from './question.js';
import { streamColumns, streamEvent } from './stream.js';

export type SessionsFields = (typeof sessions)['properties'];
type SessionsCall = QuestionCall<SessionsFields>;

export function bindSessions(call: SessionsCall): BoundQuestion {
  const { body, dimension, checkColumn, prefix } = call;
  const binder = new EventBinder(dimension, checkColumn);
  const { shared, stream, gap, starts, interval, breakdown } = readAll({
    shared: () => bindShared(call),
    stream: () => streamColumns(binder, body.get('stream'), `${prefix}stream`),
    gap: () => secondsOf(body.get('gap'), `${prefix}gap`),
    starts: () => (body.get('starts') ?? []) as readonly Json[],
    interval: () => body.get('interval') ?? null,
    breakdown: () => bindBreakdown(body.get('breakdown') as Json | undefined, binder, `${prefix}breakdown`),
  });
  const { zone } = shared;
  const { start, periods } = readAll({
    start: () => startsOf(call, binder, starts, stream),
    periods: () =>
      interval === null ? [] : periodsOf(call, shared.between, calendarOf(call, zone, interval)),
  });
  const plan = scopeOf(shared, {
    events: [streamEvent(stream), start],
    streams: [0],
    values: start.length === 0 ? [] : stream.map(valueColumnOf),
    periods,
    breakdown,
    question: { kind: 'sessions', gap },
  });
  return { scope: plan, write: (text, answer) => writeSessions(text, plan, answer) };
}

/** The events that begin a session. Throws 9101 for one that is not in the stream. */
function startsOf(
  { prefix }: SessionsCall,
  binder: EventBinder,
  starts: readonly Json[],
  stream: readonly Column[],
): BehaviourEvent {
  const ids = new Set(stream.map(({ id }) => id));
  return checkAll(starts, (json, index) => {
    const path = `${prefix}starts[${index}]`;
    const own = binder.eventObject(json, path).flatMap((tests) => {
      // An event of the stream is one value; the tests on the values tied to it may stand before its own.
      const first = tests.find(({ columnId }) => ids.has(columnId));
      return first === undefined ? [] : [[first, ...tests.filter((test) => test !== first)]];
    });
    if (own.length === 0) throw new QuarryError(9101, `${path}.event is not an event of the stream`);
    return own;
  }).flat();
}

function writeSessions(text: AnswerText, plan: BehaviourScope, answer: BehaviourAnswer): void {
  const write = (slot: number): void => text.write(membersText(answer, slot));
  text.write('{');
  write(0);
  if (plan.periods.length > 0) {
    const periods = Array.from({ length: periodCount(plan.periods) }, (_, period) => period);
    text.writeAll(',"series":[', periods, ']', (period) => {
      const [start, end] = plan.periods.slice(period, period + 2).map(formatDateTime);
      text.write(`{${betweenText(start, end)},`);
      write((period + 1) * SESSION_SLOTS);
      text.write('}');
    });
  }
  writeGroups(text, plan, answer, (slot) => answer.counts[slot], write);
  text.write('}');
}

function membersText({ counts, samples }: BehaviourAnswer, slot: number): string {
  const [sessions, entities, single] = counts.subarray(slot, slot + 3);
  const [seconds, events] = [slot + 3, slot + 4].map((own) => statsText(samplesOf(samples, own)));
  return `"sessions":${sessions},"entities":${entities},"single-event":${single},"seconds":${seconds},"events":${events}`;
}
