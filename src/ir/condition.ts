/**
 * Bound conditions as plain data: api and sql produce them, every shard evaluates them. They cross threads by
 * structured clone, so they contain no functions.
 * Three-valued logic: a missing value makes a test unknown; `not` keeps unknown. `not` is explicit, so exec pushes it down to
 * the leaves. Conditions and questions about behaviour contain each other.
 */

import type { ValueForm } from '../schema/index.js';
import type { EventTest, ValueTest, Window } from './value-test.js';

export type * from './value-test.js';

export type Condition =
  /** The value of an attribute column satisfies every test; in a list column: some item satisfies all of them
   *  (a negated test: no item satisfies it unnegated). */
  | { readonly op: 'attribute'; readonly columnId: number; readonly tests: readonly ValueTest[] }
  /** The entity has no value of the attribute column, or no item of the list; never unknown. */
  | { readonly op: 'missing'; readonly columnId: number }
  /** The entity ID satisfies every test; never unknown. */
  | { readonly op: 'entity-id'; readonly tests: readonly ValueTest[] }
  /** At least minfreq matching events; unknown for an entity without any event of the column. */
  | { readonly op: 'event'; readonly event: EventTest; readonly minfreq: number }
  /** The matching events of all members together are at least minfreq; never unknown. */
  | { readonly op: 'freqgroup'; readonly events: readonly EventTest[]; readonly minfreq: number }
  /** The behaviour of the entity passes the test; never unknown. */
  | { readonly op: 'behaviour'; readonly question: BehaviourScope; readonly test: BehaviourTest }
  /** The entity is a member of the segment with this id; condition null = of the static segment, by its ID. Never unknown. */
  | { readonly op: 'segment'; readonly segmentId: number; readonly condition: Condition | null }
  | { readonly op: 'and' | 'or'; readonly members: readonly Condition[] }
  | { readonly op: 'not'; readonly member: Condition };

/** The entities of one dimension that satisfy a condition; null = all of them. */
export interface CountEntityPlan {
  readonly databaseId: number;
  readonly dimensionId: number;
  readonly condition: Condition | null;
}

/** Tests on one column of an event. */
export interface EventColumnTest {
  readonly columnId: number;
  readonly tests: readonly ValueTest[];
}

/** Events whose values of all columns, which one relation ties, pass the tests. The first column has their date. */
export type EventAlternative = readonly EventColumnTest[];

/** Events that satisfy at least one alternative. */
export type BehaviourEvent = readonly EventAlternative[];

/** A column whose values the question compares or groups by. */
export type ValueColumn = ValueForm & { readonly columnId: number };

/** Instants that divide time: period p is [starts[p], starts[p + 1]). Seconds since 1970-01-01, ascending. */
export type PeriodStarts = readonly number[];

export interface Breakdown {
  readonly column: ValueColumn;
  /** An attribute column of the entity, or an event column of step `step` (0-based). */
  readonly of: 'entity' | 'list' | 'step';
  readonly step: number;
  readonly limit: number;
}

export interface Exclusion {
  /** The index of the event in the plan's events. */
  readonly event: number;
  /** Steps are counted from 1; no such event lies between steps `after` and `before`. */
  readonly after: number;
  readonly before: number;
}

export interface FunnelQuestion {
  readonly kind: 'funnel';
  /** Events 0 to stepCount - 1 of the plan are the steps. */
  readonly stepCount: number;
  readonly optional: readonly boolean[];
  /** Per step: the entities that can take it; null = all. */
  readonly stepConditions: readonly (Condition | null)[];
  readonly order: 'in-order' | 'strict' | 'any';
  readonly attempts: 'best' | 'first' | 'every';
  /** Seconds; null = no limit. */
  readonly within: number | null;
  readonly distinctInstants: boolean;
  readonly exclusions: readonly Exclusion[];
  /** The index of the event that the stream of a strict funnel consists of; null = not strict. */
  readonly stream: number | null;
  /** Indexes in the plan's values. */
  readonly same: readonly number[];
}

export interface ActivityQuestion {
  readonly kind: 'lifecycle' | 'stickiness' | 'actives';
  /** Periods of `actives` that are counted together; 1 = none. */
  readonly rolling: number;
  /** Starts of the periods before the first, as many as `rolling` reaches back, or 1. */
  readonly history: PeriodStarts;
}

export interface RetentionQuestion {
  readonly kind: 'retention';
  readonly cohort: 'first-time' | 'recurring';
  readonly count: 'on' | 'on-or-after';
  /** Length of a period in seconds, which begins at the reference event; null = calendar periods. */
  readonly rolling: number | null;
  /** Period numbers [from, to) of each count. */
  readonly brackets: readonly (readonly [from: number, to: number])[];
  readonly until: number;
  /** Starts of the cohorts' periods and of the periods after them. */
  readonly calendar: PeriodStarts;
}

