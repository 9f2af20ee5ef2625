/** Merges the partial answers of workers to questions about behaviour: adds counts, joins samples. */
import { inSlices, type Task } from '../../base/index.js';
import type { BehaviourGroups, BehaviourPartial, BehaviourRanking, Samples } from '../../ir/index.js';

/** Samples are sorted by cell, then seconds, as in each partial. */
export function* mergeBehaviour(partials: readonly BehaviourPartial[]): Task<BehaviourPartial> {
  const [first, ...others] = partials;
  const counts = first.counts.slice();
  let { samples } = first;
  for (const other of others) {
    yield* inSlices(counts.length, (from, to) => {
      for (let cell = from; cell < to; cell++) counts[cell] += other.counts[cell];
    });
    samples = yield* joined(samples, other.samples);
  }
  return { counts, samples };
}

function* joined(a: Samples, b: Samples): Task<Samples> {
  const count = a.cells.length + b.cells.length;
  const [cells, seconds, counts] = [new Uint32Array(count), new Uint32Array(count), new Float64Array(count)];
  let [atA, atB, end] = [0, 0, 0];
  yield* inSlices(count, (from, to) => {
    for (let step = from; step < to; step++) {
      if (atA === a.cells.length && atB === b.cells.length) return;
      const order =
        atA === a.cells.length
          ? 1
          : atB === b.cells.length
            ? -1
            : a.cells[atA] - b.cells[atB] || a.seconds[atA] - b.seconds[atB];
      const [source, at] = order <= 0 ? [a, atA] : [b, atB];
      cells[end] = source.cells[at];
      seconds[end] = source.seconds[at];
      counts[end++] = source.counts[at] + (order === 0 ? b.counts[atB] : 0);
      if (order <= 0) atA++;
      if (order >= 0) atB++;
    }
  });
  return {
    cells: cells.subarray(0, end),
    seconds: seconds.subarray(0, end),
    counts: counts.subarray(0, end),
  };
}

/** The `limit` most frequent values, then by text. */
export function chooseGroups(rankings: readonly BehaviourRanking[], limit: number): BehaviourGroups {
  const totals = new Map<string, number>();
  for (const { values, counts } of rankings) {
    values.forEach((value, index) => {
      totals.set(value, (totals.get(value) ?? 0) + counts[index]);
    });
  }
  const sorted = [...totals].filter(([, count]) => count > 0).sort(compareRanked);
  return { values: sorted.slice(0, limit).map(([value]) => value) };
}

function compareRanked(a: readonly [string, number], b: readonly [string, number]): number {
  return b[1] - a[1] || Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0]));
}
