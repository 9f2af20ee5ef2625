/**
 * Cooperative tasks: generators that yield between steps, so that a thread can interleave queries. A loop shorter than a
 * slice does not yield, and the work per entry is a plain function.
 * Invariants: the input of a task must not change before the task is done; at the end of a slice the task must release
 * its reservations in an arena, because they may not persist between slices.
 */

/** A generator that yields so that its thread can run other work or stop the task, and returns T. */
export type Task<T> = Generator<undefined, T>;

/** Whether the slice is over, so that the thread should run other tasks. */
export type IsOver = () => boolean;

/** For tasks that run to their end in one slice. */
export const NEVER_OVER: IsOver = () => false;

/** Entries per slice of a loop that takes up to some tens of nanoseconds per entry. */
export const SLICE_ENTRIES = 16_384;
/** Entries per slice of a loop that compares, or reads texts of up to a few thousand bytes. */
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

/** Stops the task, whether or not it is done. */
export function stopTask(task: Task<object> | null): void {
  (task as Generator<undefined, unknown> | null)?.return(undefined);
}