/** One event of a pattern, and where it lies behind the event matched before: the first event behind the beginning. */
export interface PatternStep {
  /** The index of the plan's event that it satisfies, or does not satisfy; null = it is any event. */
  readonly event: number | null;
  readonly isNegated: boolean;
  /** `next`: at once; `later`: anywhere behind; `timed`: anywhere, within [secondsMin, secondsMax] of the one before. */
  readonly gap: 'next' | 'later' | 'timed';
  readonly secondsMin: number;
  readonly secondsMax: number;
}

export interface SequenceQuestion {
  readonly kind: 'sequence';
  readonly pattern: readonly PatternStep[];
}

/**
 * Event 0 of the plan is the stream, event 1 the events that begin a session. The plan's values are the columns of the
 * stream in the order of their names.
 */
export interface SessionsQuestion {
  readonly kind: 'sessions';
  /** Seconds. */
  readonly gap: number;
}

/** Events and values of the plan as in SessionsQuestion; event 1 has the events that paths begin with. */
export interface FlowQuestion {
  readonly kind: 'flow';
  readonly depth: number;
  readonly limit: number;
  readonly isBackward: boolean;
  /** Seconds from one event to the next; null = no limit. */
  readonly within: number | null;
  /** Paths begin with every matching event instead of the first. */
  readonly isEvery: boolean;
  readonly collapse: boolean;
}

export interface OverlapQuestion {
  readonly kind: 'overlap';
  readonly segments: readonly Condition[];
}

/** A column whose values are compared: an attribute, a list of values, or an event column. */
export interface ComparedColumn {
  readonly column: ValueColumn;
  readonly of: 'entity' | 'list' | 'event';
}

export interface CompareQuestion {
  readonly kind: 'compare';
  readonly segments: readonly [Condition, Condition];
  readonly columns: readonly ComparedColumn[];
  readonly limit: number;
}

/** A kind of events of a timeline: a column, or a relation. */
export interface TimelineGroup {
  readonly name: string;
  readonly isRelation: boolean;
}

/** A row of a timeline: rows with equal positions but for `repeats` are equal; `repeats` numbers them from 1. */
export interface TimelinePosition extends TimelineGroup {
  /** Seconds since 1970-01-01. */
  readonly date: number;
  /** The texts of the values, by which rows of one date and group are sorted. */
  readonly texts: readonly string[];
  readonly repeats: number;
}

export interface TimelineQuestion {
  readonly kind: 'timeline';
  /** In its stored form. */
  readonly entityId: string;
  /** In the order of the answer. */
  readonly groups: readonly TimelineGroup[];
  /** The columns of a relation are in its order; `group` is an index in `groups`. */
  readonly columns: readonly {
    readonly column: ValueColumn;
    readonly name: string;
    readonly group: number;
  }[];
  readonly limit: number;
  /** The last row of the page before; null = the first page. */
  readonly after: TimelinePosition | null;
}

export type BehaviourQuestion =
  | FunnelQuestion
  | ActivityQuestion
  | RetentionQuestion
  | SequenceQuestion
  | SessionsQuestion
  | FlowQuestion
  | OverlapQuestion
  | CompareQuestion
  | TimelineQuestion;

/** A question about behaviour of the entities of a dimension. */
export interface BehaviourScope {
  /** The entities that take part; null = all. */
  readonly condition: Condition | null;
  readonly events: readonly BehaviourEvent[];
  /** Indexes of the events that are streams of columns: each value has its own date, also a value that is tied to another. */
  readonly streams: readonly number[];
  /** Whether two of the events' columns may be tied, so that their values are one event. */
  readonly isTied: boolean;
  /** Event columns whose values are read with the events; a value of a tied column belongs to the event. */
  readonly values: readonly ValueColumn[];
  /** Inclusive. */
  readonly between: Window;
  /** Boundaries of the periods of `interval`; empty = none. */
  readonly periods: PeriodStarts;
  readonly breakdown: Breakdown | null;
  readonly question: BehaviourQuestion;
}

export interface BehaviourPlan extends BehaviourScope {
  readonly databaseId: number;
  readonly dimensionId: number;
}

/** Which entities a condition on behaviour selects: those that the answer of its question counts in some place. */
export type BehaviourTest =
  /** Some attempt has step `reached` and not step `missed`; both from 0, null = any. */
  | { readonly kind: 'funnel'; readonly reached: number; readonly missed: number | null }
  /** The entity has a match. */
  | { readonly kind: 'sequence' }
  /** The entity is in the cohort and, if `bracket` is not null, returns in it. `cohort` -1 = there is no such cohort. */
  | { readonly kind: 'retention'; readonly cohort: number; readonly bracket: number | null }
  /** The entity is active in so many periods. */
  | { readonly kind: 'active'; readonly atLeast: number; readonly atMost: number };
