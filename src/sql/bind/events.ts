/**
 * Conditions on events within one AND list: its members that speak of the same event column speak of the same event, in
 * the window that its members on the date make. A window narrows what stands in parentheses within the list too, unless
 * that has one of its own.
 */
import { ALL_EVENTS, type EventTest, intersect, type ValueTest, type Window } from '../../ir/index.js';
import type { Column } from '../../schema/index.js';

/** A window that holds in a list and below it. */
export interface HeldWindow {
  readonly window: Window;
  /** Some condition was narrowed by it. */
  used: boolean;
}

export type HeldWindows = ReadonlyMap<number, HeldWindow>;

/** What a list's members say of one event of a column. */
export class EventGroup {
  readonly columnId: number;
  /** The window of the members on the date; null = there are none. */
  window: Window | null = null;
  /** Of its values. */
  readonly tests: ValueTest[] = [];
  /** Some member on values stands in WHERE, and so counts for the score. */
  scored = false;

  constructor({ id }: Column) {
    this.columnId = id;
  }

  narrow(window: Window): void {
    this.window = this.window === null ? window : overlap(this.window, window);
  }

  add(test: ValueTest, scored: boolean): void {
    addTest(this.tests, test);
    this.scored ||= scored;
  }

  /** In its own window, or the one that holds around it. */
  event(held: HeldWindows): EventTest {
    return { columnId: this.columnId, window: windowFor(this.columnId, held), tests: this.tests };
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

/** The window that holds for a column, which counts as used then; all events without one. */
export function windowFor(columnId: number, held: HeldWindows): Window {
  const found = held.get(columnId);
  if (found === undefined) return ALL_EVENTS;
  found.used = true;
  return found.window;
}
