/**
 * Conditions on events within one AND list: all members on the same event column apply to the same event, within the window
 * that the members on its date define. A window also applies to parenthesized lists within the list, unless they define one.
 */
import { ALL_EVENTS, type EventTest, intersect, type ValueTest, type Window } from '../../../ir/index.js';
import type { Column } from '../../../schema/index.js';

/** The windows that apply to a list and its nested lists, by column id. */
export type ScopedWindows = ReadonlyMap<number, Window>;

/** The conditions of a list on one event of a column. */
export class EventGroup {
  readonly columnId: number;
  /** The window defined by members on the date; null = none. */
  window: Window | null = null;
  /** Tests of the event's value. */
  readonly tests: ValueTest[] = [];
  /** Whether a member on values is in WHERE and therefore counts for the score. */
  scored = false;
  /** If the only member is an OR of values: its alternatives, each of which counts for the score. */
  #alternatives: readonly ValueTest[] | null = null;

  constructor({ id }: Column) {
    this.columnId = id;
  }

  narrow(window: Window): void {
    this.window = this.window === null ? window : overlap(this.window, window);
  }

  /** Adds a test; `alternatives` are the tests that `test` combines by OR. */
  add(test: ValueTest, alternatives: readonly ValueTest[], scored: boolean): void {
    this.#alternatives = this.tests.length === 0 && alternatives.length > 1 ? alternatives : null;
    addTest(this.tests, test);
    this.scored ||= scored;
  }

  /** The event test in the group's own window, or in the surrounding one. */
  event(scoped: ScopedWindows): EventTest {
    return { columnId: this.columnId, window: windowFor(this.columnId, scoped), tests: this.tests };
  }

  /** The tests that count individually for the score; null = the group counts as a whole, if at all. */
  alternatives(scoped: ScopedWindows): readonly EventTest[] | null {
    if (!this.scored || this.#alternatives === null) return null;
    return this.#alternatives.map((test) => ({ ...this.event(scoped), tests: [test] }));
  }
}

export function overlap(a: Window, b: Window): Window {
  const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)];
  return from <= to ? { from, to } : { from: 1, to: 0 };
}

/** Adds a test that must hold in addition; range tests are intersected to one. */
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

/** The window that applies to a column; without one, all events. */
export function windowFor(columnId: number, scoped: ScopedWindows): Window {
  return scoped.get(columnId) ?? ALL_EVENTS;
}
