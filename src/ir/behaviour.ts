/**
 * Questions about the behaviour of entities as plain data: the events that they read, and how their answers are counted.
 * A partial answer is a list of counts by slot, and samples of seconds by slot; the layout of slots is that of the
 * question's kind. Partial answers of shards are merged by adding counts and joining samples, so the merge is the same
 * for every kind.
 */
import type { BehaviourScope, PeriodStarts } from './condition.js';

export const BEHAVIOUR_KINDS = ['funnel', 'retention', 'lifecycle', 'stickiness', 'actives'] as const;
export type BehaviourKind = (typeof BEHAVIOUR_KINDS)[number];

/** Group 0 of an answer is the whole; the others are those of the breakdown, then the others, then those without a value. */
export interface BehaviourGroups {
  /** The values with a group of their own. */
  readonly values: readonly string[];
}

/** Seconds by slot: sample s occurs counts[s] times in slots[s]. Sorted by slot, then seconds. */
export interface Samples {
  readonly slots: Uint32Array;
  readonly seconds: Uint32Array;
  readonly counts: Float64Array;
}

export interface BehaviourPartial {
  readonly counts: Float64Array;
  readonly samples: Samples;
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
  }
}

/** The number of groups: the whole, and with a breakdown also the chosen values, others and none. */
export const groupCount = (chosen: BehaviourGroups | null): number =>
  chosen === null ? 1 : chosen.values.length + 3;
