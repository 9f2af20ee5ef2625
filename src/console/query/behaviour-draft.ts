/** The fields of questions about behaviour, as typed: series, steps, starts and returns. */
import type { Column } from '../server/model.js';
import { ANY, type Interval, type Metric, type Test } from './fields.js';

/** Events of one column whose value satisfies a test. */
export interface Happening {
  readonly id: number;
  readonly column: string;
  readonly test: Test;
}

/** A line of a trend: the events, a metric of their values, or the entities with such an event. */
export interface Series extends Happening {
  readonly of: 'entities' | Metric;
}

export interface Step extends Happening {
  readonly optional: boolean;
}

/** Events that must not lie between two steps, whose numbers are as typed, from 1. */
export interface Exclusion extends Happening {
  readonly after: string;
  readonly before: string;
}

/** A text at a day of a trend. */
export interface Note {
  readonly id: number;
  readonly day: string;
  readonly text: string;
}

/** A length of time, such as 7 days; an empty count is no limit. */
export interface Length {
  readonly count: string;
  readonly unit: 'min' | 'hr' | 'd' | 'w';
}

export interface BehaviourDraft {
  readonly trend: {
    readonly series: readonly Series[];
    /** The attribute whose values divide each series; empty = none. */
    readonly by: string;
    readonly groups: string;
    /** Whether the same length of time before is shown, too. */
    readonly compared: boolean;
    /** A number of each period from the series, which are called A, B and so on; empty = the series themselves. */
    readonly formula: string;
    readonly notes: readonly Note[];
    /** The number of periods whose active entities are counted together; empty = one. */
    readonly rolling: string;
  };
  readonly funnel: {
    readonly steps: readonly Step[];
    readonly within: Length;
    readonly order: 'in-order' | 'strict' | 'any';
    /** The attribute whose values divide the funnel; empty = none. */
    readonly by: string;
    readonly attempts: 'best' | 'first' | 'every';
    /** Event columns in which all events of an attempt have equal values. */
    readonly same: readonly string[];
    readonly exclude: readonly Exclusion[];
  };
  readonly retention: {
    readonly start: Happening;
    readonly back: Happening;
    readonly cohort: 'first-time' | 'recurring';
    readonly count: 'on' | 'on-or-after';
    readonly periods: string;
    /** Ends of brackets that join periods, separated by commas; empty = each period. */
    readonly brackets: string;
    /** Whether periods begin at the first event instead of with the calendar. */
    readonly rolling: boolean;
  };
  /** The periods of retention, lifecycle and distribution. */
  readonly every: Interval;
  /** The activity of lifecycle and distribution. */
  readonly activity: Happening;
  readonly distribution: { readonly of: 'stickiness' | 'sessions'; readonly gap: Length };
  readonly flow: {
    readonly start: Happening;
    readonly direction: 'after' | 'before';
    readonly depth: string;
    readonly limit: string;
    readonly within: Length;
  };
  /** The ID of the entity whose events are shown. */
  readonly entity: string;
}

export const SERIES_MAX = 5;

/** Every event of the column. */
export const everyEvent = (id: number, column: string): Happening => ({ id, column, test: ANY });

/** A free number for a new member of a list. */
export const nextId = (list: readonly { readonly id: number }[]): number =>
  Math.max(0, ...list.map(({ id }) => id)) + 1;

/** Questions about the first event columns. */
export function newBehaviour(columns: readonly Column[]): BehaviourDraft {
  const events = columns.filter(({ isEvent }) => isEvent).map(({ name }) => name);
  const first = events[0] ?? '';
  const start = everyEvent(1, first);
  return {
    trend: {
      ...{ series: [{ ...start, of: 'events' }], by: '', groups: '5', compared: false },
      ...{ formula: '', notes: [], rolling: '' },
    },
    funnel: {
      steps: [first, events[1] ?? first].map((column, index) => ({
        ...everyEvent(index + 1, column),
        optional: false,
      })),
      within: { count: '7', unit: 'd' },
      ...{ order: 'in-order', by: '', attempts: 'best', same: [], exclude: [] },
    },
    retention: {
      ...{ start, back: start, cohort: 'first-time', count: 'on', periods: '8' },
      ...{ brackets: '', rolling: false },
    },
    every: 'weeks',
    activity: start,
    distribution: { of: 'stickiness', gap: { count: '30', unit: 'min' } },
    flow: {
      start,
      direction: 'after',
      depth: '4',
      limit: '6',
      within: { count: '', unit: 'hr' },
    },
    entity: '',
  };
}
