/**
 * Work of a lane that others may come between: generators that yield after every step, and are gone on with in slices.
 * Invariant: who ends a slice has what works rest first, because nothing may be held in an arena between two slices.
 */

/** Yields when it has come a step further, and gives T at last. */
export type Steps<T> = Generator<undefined, T>;

/** Whether the slice is over: the lane belongs to others now. */
export type IsOver = () => boolean;

/** What works does so until it is done. */
export const NEVER_OVER: IsOver = () => false;

/** Goes on until the work is done or the slice over, a step at least; null = it is not done. */
export function goOn<T extends object>(work: Steps<T>, isOver: IsOver): T | null {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (isOver()) return null;
  }
}

/** Ends the work, done or not. */
export function endSteps(work: Steps<object> | null): void {
  (work as Generator<undefined, unknown> | null)?.return(undefined);
}
