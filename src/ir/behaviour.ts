/**
 * Questions about the behaviour of entities as plain data: the events that they read, and how their answers are counted.
 * A partial answer is a list of counts by slot, and samples of seconds by slot; the layout of slots is that of the
 * question's kind. Partial answers of shards are merged by adding counts and listing samples, so the merge is the same
 * for every kind.
 */
import type { BEHAVIOUR_KINDS } from '../interface/index.js';
import type {
  BehaviourPlan,
  BehaviourScope,
  FlowQuestion,
  PeriodStarts,
  TimelinePosition,
} from './condition.js';
import type { Constant } from './expression.js';

export type BehaviourKind = (typeof BEHAVIOUR_KINDS)[number];

/** A question whose answer is read as rows. It stays on the main thread, so that it may have a function. */
export interface TableQuestion {
  readonly kind: BehaviourKind;
  readonly plan: BehaviourPlan;
  /** The values of each row, in stored form. */
  readonly rowsOf: (answer: BehaviourAnswer) => readonly (readonly Constant['value'][])[];
}

/** Group 0 of an answer is the whole; the others are those of the breakdown, then the others, then those without a value. */
export interface BehaviourGroups {
  /** The values with a group of their own. */
  readonly values: readonly string[];
}

/**
 * Samples of one worker by slot, for example seconds. List l belongs to slots[l]. Its values are [starts[l], starts[l + 1]),
 * ascending. Its ends are [endStarts[l], endStarts[l + 1]): how many samples of the list are at most each of the values, which
 * differ; without ends, every value is one sample. Slots ascend.
 */
export interface Samples {
  readonly slots: Uint32Array;
  /** One more than slots. */
  readonly starts: Uint32Array;
  readonly values: Uint32Array;
  /** One more than slots. */
  readonly endStarts: Uint32Array;
  readonly ends: Uint32Array;
  /** By list: the sum of its samples. */
  readonly sums: Float64Array;
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
  /** Those of each worker. */
  readonly samples: readonly Samples[];
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

/** The slots of one group: see the kind's kernel in exec/behaviour. */
export function slotsPerGroup({ question, periods }: BehaviourScope): number {
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
      return SESSION_SLOTS * (count + 1);
    case 'flow': {
      const { levelSlots, linkSlots } = flowSlots(question);
      return question.depth * levelSlots + (question.depth - 1) * linkSlots;
    }
    case 'overlap':
      return 2 ** question.segments.length;
    case 'compare':
      return 3;
    case 'timeline':
      return 0;
  }
}

/** Slots of sessions: their number, entities, sessions of one event, and the samples of seconds and of events. */
export const SESSION_SLOTS = 5;

/**
 * Slots of a flow. Each level has its nodes, the others and the paths that end there; then each level but the last has
 * its links: from a node of the level to each node of the next.
 */
export function flowSlots({ depth, limit }: FlowQuestion): {
  readonly levelSlots: number;
  readonly linkSlots: number;
  /** The first slot of the links. */
  readonly linksAt: number;
} {
  const levelSlots = limit + 2;
  return { levelSlots, linkSlots: (limit + 1) ** 2, linksAt: depth * levelSlots };
}

/**
 * Whether the question reads a stream: each value of a column is an event, in the order of date, column and text. That order
 * matters to sessions only if an event, the plan's second, begins one.
 */
export const readsStream = ({ question: { kind }, events }: BehaviourScope): boolean =>
  kind === 'flow' || (kind === 'sessions' && events[1].length > 0);

/** Whether values are ranked before anything is counted: the groups of a breakdown, or the nodes of a flow. */
export const isRanked = ({ breakdown, question }: BehaviourScope): boolean =>
  breakdown !== null || question.kind === 'flow';

/** The number of groups: the whole, and with a breakdown also the chosen values, others and none. */
export const groupCount = ({ breakdown }: BehaviourScope, chosen: BehaviourGroups | null): number =>
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
