/** POST /v1/query/lifecycle, /v1/query/stickiness and /v1/query/actives: in which periods entities are active. */
import type { actives, activity } from '../../interface/index.js';
import {
  type ActivityQuestion,
  type BehaviourAnswer,
  type BehaviourScope,
  type PeriodStarts,
  periodCount,
} from '../../ir/index.js';
import { formatDateTime, type PeriodCalendar } from '../../schema/index.js';
import { readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import type { AnswerText } from '../query/aggregate-text.js';
import { betweenText } from './breakdown.js';
import { EventBinder } from './event.js';
import type { BoundQuestion } from './kind.js';
import { bindShared, calendarOf, periodsOf, type QuestionCall, scopeOf } from './question.js';

export type ActivityFields = (typeof activity)['properties'];
type ActivityCall = QuestionCall<ActivityFields>;
type ActivesCall = QuestionCall<(typeof actives)['properties']>;

export function bindLifecycle(call: ActivityCall): BoundQuestion {
  const plan = bindActivity(call, 'lifecycle', 1, 1);
  return { scope: plan, write: (text, answer) => writeSeries(text, plan, answer, 4, lifecycleText) };
}

export function bindStickiness(call: ActivityCall): BoundQuestion {
  const plan = bindActivity(call, 'stickiness', 1, 0);
  return { scope: plan, write: (text, answer) => writeStickiness(text, plan, answer) };
}

export function bindActives(call: ActivesCall): BoundQuestion {
  const { rolling } = readAll({ rolling: () => call.body.get('rolling') ?? 1 });
  const plan = bindActivity(call as unknown as ActivityCall, 'actives', rolling, rolling - 1);
  const write = rolling === 1 ? activeText : rollingText;
  return { scope: plan, write: (text, answer) => writeSeries(text, plan, answer, 2, write) };
}

/** `before`: the number of periods before the first that count as history. */
function bindActivity(
  call: ActivityCall,
  kind: ActivityQuestion['kind'],
  rolling: number,
  before: number,
): BehaviourScope {
  const { body, dimension, checkColumn, prefix } = call;
  const binder = new EventBinder(dimension, checkColumn);
  const { shared, event, interval } = readAll({
    shared: () => bindShared(call),
    event: () => binder.event(body.get('event') as Json, `${prefix}event`),
    interval: () => body.get('interval'),
  });
  const { zone } = shared;
  const calendar = calendarOf(call, zone, interval);
  const periods = periodsOf(call, shared.between, calendar);
  return scopeOf(shared, {
    events: [event],
    isTied: binder.isTied,
    periods,
    question: { kind, rolling, history: historyOf(periods, before, calendar) },
  });
}

/** The boundaries of the periods before the first. */
function historyOf(periods: PeriodStarts, before: number, calendar: PeriodCalendar): PeriodStarts {
  const starts = periods.slice(0, 1);
  for (let added = 0; added < before && starts.length > 0; added++) {
    starts.unshift(calendar.before(starts[0]));
  }
  return starts;
}

type PeriodText = (counts: Float64Array, slot: number) => string;

const lifecycleText: PeriodText = (counts, slot) => {
  const [fresh, returning, resurrecting, dormant] = counts.subarray(slot, slot + 4);
  return `"new":${fresh},"returning":${returning},"resurrecting":${resurrecting},"dormant":${dormant}`;
};
const activeText: PeriodText = (counts, slot) => `"count":${counts[slot]}`;
const rollingText: PeriodText = (counts, slot) => `"count":${counts[slot]},"rolling":${counts[slot + 1]}`;

function writeSeries(
  text: AnswerText,
  { periods }: BehaviourScope,
  { counts }: BehaviourAnswer,
  width: number,
  members: PeriodText,
): void {
  const numbers = Array.from({ length: periodCount(periods) }, (_, period) => period);
  text.writeAll('{"series":[', numbers, ']}', (period) => {
    const [start, end] = periods.slice(period, period + 2).map(formatDateTime);
    text.write(`{${betweenText(start, end)},${members(counts, period * width)}}`);
  });
}

function writeStickiness(text: AnswerText, { periods }: BehaviourScope, { counts }: BehaviourAnswer): void {
  const count = periodCount(periods);
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  text.writeAll(`{"periods":${count},"counts":[`, numbers, ']}', (active) => {
    text.write(`{"active":${active},"count":${counts[active]}}`);
  });
}
