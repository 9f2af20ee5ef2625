/**
 * Calendar periods of a time zone: minutes, hours, days, weeks, months, quarters and years of the zone's clocks.
 * A day begins at its first existing instant. Hours and minutes have a fixed length and begin at full hours and minutes
 * of the clocks; an hour that the clocks show twice is two periods.
 */
import { civilFromDays, daysFromCivil, SECONDS_PER_DAY } from '../dates.js';
import type { ZoneOffsets } from './zones.js';

export const PERIODS = ['minutes', 'hours', 'days', 'weeks', 'months', 'quarters', 'years'] as const;
export type Period = (typeof PERIODS)[number];

const FIXED: Partial<Record<Period, number>> = { minutes: 60, hours: 3_600 };
const MONTHS: Partial<Record<Period, number>> = { months: 1, quarters: 3, years: 12 };

export class PeriodCalendar {
  readonly #zone: ZoneOffsets;
  readonly #period: Period;
  /** The first day of a week, counted from Monday. */
  readonly #weekStart: number;

  constructor(zone: ZoneOffsets, period: Period, weekStart: number) {
    this.#zone = zone;
    this.#period = period;
    this.#weekStart = weekStart;
  }

  /** The first instant of the period that contains an instant. */
  startOf(seconds: number): number {
    const fixed = FIXED[this.#period];
    if (fixed !== undefined) return this.#fixedStart(seconds, fixed);
    const day = this.#dayOf(seconds);
    return this.dayStart(this.#firstDay(day));
  }

  /** The first instant of the period after the one that begins at `start`. */
  after(start: number): number {
    const fixed = FIXED[this.#period];
    if (fixed !== undefined) return this.#fixedAfter(start, fixed);
    return this.dayStart(this.#dayAfter(this.#dayOf(start)));
  }

  /** The first instant of the period before the one that begins at `start`. */
  before(start: number): number {
    return this.startOf(start - 1);
  }

  /**
   * The starts of the periods that overlap [from, to], both ends included, and the end of the last one; empty if from > to. null =
   * there are more than `periodsMax`.
   */
  starts(from: number, to: number, periodsMax: number): number[] | null {
    if (from > to) return [];
    const starts = [this.startOf(from)];
    while (starts[starts.length - 1] <= to) {
      if (starts.length > periodsMax) return null;
      starts.push(this.after(starts[starts.length - 1]));
    }
    return starts;
  }

  #fixedStart(seconds: number, length: number): number {
    const local = this.#zone.localOf(seconds);
    const start = seconds - (local - Math.floor(local / length) * length);
    // A change of the offset by a part of the length begins a period.
    const offset = this.#zone.at(seconds);
    return (this.#zone.at(start) - offset) % length === 0 ? start : this.#transition(start, seconds);
  }

  #fixedAfter(start: number, length: number): number {
    const local = this.#zone.localOf(start);
    const next = start + length - (local - Math.floor(local / length) * length);
    const last = next - 1;
    return (this.#zone.at(last) - this.#zone.at(start)) % length === 0 ? next : this.#transition(start, last);
  }

  /** The first instant in (from, to] with the offset of `to`. */
  #transition(from: number, to: number): number {
    const offset = this.#zone.at(to);
    let [low, high] = [from, to];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#zone.at(middle) === offset) high = middle;
      else low = middle;
    }
    return high;
  }

  /** The day, counted from 1970-01-01, that has begun last at an instant. */
  #dayOf(seconds: number): number {
    const day = Math.floor(this.#zone.localOf(seconds) / SECONDS_PER_DAY);
    if (this.dayStart(day + 1) <= seconds) return day + 1;
    return this.dayStart(day) > seconds ? day - 1 : day;
  }

  /** The first instant at which the clocks show the day. */
  dayStart(day: number): number {
    const midnight = day * SECONDS_PER_DAY;
    const before = this.#zone.at(midnight - this.#zone.at(midnight) - SECONDS_PER_DAY);
    const after = this.#zone.at(midnight - this.#zone.at(midnight) + SECONDS_PER_DAY);
    if (before === after) return midnight - before;
    const from = midnight - this.#zone.at(midnight) - SECONDS_PER_DAY;
    const transition = this.#transition(from, from + 2 * SECONDS_PER_DAY);
    const early = midnight - before;
    return early < transition ? early : Math.max(transition, midnight - after);
  }

  #firstDay(day: number): number {
    // 1970-01-01 was a Thursday.
    if (this.#period === 'weeks') return day - ((((day + 3 - this.#weekStart) % 7) + 7) % 7);
    const months = MONTHS[this.#period];
    if (months === undefined) return day;
    const { year, month } = civilFromDays(day);
    return daysFromCivil(year, Math.floor((month - 1) / months) * months + 1, 1);
  }

  #dayAfter(day: number): number {
    if (this.#period === 'days') return day + 1;
    const first = this.#firstDay(day);
    if (this.#period === 'weeks') return first + 7;
    const { year, month } = civilFromDays(first);
    const total = year * 12 + month - 1 + (MONTHS[this.#period] ?? 1);
    return daysFromCivil(Math.floor(total / 12), (total % 12) + 1, 1);
  }
}

/** The index of the period that contains an instant, by the ascending starts of periods, the first of which is not later. */
export function periodIndex(starts: ArrayLike<number>, seconds: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= seconds) low = middle;
    else high = middle;
  }
  return low;
}
