/** Event windows, clipped to the range of event dates. */
import type { Window } from './condition.js';

/** Event dates are unsigned 32-bit seconds; no event is later. */
const EVENT_SECONDS_MAX = 2 ** 32 - 1;

/** The window that contains every event. */
export const ALL_EVENTS: Window = { from: 0, to: EVENT_SECONDS_MAX };

/** Returns the part of a window (both ends included) that can contain events. */
export function eventWindow({ from, to }: Window): Window {
  if (to < from || to < 0 || from > EVENT_SECONDS_MAX) return { from: 1, to: 0 };
  return { from: Math.max(from, 0), to: Math.min(to, EVENT_SECONDS_MAX) };
}
