/** Merges the partial answers of workers to questions about behaviour: adds counts, joins samples, values and rows. */
import { inSlices, type Task } from '../../base/index.js';
import type { BehaviourPartial, BehaviourPlan, Samples } from '../../ir/index.js';
import { greatestDifferences } from './compare.js';

/** Samples are sorted by slot, then seconds, as in each partial. */
export function* mergeBehaviour(
  { question }: BehaviourPlan,
  partials: readonly BehaviourPartial[],
): Task<BehaviourPartial> {
  const [first, ...others] = partials;
  const counts = first.counts.slice();
  let { samples } = first;
  for (const other of others) {
    yield* inSlices(counts.length, (from, to) => {
      for (let slot = from; slot < to; slot++) counts[slot] += other.counts[slot];
    });
    samples = yield* joined(samples, other.samples);
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

function* joined(a: Samples, b: Samples): Task<Samples> {
  const count = a.slots.length + b.slots.length;
  const [slots, seconds, counts] = [new Uint32Array(count), new Uint32Array(count), new Float64Array(count)];
  let [atA, atB, end] = [0, 0, 0];
  yield* inSlices(count, (from, to) => {
    for (let step = from; step < to; step++) {
      if (atA === a.slots.length && atB === b.slots.length) return;
      const order =
        atA === a.slots.length
          ? 1
          : atB === b.slots.length
            ? -1
            : a.slots[atA] - b.slots[atB] || a.seconds[atA] - b.seconds[atB];
      const [source, at] = order <= 0 ? [a, atA] : [b, atB];
      slots[end] = source.slots[at];
      seconds[end] = source.seconds[at];
      counts[end++] = source.counts[at] + (order === 0 ? b.counts[atB] : 0);
      if (order <= 0) atA++;
      if (order >= 0) atB++;
    }
  });
  return {
    slots: slots.subarray(0, end),
    seconds: seconds.subarray(0, end),
    counts: counts.subarray(0, end),
  };
}
