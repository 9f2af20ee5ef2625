/**
 * Long work in slices, so that the thread can turn to others between them: generators that yield after every slice and
 * return the result. Loops that are shorter than a slice do not yield, and what runs per entry is a plain function.
 * What is given to sliced work must not be changed before it is done.
 */

/** Work that yields nothing, but the chance to do something else or to stop for good, and returns T. */
export type Sliced<T> = Generator<undefined, T>;

/** Entries of a loop with a few nanoseconds for each, or some tens of them. */
export const SLICE_ENTRIES = 16_384;
/** Of a loop that looks at texts (at most some thousand bytes each), or compares. */
export const SLICE_TEXTS = 2_048;

/** Calls `work` for [0, count) part by part. */
export function* inSlices(
  count: number,
  work: (from: number, to: number) => void,
  sliceEntries = SLICE_ENTRIES,
): Sliced<void> {
  for (let from = 0; from < count; from += sliceEntries) {
    if (from > 0) yield;
    work(from, Math.min(count, from + sliceEntries));
  }
}

/** All of it in one go. */
export function runToEnd<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
