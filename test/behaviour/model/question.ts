/** The bodies of questions, as they are sent. */
export type Condition = Readonly<Record<string, unknown>>;
/** Conditions and lists, joined by the words `and` and `or`, with `not` before one. */
export type Query = readonly (Condition | 'and' | 'or' | 'not' | Query)[];

export type Predicates = Readonly<Record<string, unknown>>;
/** Predicates by column, which one event must satisfy. */
export type Alternative = Readonly<Record<string, Predicates>>;
export type EventChoice = Alternative | readonly Alternative[];

export interface EventClause {
  readonly event: EventChoice;
  readonly name?: string;
}

export type Unit = 'minutes' | 'hours' | 'days' | 'weeks' | 'months' | 'quarters' | 'years';
export type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';

export interface Breakdown {
  readonly column: string;
  readonly limit?: number;
  /** Only in funnels: `column` is an event column of this step. */
  readonly step?: number;
}

/** The fields of every question. */
export interface Shared {
  readonly 'query-name'?: string;
  readonly dimension?: string;
  readonly query?: Query;
  readonly between?: readonly [string, string];
  readonly 'time-zone'?: string;
  readonly 'week-start'?: Weekday;
}

const SECONDS: Readonly<Record<string, number>> = { sec: 1, min: 60, hr: 3600, d: 86_400, w: 604_800 };

/** The seconds of a DURATION such as `20min`. */
export function secondsOf(duration: string): number {
  const [, amount, unit] = /^(\d+)([a-z]+)$/.exec(duration) ?? [];
  return Number(amount) * SECONDS[unit];
}
