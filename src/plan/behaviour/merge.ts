/** Merges the partial answers of workers to questions about behaviour: adds counts, lists samples, joins values and rows. */
import { inSlices, type Task } from '../../base/index.js';
import type { BehaviourPartial, BehaviourPlan } from '../../ir/index.js';
import { greatestDifferences } from './compare.js';

export function* mergeBehaviour(
  { question }: BehaviourPlan,
  partials: readonly BehaviourPartial[],
): Task<BehaviourPartial> {
  const [first, ...others] = partials;
  const counts = first.counts.slice();
  const samples = partials.flatMap((partial) => partial.samples);
  for (const other of others) {
    yield* inSlices(counts.length, (from, to) => {
      for (let slot = from; slot < to; slot++) counts[slot] += other.counts[slot];
    });
  }
  if (question.kind === 'timeline') {
    // The entity is in one shard.
    return { counts, samples, rows: partials.flatMap(({ rows }) => rows ?? []) };
  }
  if (question.kind === 'compare') {
    const values = partials.flatMap(({ compared }) => compared ?? []);
    const { compared, tested } = yield* greatestDifferences(question, [counts[0], counts[1]], values);
    counts[2] = tested;
    return { counts, samples, compared };
  }
  return { counts, samples };
}
