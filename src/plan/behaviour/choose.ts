/** Chooses the values of a question about behaviour that are counted: those that the workers have ranked as the most frequent. */
import { inSlices, SLICE_TEXTS, type Task } from '../../base/index.js';
import {
  type BehaviourGroups,
  type BehaviourPlan,
  type BehaviourRanking,
  type FlowQuestion,
  nodeOfKey,
} from '../../ir/index.js';
import { FirstEntries } from './first-entries.js';

/** null = the question ranks no values. */
export function* chooseValues(
  { question, breakdown }: BehaviourPlan,
  rankings: readonly BehaviourRanking[],
): Task<BehaviourGroups | null> {
  if (question.kind === 'flow') return yield* chooseNodes(rankings, question);
  return breakdown === null ? null : yield* chooseGroups(rankings, breakdown.limit);
}

/** Adds the counts of equal values, and visits each value once. */
function* eachTotal(
  rankings: readonly BehaviourRanking[],
  visit: (value: string, count: number) => void,
): Task<void> {
  const totals = new Map<string, number>();
  for (const { values, counts } of rankings) {
    yield* inSlices(
      values.length,
      (from, to) => {
        for (let at = from; at < to; at++) totals.set(values[at], (totals.get(values[at]) ?? 0) + counts[at]);
      },
      SLICE_TEXTS,
    );
  }
  let visited = 0;
  for (const [value, count] of totals) {
    visit(value, count);
    if (++visited % SLICE_TEXTS === 0) yield;
  }
}

interface RankedNode {
  readonly key: string;
  readonly count: number;
  readonly column: number;
  readonly value: string;
}

/** The most frequent nodes of each level, then by column and text; level by level. */
function* chooseNodes(
  rankings: readonly BehaviourRanking[],
  { depth, limit }: FlowQuestion,
): Task<BehaviourGroups> {
  const levels = Array.from({ length: depth }, () => new FirstEntries(limit, compareNodes));
  yield* eachTotal(rankings, (key, count) => {
    const { level, column, value } = nodeOfKey(key);
    levels[level].add({ key, count, column, value });
  });
  return { values: levels.flatMap(({ all }) => all.map(({ key }) => key)) };
}

const compareNodes = (a: RankedNode, b: RankedNode): number =>
  b.count - a.count || a.column - b.column || compareTexts(a.value, b.value);

/** The `limit` most frequent values, then by text. */
function* chooseGroups(rankings: readonly BehaviourRanking[], limit: number): Task<BehaviourGroups> {
  const first = new FirstEntries<{ readonly value: string; readonly count: number }>(
    limit,
    (a, b) => b.count - a.count || compareTexts(a.value, b.value),
  );
  yield* eachTotal(rankings, (value, count) => {
    if (count > 0) first.add({ value, count });
  });
  return { values: first.all.map(({ value }) => value) };
}

const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
