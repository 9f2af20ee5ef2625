/** Numbers of answers: floats always have a fraction. */
import { lowerBound } from '../../base/index.js';
import type { Samples } from '../../ir/index.js';

export function floatText(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** A quotient as JSON; null if there is nothing to divide by. */
export const ratioText = (count: number, of: number): string => (of === 0 ? 'null' : floatText(count / of));

/** The samples of one slot, ascending. */
export interface SlotSamples {
  readonly seconds: Uint32Array;
  readonly counts: Float64Array;
}

export function samplesOf({ slots, seconds, counts }: Samples, slot: number): SlotSamples {
  const from = lowerBound(slots, slot);
  const to = lowerBound(slots, slot + 1);
  return { seconds: seconds.subarray(from, to), counts: counts.subarray(from, to) };
}

/** The mean, the median and the 90th percentile of samples; null over none. */
export function statsOf({ seconds, counts }: SlotSamples): Record<'avg' | 'median' | 'p90', number | null> {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return { avg: null, median: null, p90: null };
  const sum = seconds.reduce((all, second, index) => all + second * counts[index], 0);
  const percentile = (percent: number): number => {
    let seen = 0;
    const at = seconds.findIndex((_, index) => {
      seen += counts[index];
      return seen * 100 >= percent * total;
    });
    return seconds[at];
  };
  return { avg: sum / total, median: percentile(50), p90: percentile(90) };
}

/** `statsOf` as JSON. */
export function statsText(samples: SlotSamples): string {
  const { avg, median, p90 } = statsOf(samples);
  return `{"avg":${avg === null ? null : floatText(avg)},"median":${median},"p90":${p90}}`;
}

/** Equal classes between 0 and the greatest sample, half-open but for the last, as JSON. */
export function histogramText({ seconds, counts }: SlotSamples, classCount: number): string {
  if (seconds.length === 0) return '[]';
  const greatest = seconds[seconds.length - 1];
  const classes = new Float64Array(classCount);
  seconds.forEach((second, index) => {
    const own = greatest === 0 ? 0 : Math.floor((second * classCount) / greatest);
    classes[Math.min(own, classCount - 1)] += counts[index];
  });
  const bound = (at: number): string => floatText((at * greatest) / classCount);
  const rows = Array.from(
    classes,
    (count, at) => `{"from":${bound(at)},"to":${bound(at + 1)},"count":${count}}`,
  );
  return `[${rows.join(',')}]`;
}
