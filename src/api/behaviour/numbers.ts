/** Numbers of answers: floats always have a fraction. */
import { lowerBound } from '../../base/index.js';
import type { Samples } from '../../ir/index.js';

export function floatText(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** A quotient as JSON; null if there is nothing to divide by. */
export const ratioText = (count: number, of: number): string => (of === 0 ? 'null' : floatText(count / of));

/** The samples of one slot, by worker: values, ascending, and how many samples are at most each; null = every value is one sample. */
export type SlotSamples = readonly {
  readonly values: Uint32Array;
  readonly ends: Uint32Array | null;
  readonly sum: number;
}[];

export function samplesOf(samples: readonly Samples[], slot: number): SlotSamples {
  return samples.flatMap(({ slots, starts, values, endStarts, ends, sums }) => {
    const list = lowerBound(slots, slot);
    if (slots[list] !== slot) return [];
    const own = ends.subarray(endStarts[list], endStarts[list + 1]);
    return [
      {
        values: values.subarray(starts[list], starts[list + 1]),
        ends: own.length === 0 ? null : own,
        sum: sums[list],
      },
    ];
  });
}

/** How many samples the first `count` values of a list stand for. */
const sampleCount = (ends: Uint32Array | null, count: number): number =>
  ends === null || count === 0 ? count : ends[count - 1];

const totalOf = (samples: SlotSamples): number =>
  samples.reduce((sum, { values, ends }) => sum + sampleCount(ends, values.length), 0);

/** How many samples are less than a value. */
const countBelow = (samples: SlotSamples, value: number): number =>
  samples.reduce((sum, { values, ends }) => sum + sampleCount(ends, lowerBound(values, value)), 0);

/** The mean, the median and the 90th percentile of samples; null over none. */
export function statsOf(samples: SlotSamples): Record<'avg' | 'median' | 'p90', number | null> {
  if (samples.length === 0) return { avg: null, median: null, p90: null };
  const total = totalOf(samples);
  const sum = samples.reduce((all, own) => all + own.sum, 0);
  return { avg: sum / total, median: percentile(samples, 50, total), p90: percentile(samples, 90, total) };
}

/** The smallest sample that at least `percent` of all do not exceed. */
function percentile(samples: SlotSamples, percent: number, total: number): number {
  let low = Math.min(...samples.map(({ values }) => values[0]));
  let high = Math.max(...samples.map(({ values }) => values[values.length - 1]));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (countBelow(samples, middle + 1) * 100 >= percent * total) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** `statsOf` as JSON. */
export function statsText(samples: SlotSamples): string {
  const { avg, median, p90 } = statsOf(samples);
  return `{"avg":${avg === null ? null : floatText(avg)},"median":${median},"p90":${p90}}`;
}

/** Equal classes between 0 and the greatest sample, half-open but for the last, as JSON. */
export function histogramText(samples: SlotSamples, classCount: number): string {
  if (samples.length === 0) return '[]';
  const greatest = Math.max(...samples.map(({ values }) => values[values.length - 1]));
  const bound = (at: number): string => floatText((at * greatest) / classCount);
  let below = 0;
  const rows = Array.from({ length: classCount }, (_, at) => {
    const isLast = at === classCount - 1 || greatest === 0;
    const end = isLast
      ? totalOf(samples)
      : countBelow(samples, Math.ceil(((at + 1) * greatest) / classCount));
    const count = end - below;
    below = end;
    return `{"from":${bound(at)},"to":${bound(at + 1)},"count":${count}}`;
  });
  return `[${rows.join(',')}]`;
}
