/** Times that the clocks of a time zone show, as milliseconds since 1970 as if they were in UTC. */
import { isList, isObject, type Json } from '../server/json.js';

/** Whether the browser knows the IANA name. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What the clocks of the zone show at an instant. */
export function localOf(instantMs: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const parts = Object.fromEntries(
    format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]),
  );
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
}

/** The instant at which the clocks of the zone show a time; of a time that they skip, one hour later or earlier. */
export function instantOf(localMs: number, timeZone: string): number {
  const guess = localMs - (localOf(localMs, timeZone) - localMs);
  return guess - (localOf(guess, timeZone) - localMs);
}

const textOf = (ms: number): string => new Date(ms).toISOString().replace('.000', '');

/** The text of an instant as that of the time in the zone. */
export const localText = (instant: string, timeZone: string): string =>
  timeZone === '' ? instant : textOf(localOf(Date.parse(instant), timeZone));

/** The text of an instant from that of the time in the zone. */
export const instantText = (local: string, timeZone: string): string =>
  timeZone === '' ? local : textOf(instantOf(Date.parse(local), timeZone));

/** An answer whose periods have the times of the zone. */
export function inZone(answer: Json, timeZone: string): Json {
  if (timeZone === '') return answer;
  if (isList(answer)) return answer.map((item) => inZone(item, timeZone));
  if (!isObject(answer)) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      name,
      name === 'between' && isList(value)
        ? value.map((text) => localText(String(text), timeZone))
        : inZone(value, timeZone),
    ]),
  );
}
