/** The buckets of time that contain the events of a batch, by number. Dates are seconds since 1970-01-01. */
import { invariant } from '../../base/index.js';
import type { Buckets, Input, Window } from '../../ir/index.js';
import { bucketNumber, bucketStart, type Interval, periodIndex } from '../../schema/index.js';
import { BATCH_ROWS_MAX, type RowBatch } from '../scan/row-batches.js';
import type { BatchItems, RowItems } from './item-rows.js';

/** Bucket 0 of an interval contains the first second of `window`; otherwise buckets have the numbers of the windows or periods. */
export function bucketItems(buckets: Buckets, window: Window, inputs: readonly Input[]): RowItems {
  const input = inputs.findIndex(({ from }) => from === 'event-date');
  invariant(input >= 0, 'buckets of events read their dates');
  if (buckets.by === 'windows') return new WindowItems(buckets.windows, input);
  if (buckets.by === 'periods') return new PeriodItems(buckets.starts, input);
  return new IntervalItems(buckets.interval, window, input);
}

function datesOf(batch: RowBatch, input: number): Float64Array {
  const dates = batch.input(input);
  invariant(dates.kind === 'exact' && dates.numbers !== null, 'dates are safe integers');
  return dates.numbers;
}

/** Each event is in one bucket. */
class IntervalItems implements RowItems {
  readonly #interval: Interval;
  readonly #first: number;
  readonly #input: number;
  readonly #positions = new Uint32Array(BATCH_ROWS_MAX).map((_, row) => row);
  readonly #numbers = new Float64Array(BATCH_ROWS_MAX);

  constructor(interval: Interval, { from }: Window, input: number) {
    this.#interval = interval;
    this.#first = bucketNumber(interval, from);
    this.#input = input;
  }

  of(batch: RowBatch): BatchItems {
    const dates = datesOf(batch, this.#input);
    const { count } = batch;
    const numbers = this.#numbers;
    if (this.#interval === 'months') this.#months(dates, count);
    else {
      // All buckets except months have the same length.
      const origin = bucketStart(this.#interval, this.#first);
      const seconds = bucketStart(this.#interval, this.#first + 1) - origin;
      for (let row = 0; row < count; row++) numbers[row] = Math.floor((dates[row] - origin) / seconds);
    }
    const items = { kind: 'exact', count, valid: null, numbers, wide: null } as const;
    return { positions: this.#positions.subarray(0, count), items, next: count };
  }

  #months(dates: Float64Array, count: number): void {
    let [number, start, end] = [0, 0, 0];
    for (let row = 0; row < count; row++) {
      const date = dates[row];
      if (date < start || date >= end) {
        number = bucketNumber('months', date);
        [start, end] = [bucketStart('months', number), bucketStart('months', number + 1)];
      }
      this.#numbers[row] = number - this.#first;
    }
  }

  release(): void {}
}

/** Each event is in one period. */
class PeriodItems implements RowItems {
  readonly #starts: Float64Array;
  readonly #input: number;
  readonly #positions = new Uint32Array(BATCH_ROWS_MAX).map((_, row) => row);
  readonly #numbers = new Float64Array(BATCH_ROWS_MAX);

  constructor(starts: readonly number[], input: number) {
    this.#starts = Float64Array.from(starts);
    this.#input = input;
  }

  of(batch: RowBatch): BatchItems {
    const dates = datesOf(batch, this.#input);
    const { count } = batch;
    const [numbers, starts] = [this.#numbers, this.#starts];
    let [number, start, end] = [0, 0, 0];
    for (let row = 0; row < count; row++) {
      const date = dates[row];
      // Neighbours are often in one period.
      if (date < start || date >= end) {
        number = periodIndex(starts, date);
        [start, end] = [starts[number], starts[number + 1]];
      }
      numbers[row] = number;
    }
    const items = { kind: 'exact', count, valid: null, numbers, wide: null } as const;
    return { positions: this.#positions.subarray(0, count), items, next: count };
  }

  release(): void {}
}

/** Half-open windows, which may overlap and leave gaps. */
class WindowItems implements RowItems {
  readonly #input: number;
  /** The numbers of the windows by their starts, and the starts and ends in that order. */
  readonly #order: Uint32Array;
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  /** The greatest end of the windows up to each one. */
  readonly #lastEnds: Float64Array;

  constructor(windows: readonly Window[], input: number) {
    this.#input = input;
    this.#order = Uint32Array.from(windows, (_, number) => number);
    this.#order.sort((a, b) => windows[a].from - windows[b].from);
    this.#starts = Float64Array.from(this.#order, (number) => windows[number].from);
    this.#ends = Float64Array.from(this.#order, (number) => windows[number].to);
    let last = Number.NEGATIVE_INFINITY;
    this.#lastEnds = this.#ends.map((end) => {
      last = Math.max(last, end);
      return last;
    });
  }

  of(batch: RowBatch, from: number): BatchItems {
    const dates = datesOf(batch, this.#input);
    const positions: number[] = [];
    const found: number[] = [];
    let next = from;
    for (; next < batch.count && found.length < BATCH_ROWS_MAX; next++) {
      const date = dates[next];
      let at = this.#begunBy(date) - 1;
      for (; at >= 0 && this.#lastEnds[at] > date; at--) {
        if (this.#ends[at] <= date) continue;
        positions.push(next);
        found.push(this.#order[at]);
      }
    }
    const numbers = Float64Array.from(found);
    const items = { kind: 'exact', count: found.length, valid: null, numbers, wide: null } as const;
    return { positions: Uint32Array.from(positions), items, next };
  }

  /** The number of windows that begin at the date or before. */
  #begunBy(date: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle] <= date) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  release(): void {}
}
