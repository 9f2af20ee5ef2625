/**
 * Local time by Intl.DateTimeFormat, searched rather than computed: an oracle that shares nothing with the calendar of
 * the server. Instants and local times are whole seconds; a local time is counted as if its clock showed UTC.
 */
const DAY = 86_400;
/** Local time differs from UTC by less than this, on either side. */
const OFFSET_MAX = 26 * 3600;

const formats = new Map<string, Intl.DateTimeFormat>();
const clocks = new Map<string, number>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  formats.set(zone, format);
  return format;
}

/** What a clock in the zone shows at the instant. */
export function localClock(instant: number, zone: string): number {
  if (zone === 'UTC') return instant;
  const key = `${zone} ${instant}`;
  const found = clocks.get(key);
  if (found !== undefined) return found;
  const text = formatOf(zone).format(instant * 1000);
  const [month, day, year, hour, minute, second] = text.match(/\d+/g)!.map(Number);
  const clock = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  clocks.set(key, clock);
  return clock;
}

/** Midnight that begins a day, counted as if in UTC. */
export const dayOf = (clock: number): number => Math.floor(clock / DAY) * DAY;

const begins = new Map<string, number>();

/**
 * The first instant at which the local date is that of `day` (a midnight as if in UTC) or a later one. If the zone skips
 * this date, that is the beginning of the next one.
 */
export function dayBegin(day: number, zone: string): number {
  if (zone === 'UTC') return day;
  const key = `${zone} ${day}`;
  const known = begins.get(key);
  if (known !== undefined) return known;
  const begin = searchDayBegin(day, zone);
  begins.set(key, begin);
  return begin;
}

/**
 * Looks at every quarter of an hour, then at every second of the quarter in which the date arrives. All zones since 1990
 * have whole quarters of an hour between their midnights and those of UTC, so that a date that a clock shows for a
 * minute only, before it is set back, is found too.
 */
function searchDayBegin(day: number, zone: string): number {
  const hasBegun = (instant: number): boolean => localClock(instant, zone) >= day;
  const offsets = [day - OFFSET_MAX, day + OFFSET_MAX].map((instant) => localClock(instant, zone) - instant);
  for (let quarter = day - Math.max(...offsets) - 2 * 3600; ; quarter += 900) {
    if (!hasBegun(quarter)) continue;
    let [before, from] = [quarter - 900, quarter];
    while (from - before > 1) {
      const middle = Math.floor((before + from) / 2);
      if (hasBegun(middle)) from = middle;
      else before = middle;
    }
    return from;
  }
}
