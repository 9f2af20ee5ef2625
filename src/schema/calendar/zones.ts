/**
 * Offsets of IANA time zones. The rules come from the runtime's Intl; each year in use gets a table of its transitions once,
 * so that a row costs a comparison if it is in the same period as the row before it, and otherwise a look-up.
 * Years repeat after 400 years (a whole number of weeks), and before 1830 no zone had a transition: so at most about 1,000
 * tables exist per zone.
 */
import { quoted, rememberLast } from '../../base/index.js';
import { SECONDS_PER_DAY } from '../dates.js';
import { packedDate, yearOf } from './civil.js';
import { dateError } from './date-fields.js';

const YEAR_FIRST = 1_830;
/** From this year on, the rules of a year are those of the year 400 years before. */
const YEAR_END = 2_800;
const CYCLE_YEARS = 400;
const CYCLE_SECONDS = 146_097 * SECONDS_PER_DAY;
/** Distance of the samples between which a transition is searched for; no zone had two transitions within it. */
const SAMPLE_SECONDS = 2 * SECONDS_PER_DAY;

/** Abbreviations that PostgreSQL reads as a fixed offset, unlike the zone of the same name. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['CET', 'EET', 'MET', 'WET']);

/** Periods of constant offset that cover a year, in order. */
interface Year {
  /** The first second of each period; the first period begins with the year or before. */
  readonly starts: readonly number[];
  /** In seconds east of UTC. */
  readonly offsets: readonly number[];
  /** The end of the last period. */
  readonly end: number;
}

export class ZoneOffsets {
  readonly #format: Intl.DateTimeFormat;
  readonly #years = new Map<number, Year>();
  #from = 1;
  #until = 0;
  #offset = 0;

  /**
   * Throws 6000 if there is no such zone. `refusesAmbiguous`: also for names that PostgreSQL reads as a fixed offset.
   */
  constructor(zone: string, refusesAmbiguous = true) {
    this.#format = formatOf(zone, refusesAmbiguous);
  }

  /** The offset from UTC at an instant, both in seconds. */
  at(seconds: number): number {
    if (seconds >= this.#from && seconds < this.#until) return this.#offset;
    const year = yearOf(packedDate(Math.floor(seconds / SECONDS_PER_DAY)));
    if (year >= YEAR_END) {
      const cycles = Math.floor((year - YEAR_END) / CYCLE_YEARS) + 1;
      return this.at(seconds - cycles * CYCLE_SECONDS);
    }
    const { starts, offsets, end } = this.#year(Math.max(year, YEAR_FIRST));
    let index = starts.length - 1;
    while (index > 0 && seconds < starts[index]) index--;
    this.#from = index === 0 && year <= YEAR_FIRST ? -Infinity : starts[index];
    this.#until = starts[index + 1] ?? end;
    this.#offset = offsets[index];
    return this.#offset;
  }

  /** The local time at an instant, as seconds since 1970-01-01T00:00:00 of the zone's clocks. */
  localOf(seconds: number): number {
    return seconds + this.at(seconds);
  }

  /**
   * The instant of a local time. A time that the clocks skip is read with the offset before the transition, a time that they show
   * twice with the offset after it, as in PostgreSQL.
   */
  instantOf(local: number): number {
    const before = this.at(local - SECONDS_PER_DAY);
    const after = this.at(local + SECONDS_PER_DAY);
    return before === after || this.at(local - after) === after ? local - after : local - before;
  }

  #year(year: number): Year {
    const known = this.#years.get(year);
    if (known !== undefined) return known;
    const made = this.#periodsOf(year);
    this.#years.set(year, made);
    return made;
  }

  #periodsOf(year: number): Year {
    const begin = Date.UTC(year, 0, 1) / 1_000;
    const end = Date.UTC(year + 1, 0, 1) / 1_000;
    const starts = [begin];
    const offsets = [this.#computed(begin)];
    for (let from = begin; from < end; from += SAMPLE_SECONDS) {
      const to = Math.min(from + SAMPLE_SECONDS, end);
      const offset = this.#computed(to);
      if (offset === offsets[offsets.length - 1]) continue;
      starts.push(this.#transition(from, to, offset));
      offsets.push(offset);
    }
    return { starts, offsets, end };
  }

  /** The first second in (from, to] with the offset of `to`. */
  #transition(from: number, to: number, offset: number): number {
    let [low, high] = [from, to];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#computed(middle) === offset) high = middle;
      else low = middle;
    }
    return high;
  }

  /** Computes an offset from the fields of the zone's clocks. Slow. */
  #computed(seconds: number): number {
    const text = this.#format.format(seconds * 1_000);
    const [month, day, year, hour, minute, second] = text.match(/\d+/g)?.map(Number) ?? [];
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1_000 - seconds;
  }
}

function formatOf(zone: string, refusesAmbiguous: boolean): Intl.DateTimeFormat {
  const refused = (why: string): Error => dateError(`${quoted(zone)} ${why}`);
  // Signs of offsets mean the opposite in PostgreSQL: +2 is west of UTC.
  if (!/^[a-z]/i.test(zone)) {
    throw refused("is not a time zone; write its name, such as 'Europe/Berlin'");
  }
  if (refusesAmbiguous && AMBIGUOUS.has(zone.toUpperCase())) {
    throw refused("can be a fixed offset or a zone with summer time; write a place, such as 'Europe/Berlin'");
  }
  try {
    const numeric = 'numeric';
    return new Intl.DateTimeFormat('en-US', {
      ...({ year: numeric, month: numeric, day: numeric } as const),
      ...({ hour: numeric, minute: numeric, second: numeric, hourCycle: 'h23' } as const),
      timeZone: /^z(ulu)?$/i.test(zone) ? 'UTC' : zone,
    });
  } catch {
    throw refused(
      "is not a time zone that is known here; names are those of the IANA, such as 'Europe/Berlin'",
    );
  }
}

/** Returns offsets by the name of a zone; remembers the zones of a query. */
export function makeZones(): (zone: string) => ZoneOffsets {
  const known = new Map<string, ZoneOffsets>();
  return rememberLast((zone) => {
    const offsets = known.get(zone) ?? new ZoneOffsets(zone);
    known.set(zone, offsets);
    return offsets;
  });
}
