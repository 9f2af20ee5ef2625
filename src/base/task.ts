/**
 * Cooperative tasks: generators that yield between steps, so that a thread can interleave queries. A loop shorter than a
 * slice does not yield, and the work per entry is a plain function.
 * Invariants: the input of a task must not change before the task is done; whoever ends a slice lets the task release
 * what it holds in an arena, because nothing may stay there between two slices.
 */

/** Yields nothing but the chance to do something else or to stop for good, and returns T. */
export type Task<T> = Generator<undefined, T>;

/** Whether the slice is over, so that the thread turns to others. */
export type IsOver = () => boolean;

/** For a task that runs until it is done. */
export const NEVER_OVER: IsOver = () => false;

/** Entries of a slice of a loop that spends a few nanoseconds on each, or some tens of them. */
export const SLICE_ENTRIES = 16_384;
/** The same of a loop that reads texts (at most some thousand bytes each), or compares. */
export const SLICE_TEXTS = 2_048;

/** Calls `work` for [0, count) slice by slice. */
export function* inSlices(
  count: number,
  work: (from: number, to: number) => void,
  sliceEntries = SLICE_ENTRIES,
): Task<void> {
  for (let from = 0; from < count; from += sliceEntries) {
    if (from > 0) yield;
    work(from, Math.min(count, from + sliceEntries));
  }
}

/** Runs the task to its end. */
export function runToEnd<T>(task: Task<T>): T {
  for (;;) {
    const step = task.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the task until it is done or the slice is over, for at least one step; null = it is not done. */
export function runSlice<T extends object>(task: Task<T>, isOver: IsOver): T | null {
  for (;;) {
    const { done, value } = task.next();
    if (done === true) return value;
    if (isOver()) return null;
  }
}

/** Stops the task, done or not. */
export function stopTask(task: Task<object> | null): void {
  (task as Generator<undefined, unknown> | null)?.return(undefined);
}
