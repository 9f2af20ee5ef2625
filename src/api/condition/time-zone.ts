/** The time zone in which a request counts its days, weeks and months. */
import { QuarryError, quoted } from '../../base/index.js';
import { WEEK_STARTS } from '../../interface/index.js';
import { type Period, PeriodCalendar, ZoneOffsets } from '../../schema/index.js';

/** Names whose clocks are those of UTC. */
const UTC = /^(etc\/)?(utc|uct|zulu|universal)$/i;

export type WeekStart = (typeof WEEK_STARTS)[number];

/** The zone with an IANA name, by default UTC. `prefix`: what stands before the name of the field. Throws 9101. */
export function readZone(name: string | null | undefined, prefix: string): ZoneOffsets {
  try {
    return new ZoneOffsets(name ?? 'UTC', false);
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    throw new QuarryError(9101, `${prefix}time-zone ${quoted(name ?? '')} is not the name of a time zone`);
  }
}

export const calendarIn = (
  zone: ZoneOffsets,
  period: Period,
  weekStart: WeekStart | null | undefined,
): PeriodCalendar => new PeriodCalendar(zone, period, WEEK_STARTS.indexOf(weekStart ?? 'monday'));

/** A time zone and the first day of its weeks, as far as they are not those of UTC. */
export interface LocalTime {
  /** null = UTC. */
  readonly zone: ZoneOffsets | null;
  readonly weekStart: WeekStart;
}

/** The fields `time-zone` and `week-start`. Throws 9101. */
export const readLocalTime = (
  name: string | null | undefined,
  weekStart: WeekStart | null | undefined,
  prefix: string,
): LocalTime => ({
  zone: name === undefined || name === null || UTC.test(name) ? null : readZone(name, prefix),
  weekStart: weekStart ?? 'monday',
});
