/** The fields that all questions share, at random, and intervals that fit them. */
import type { Prng } from '../../src/base/index.js';
import { randomQuery } from './condition-lists.js';
import { type GeneratedHistory, ZONES } from './histories.js';
import { windowOf } from './model/periods.js';
import type { Shared, Unit, Weekday } from './model/question.js';
import { textOfInstant } from './random-parts.js';

const DAY = 86_400;
/** More periods make an answer longer, not more telling. */
const PERIODS_MAX = 40;
const UNIT_SECONDS: Readonly<Record<Unit, number>> = {
  minutes: 60,
  hours: 3600,
  days: DAY,
  weeks: 7 * DAY,
  months: 30 * DAY,
  quarters: 91 * DAY,
  years: 365 * DAY,
};

/** The fields of all questions, with `between` at that probability. */
export function sharedOf(prng: Prng, world: GeneratedHistory, betweenChance: number): Shared {
  const zone = prng.chance(0.7) ? world.zone : prng.pick(ZONES);
  const shared: Shared = {
    dimension: world.dimension,
    ...(prng.chance(0.2) && { query: randomQuery(prng, world) }),
    ...((zone !== 'UTC' || prng.chance(0.3)) && { 'time-zone': zone }),
    ...(prng.chance(0.2) && {
      'week-start': prng.pick<Weekday>(['sunday', 'monday', 'wednesday', 'saturday']),
    }),
  };
  if (!prng.chance(betweenChance)) return shared;
  const between = [textOfInstant(prng, world), textOfInstant(prng, world)] as const;
  const [from, to] = between.map((text) => windowOf({ ...shared, between: [text, text] })[0]);
  return { ...shared, between: from <= to ? between : [between[1], between[0]] };
}

/** An interval that divides `between` into not too many periods. */
export function unitOf(prng: Prng, shared: Shared): Unit {
  const [from, to] = windowOf(shared);
  const units = (Object.keys(UNIT_SECONDS) as Unit[]).filter((unit) => {
    // A clock that is set by half an hour leaves no full hours.
    if (unit === 'hours' && shared['time-zone'] === 'Australia/Lord_Howe') return false;
    return (to - from) / UNIT_SECONDS[unit] <= PERIODS_MAX;
  });
  return prng.pick(units);
}
