/** POST /v1/query/retention: the entities of each cohort that come back. */
import { QuarryError } from '../../base/index.js';
import type { retention } from '../../interface/index.js';
import {
  type BehaviourAnswer,
  type BehaviourScope,
  type PeriodStarts,
  periodCount,
  type RetentionQuestion,
} from '../../ir/index.js';
import { formatDateTime, type PeriodCalendar, type ZoneOffsets } from '../../schema/index.js';
import { readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { readInstant } from '../condition/window.js';
import type { AnswerText } from '../query/aggregate-text.js';
import { betweenText, bindBreakdown, writeGroups } from './breakdown.js';
import { EventBinder } from './event.js';
import type { BoundQuestion } from './kind.js';
import { ratioText } from './numbers.js';
import { bindShared, calendarOf, periodsOf, type QuestionCall, scopeOf } from './question.js';

export type RetentionFields = (typeof retention)['properties'];
type RetentionCall = QuestionCall<RetentionFields>;

const PERIODS_DEFAULT = 8;
/** Lengths of the intervals that may begin at any instant, in seconds. */
const LENGTHS: Readonly<Record<string, number>> = { hours: 3_600, days: 86_400, weeks: 604_800 };

export function bindRetention(call: RetentionCall): BoundQuestion {
  const { body, dimension, checkColumn, prefix } = call;
  const binder = new EventBinder(dimension, checkColumn);
  const { shared, start, back, interval, brackets, cohort, count, breakdown } = readAll({
    shared: () => bindShared(call),
    start: () => binder.eventObject(body.get('start') as Json, `${prefix}start`),
    back: () => {
      const json = body.get('return') as Json | undefined;
      return json === undefined || json === null ? null : binder.eventObject(json, `${prefix}return`);
    },
    interval: () => body.get('interval'),
    brackets: () => bracketsOf(call),
    cohort: () => body.get('cohort') ?? 'first-time',
    count: () => body.get('count') ?? 'on',
    breakdown: () => bindBreakdown(body.get('breakdown') as Json | undefined, binder, `${prefix}breakdown`),
  });
  const { zone } = shared;
  const calendar = calendarOf(call, zone, interval);
  const { until, rolling, periods } = readAll({
    until: () => untilOf(call, zone),
    rolling: () => rollingOf(call, interval),
    periods: () => periodsOf(call, shared.between, calendar),
  });
  const last = brackets[brackets.length - 1][1];
  const question: RetentionQuestion = {
    kind: 'retention',
    ...{ cohort, count, rolling, brackets, until },
    calendar: rolling === null ? extended(periods, last, until, calendar) : periods,
  };
  const plan = scopeOf(shared, {
    events: [start, back ?? start],
    isTied: binder.isTied,
    periods,
    breakdown,
    question,
  });
  return { scope: plan, write: (text, answer) => writeRetention(text, plan, question, answer) };
}

/** The period numbers [from, to) of each count. Throws 9101. */
function bracketsOf({ body, prefix }: RetentionCall): RetentionQuestion['brackets'] {
  const { periods, ends } = readAll({
    periods: () => body.get('periods') ?? null,
    ends: () => body.get('brackets') ?? null,
  });
  if (ends === null) {
    return Array.from({ length: periods ?? PERIODS_DEFAULT }, (_, period) => [period, period + 1] as const);
  }
  if (periods !== null) {
    throw new QuarryError(9101, `${prefix}periods cannot be used together with "brackets"`);
  }
  return ends.map((end, index) => {
    const from = ends[index - 1] ?? 0;
    if (from >= end) throw new QuarryError(9101, `${prefix}brackets[${index}] must be greater than ${from}`);
    return [from, end] as const;
  });
}

function untilOf({ body, nowMs, prefix }: RetentionCall, zone: ZoneOffsets): number {
  return readInstant(body.get('until') ?? 'now', nowMs, `${prefix}until`, zone);
}

/** The length of a rolling period; null = calendar periods. Throws 9101. */
function rollingOf({ body, prefix }: RetentionCall, interval: string): number | null {
  if (body.get('rolling') !== true) return null;
  if (LENGTHS[interval] !== undefined) return LENGTHS[interval];
  throw new QuarryError(
    9101,
    `${prefix}rolling: periods of fixed length are hours, days or weeks, not ${interval}`,
  );
}

/** The boundaries of the cohorts' periods and of so many after them, as far as returns may lie there. */
function extended(
  periods: PeriodStarts,
  more: number,
  until: number,
  calendar: PeriodCalendar,
): PeriodStarts {
  const starts = [...periods];
  for (let added = 0; added < more && starts.length > 0; added++) {
    const last = starts[starts.length - 1];
    if (last > until) break;
    starts.push(calendar.after(last));
  }
  return starts;
}

function writeRetention(
  text: AnswerText,
  plan: BehaviourScope,
  question: RetentionQuestion,
  answer: BehaviourAnswer,
): void {
  const columns = columnCounts(plan, question);
  const width = question.brackets.length + 1;
  const write = (slot: number): void => {
    text.writeAll('"cohorts":[', [...columns.entries()], '],', ([cohort, count]) => {
      const [start, end] = plan.periods.slice(cohort, cohort + 2).map(formatDateTime);
      const at = slot + cohort * width;
      const counts = answer.counts.slice(at + 1, at + 1 + count).join(',');
      text.write(`{${betweenText(start, end)},"size":${answer.counts[at]},"counts":[${counts}]}`);
    });
    text.write(totalText(columns, width, answer.counts.subarray(slot)));
  };
  const sizeOf = (slot: number): number =>
    columns.reduce((sum, _, cohort) => sum + answer.counts[slot + cohort * width], 0);
  text.write('{');
  write(0);
  writeGroups(text, plan, answer, sizeOf, write);
  text.write('}');
}

/** By cohort, the number of its counts: those whose periods begin before `until`. */
function columnCounts({ periods, between }: BehaviourScope, question: RetentionQuestion): readonly number[] {
  const { brackets, rolling, until, calendar } = question;
  return Array.from({ length: periodCount(periods) }, (_, cohort) => {
    const earliest = Math.max(periods[cohort], between.from);
    const begun = brackets.findIndex(([from]) => {
      const start =
        rolling === null ? (calendar[cohort + from] ?? Number.POSITIVE_INFINITY) : earliest + from * rolling;
      return start > until;
    });
    return begun < 0 ? brackets.length : begun;
  });
}

function totalText(columns: readonly number[], width: number, counts: Float64Array): string {
  const cohorts = [...columns.entries()];
  const most = columns.reduce((greatest, count) => Math.max(greatest, count), 0);
  const [sums, ratios]: [number[], string[]] = [[], []];
  for (let column = 0; column < most; column++) {
    const having = cohorts.filter(([, count]) => count > column);
    const sum = having.reduce((total, [cohort]) => total + counts[cohort * width + 1 + column], 0);
    const size = having.reduce((total, [cohort]) => total + counts[cohort * width], 0);
    sums.push(sum);
    ratios.push(ratioText(sum, size));
  }
  const all = cohorts.reduce((total, [cohort]) => total + counts[cohort * width], 0);
  return `"total":{"size":${all},"counts":[${sums.join(',')}],"ratios":[${ratios.join(',')}]}`;
}
