/**
 * Conditions on events within one AND list: its members that speak of the same event column speak of the same event, in
 * the window that its members on the date make. A window narrows what stands in parentheses within the list too, unless
 * that has one of its own.
 */
import { ALL_EVENTS, type EventTest, intersect, type ValueTest, type Window } from '../../ir/index.js';
import type { Column } from '../../schema/index.js';

/** The windows that hold in a list and below it, by column id. */
export type HeldWindows = ReadonlyMap<number, Window>;

/** What a list's members say of one event of a column. */
export class EventGroup {
  readonly columnId: number;
  /** The window of the members on the date; null = there are none. */
  window: Window | null = null;
  /** Of its values. */
  readonly tests: ValueTest[] = [];
  /** Some member on values stands in WHERE, and so counts for the score. */
  scored = false;
  /** Of the one member that there is, when it joins values by OR: each alternative counts for itself. */
  #alternatives: readonly ValueTest[] | null = null;

  constructor({ id }: Column) {
    this.columnId = id;
  }

  narrow(window: Window): void {
    this.window = this.window === null ? window : overlap(this.window, window);
  }

  /** `alternatives`: what `test` unites. */
  add(test: ValueTest, alternatives: readonly ValueTest[], scored: boolean): void {
    this.#alternatives = this.tests.length === 0 && alternatives.length > 1 ? alternatives : null;
    addTest(this.tests, test);
    this.scored ||= scored;
  }

  /** In its own window, or the one that holds around it. */
  event(held: HeldWindows): EventTest {
    return { columnId: this.columnId, window: windowFor(this.columnId, held), tests: this.tests };
  }

  /** What counts for the score each for itself; null = the group does as a whole, if at all. */
  alternatives(held: HeldWindows): readonly EventTest[] | null {
    if (!this.scored || this.#alternatives === null) return null;
    return this.#alternatives.map((test) => ({ ...this.event(held), tests: [test] }));
  }
}

export function overlap(a: Window, b: Window): Window {
  const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)];
  return from <= to ? { from, to } : { from: 1, to: 0 };
}

/** Adds a test that holds beside the others; of ranges there is one in the end. */
function addTest(tests: ValueTest[], test: ValueTest): void {
  if (test.kind === 'ranges' && !test.negated) {
    const at = tests.findIndex((other) => other.kind === 'ranges' && !other.negated);
    const other = tests[at];
    if (other?.kind === 'ranges') {
      tests[at] = { ...other, ranges: intersect(other.ranges, test.ranges) };
      return;
    }
  }
  tests.push(test);
}

/** The window that holds for a column; all events without one. */
export function windowFor(columnId: number, held: HeldWindows): Window {
  return held.get(columnId) ?? ALL_EVENTS;
}
