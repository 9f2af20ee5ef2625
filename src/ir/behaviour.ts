/**
 * Questions about the behaviour of entities as plain data: the events that they read, and how their answers are counted.
 * A partial answer is a list of counts by cell, and samples of seconds by cell; the layout of cells is that of the
 * question's kind. Partial answers of shards are merged by adding counts and joining samples, so the merge is the same
 * for every kind.
 */
import type { ValueForm } from '../schema/index.js';
import type { Condition, ValueTest, Window } from './condition.js';

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
export const BEHAVIOUR_KINDS = [
  'funnel',
  'retention',
  'lifecycle',
  'stickiness',
  'actives',
  'sequence',
  'sessions',
  'flow',
  'overlap',
  'compare',
  'timeline',
] as const satisfies readonly BehaviourQuestion['kind'][];
export type BehaviourKind = BehaviourQuestion['kind'];

export interface BehaviourPlan {
  readonly databaseId: number;
  readonly dimensionId: number;
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

/** Group 0 of an answer is the whole; the others are those of the breakdown, then the others, then those without a value. */
export interface BehaviourGroups {
  /** The values with a group of their own. */
  readonly values: readonly string[];
}

/** Seconds by cell: sample s occurs counts[s] times in cells[s]. Sorted by cell, then seconds. */
export interface Samples {
  readonly cells: Uint32Array;
  readonly seconds: Uint32Array;
  readonly counts: Float64Array;
}

/** Values that entities of two segments have: two numbers of entities per value. */
export interface ComparedValues {
  /** Made by `comparedKey`. */
  readonly keys: readonly string[];
  readonly counts: Float64Array;
}

export interface TimelineRow {
  readonly position: TimelinePosition;
  readonly json: string;
}

export interface BehaviourPartial {
  readonly counts: Float64Array;
  readonly samples: Samples;
  /** Of a comparison: all values of a partial, the greatest differences of an answer. */
  readonly compared?: ComparedValues;
  /** Of a timeline: one row more than its limit shows that there is a next page. */
  readonly rows?: readonly TimelineRow[];
}

/** How often each value of the breakdown occurs. */
export interface BehaviourRanking {
  readonly values: readonly string[];
  readonly counts: Float64Array;
}

export interface BehaviourAnswer extends BehaviourPartial {
  /** The values of the groups, in the order of the answer; empty without a breakdown. */
  readonly groups: readonly string[];
}

/** The number of periods that the boundaries delimit. */
export const periodCount = (starts: PeriodStarts): number => Math.max(starts.length - 1, 0);

/** The cells of one group: see the kind's kernel in exec/behaviour. */
export function cellsPerGroup({ question, periods }: BehaviourPlan): number {
  const count = periodCount(periods);
  switch (question.kind) {
    case 'funnel':
      return question.stepCount * (count + 1);
    case 'lifecycle':
      return 4 * count;
    case 'stickiness':
      return count + 1;
    case 'actives':
      return 2 * count;
    case 'retention':
      return (question.brackets.length + 1) * count;
    case 'sequence':
      return 2;
    case 'sessions':
      return SESSION_CELLS * (count + 1);
    case 'flow': {
      const { levelCells, linkCells } = flowCells(question);
      return question.depth * levelCells + (question.depth - 1) * linkCells;
    }
    case 'overlap':
      return 2 ** question.segments.length;
    case 'compare':
      return 3;
    case 'timeline':
      return 0;
  }
}

/** Cells of sessions: their number, entities, sessions of one event, and the samples of seconds and of events. */
export const SESSION_CELLS = 5;

/**
 * Cells of a flow. Each level has its nodes, the others and the paths that end there; then each level but the last has
 * its links: from a node of the level to each node of the next.
 */
export function flowCells({ depth, limit }: FlowQuestion): {
  readonly levelCells: number;
  readonly linkCells: number;
  /** The first cell of the links. */
  readonly linksAt: number;
} {
  const levelCells = limit + 2;
  return { levelCells, linkCells: (limit + 1) ** 2, linksAt: depth * levelCells };
}

/** Whether the question reads a stream: each value of a column is an event, in the order of date, column and text. */
export const readsStream = ({ question: { kind } }: BehaviourPlan): boolean =>
  kind === 'sessions' || kind === 'flow';

/** Whether values are ranked before anything is counted: the groups of a breakdown, or the nodes of a flow. */
export const needsRanking = ({ breakdown, question }: BehaviourPlan): boolean =>
  breakdown !== null || question.kind === 'flow';

/** The number of groups: the whole, and with a breakdown also the chosen values, others and none. */
export const groupCount = ({ breakdown }: BehaviourPlan, chosen: BehaviourGroups | null): number =>
  breakdown === null || chosen === null ? 1 : chosen.values.length + 3;

/** A node of a flow as text: the level from 0, the index of its column in the plan's values, and the value. */
export const nodeKey = (level: number, column: number, value: string): string =>
  `${level} ${column} ${value}`;

/** The node of a key that `nodeKey` wrote. */
export function nodeOfKey(key: string): {
  readonly level: number;
  readonly column: number;
  readonly value: string;
} {
  const first = key.indexOf(' ');
  const second = key.indexOf(' ', first + 1);
  return {
    level: Number(key.slice(0, first)),
    column: Number(key.slice(first + 1, second)),
    value: key.slice(second + 1),
  };
}

/** A value of a comparison as text: the index of its column in the question, and the value. */
export const comparedKey = (column: number, value: string): string => `${column} ${value}`;

/** The value of a key that `comparedKey` wrote. */
export function comparedOfKey(key: string): { readonly column: number; readonly value: string } {
  const at = key.indexOf(' ');
  return { column: Number(key.slice(0, at)), value: key.slice(at + 1) };
}
