/**
 * AT TIME ZONE, which the reader turns into a call, and the same function under its name. An instant becomes the time
 * that the clocks of the zone show, a local time the instant.
 */
import { quoted } from '../../../base/index.js';
import type { Expression } from '../../../ir/index.js';
import { ZoneOffsets } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import { callOf, castOf, DATETIME, isTextConstant, LOCAL_TIME } from '../expressions/build.js';
import { castTo } from '../expressions/coerce.js';
import { type CallSite, positioned, type SqlFunction } from './function.js';

/** Names of UTC, whose clocks need no conversion. */
const UTC = /^(?:utc|etc\/utc|gmt|z|zulu|\+?00(?::?00)?)$/i;

const isUtc = (zone: Expression): boolean => isTextConstant(zone) && UTC.test(zone.value);

/** Throws 6000 with a source position for a constant that is not a zone. */
function checkZone(zone: Expression, site: CallSite): void {
  if (isTextConstant(zone) && !isUtc(zone)) positioned(site, () => new ZoneOffsets(zone.value));
}

const isLocal = ({ type }: Expression): boolean => type.type === 'datetime' && type.local === true;

/** The time that the zone's clocks show at an instant. */
export function localTime(instant: Expression, zone: Expression, site: CallSite): Expression {
  checkZone(zone, site);
  const datetime = castTo(instant, DATETIME, site.position);
  if (isUtc(zone)) return castOf(datetime, LOCAL_TIME);
  return callOf('local-time', LOCAL_TIME, [datetime, zone]);
}

/** The instant at which the zone's clocks show a local time. */
export function zoneInstant(local: Expression, zone: Expression, site: CallSite): Expression {
  checkZone(zone, site);
  const datetime = castTo(local, DATETIME, site.position);
  if (isUtc(zone)) return isLocal(datetime) ? castOf(datetime, DATETIME) : datetime;
  return callOf('zone-instant', DATETIME, [datetime, zone]);
}

/** Applies `make` to the local time of an instant, and returns the instant of its result. */
export function inZone(
  date: Expression,
  zone: Expression,
  site: CallSite,
  make: (local: Expression) => Expression,
): Expression {
  if (isLocal(date)) {
    const what = 'the result of AT TIME ZONE is a local time already; leave out one of the zones';
    throw sqlError(`${what}${isTextConstant(zone) ? ` (${quoted(zone.value)})` : ''}`, site.position);
  }
  return zoneInstant(make(localTime(date, zone, site)), zone, site);
}

export const ZONE_FUNCTIONS: readonly SqlFunction[] = [
  {
    names: ['timezone'],
    parameters: ['text', 'date'],
    make: ([zone, date], site) =>
      isLocal(date) ? zoneInstant(date, zone, site) : localTime(date, zone, site),
  },
  {
    // The operand is written as a time without a zone, such as CAST(... AS TIMESTAMP).
    names: ['timezone local'],
    parameters: ['text', 'date'],
    make: ([zone, date], site) => zoneInstant(date, zone, site),
  },
];
