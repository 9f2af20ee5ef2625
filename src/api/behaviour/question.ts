/** The fields that all questions about behaviour share: entities, time and periods. */
import { type BindingTime, QuarryError } from '../../base/index.js';
import { type CountQueryFields, PERIODS_MAX, type QuestionFields } from '../../interface/index.js';
import type { BehaviourScope, Condition, PeriodStarts, Window } from '../../ir/index.js';
import type { Column, Dimension, Period, PeriodCalendar, ZoneOffsets } from '../../schema/index.js';
import { readAll, readOrNull } from '../body/fields.js';
import type { Json } from '../body/json.js';
import type { RequestBody } from '../body/request-body.js';
import type { ColumnCheck } from '../condition/column-check.js';
import { calendarIn, readZone } from '../condition/time-zone.js';
import { readWindow } from '../condition/window.js';

/** All event dates; the ends of a question without `between`. */
const ALL_TIME: Window = { from: 0, to: 0xffffffff };

/** The fields of a question of any kind. */
export type QuestionCallFields = QuestionFields & CountQueryFields;

export interface QuestionCall<F extends QuestionCallFields = QuestionCallFields> {
  readonly body: RequestBody<F>;
  readonly dimension: Dimension;
  /** 0 in a condition list, whose answer has no pages. */
  readonly databaseId: number;
  readonly nowMs: BindingTime;
  readonly checkColumn: ColumnCheck;
  /** Binds a condition list inside the question. */
  readonly bindNested: (query: Json, path: string) => Condition;
  /** Narrows the entities that take part to those that the caller sees. */
  readonly restrict: (condition: Condition | null) => Condition | null;
  /** Path of the question in messages, ending with a dot, or empty. */
  readonly prefix: string;
}

export type SharedPlan = Pick<BehaviourScope, 'condition' | 'between'> & {
  readonly zone: ZoneOffsets;
};

/** The scope of a question, which reads no events and has no periods and no breakdown but for what `own` says. */
export const scopeOf = (
  { condition, between }: SharedPlan,
  own: Pick<BehaviourScope, 'question'> & Partial<BehaviourScope>,
): BehaviourScope => ({
  ...{ condition, between, events: [], streams: [], isTied: false, values: [], periods: [], breakdown: null },
  ...own,
});

/** Reads the shared fields. Throws 506, 9101 and the errors of conditions and windows. */
export function bindShared(call: QuestionCall): SharedPlan {
  const { zone } = readAll({ zone: () => zoneOf(call), weekStart: () => call.body.get('week-start') });
  const shared = readAll({
    condition: () => entitiesOf(call),
    between: () => betweenOf(call, zone),
  });
  return { zone, ...shared };
}

/** The time zone of a question. Throws 9101. */
export const zoneOf = ({ body, prefix }: QuestionCall): ZoneOffsets =>
  readZone(body.get('time-zone'), prefix);

function entitiesOf(call: QuestionCall): Condition | null {
  const query = call.body.get('query') as Json | undefined;
  return call.restrict(bindNested(call, query, `${call.prefix}query`));
}

/** A condition list inside a question; null if it is absent or null. */
export function bindNested(
  call: Pick<QuestionCall, 'bindNested'>,
  query: Json | undefined,
  path: string,
): Condition | null {
  return query === undefined || query === null ? null : call.bindNested(query, path);
}

function betweenOf({ body, nowMs, prefix }: QuestionCall, zone: ZoneOffsets): Window {
  const between = body.get('between') as Json | undefined;
  if (between === undefined || between === null) return ALL_TIME;
  return readWindow(between, nowMs, `${prefix}between`, zone);
}

/** Throws 4010 if the question has periods but no `between`. */
function requireBetween({ body, prefix }: QuestionCall): void {
  if (!body.has('between')) throw new QuarryError(4010, `${prefix}between is missing next to "interval"`);
}

export const calendarOf = ({ body }: QuestionCall, zone: ZoneOffsets, interval: Period): PeriodCalendar =>
  calendarIn(zone, interval, body.get('week-start'));

/** Boundaries of the periods from that which holds `from` to that which holds `to`. Throws 4010, 9101. */
export function periodsOf(call: QuestionCall, between: Window, calendar: PeriodCalendar): PeriodStarts {
  requireBetween(call);
  const starts = calendar.starts(between.from, between.to, PERIODS_MAX);
  if (starts !== null) return starts;
  throw new QuarryError(
    9101,
    `${call.prefix}interval divides "between" into more than ${PERIODS_MAX} periods`,
  );
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { sec: 1, min: 60, hr: 3_600, d: 86_400, w: 604_800 };

/** The seconds of a DURATION of the right form. Throws 9101 for one below a second. */
export function secondsOf(text: string, path: string): number {
  const unit = text.replace(/^[0-9]+/, '');
  const seconds = Number.parseInt(text, 10) * UNIT_SECONDS[unit];
  if (seconds >= 1) return seconds;
  throw new QuarryError(9101, `${path} must be at least 1sec`);
}

/** Whether the caller may use the column. */
export const isAllowed = (
  { dimension, checkColumn }: Pick<QuestionCall, 'dimension' | 'checkColumn'>,
  column: Column,
): boolean =>
  readOrNull(() => {
    checkColumn(dimension, column);
    return true;
  }) === true;
