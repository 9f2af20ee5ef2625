/** What a client sends with a request for a live answer: `min-interval` in the query of the URL, and the header Last-Event-ID. */
import { QuarryError, quoted } from '../../base/index.js';

export interface LiveParameters {
  /** Milliseconds between two events. */
  readonly minIntervalMs: number;
  /** The LSN of the last event that the client has; null = it has none. */
  readonly lastEventId: number | null;
}

export const MIN_INTERVAL_MS_DEFAULT = 250;
export const MIN_INTERVAL_MS_LEAST = 10;
export const MIN_INTERVAL_MS_MAX = 3_600_000;

const MIN_INTERVAL = 'min-interval';
const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['ms', 1],
  ['sec', 1_000],
  ['min', 60_000],
  ['hr', 3_600_000],
]);

/**
 * `query`: that of the URL; `lastEventId`: the header, empty = none. A header that is no LSN is ignored: it comes from another
 * server. Throws 4049 for an unknown parameter or one that stands there twice, 9101 for a wrong value.
 */
export function liveParametersOf(query: string, lastEventId: string): LiveParameters {
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (name !== MIN_INTERVAL) {
      throw new QuarryError(4049, `the parameter ${quoted(name)} is unknown; there is ${MIN_INTERVAL}`);
    }
  }
  const texts = parameters.getAll(MIN_INTERVAL);
  if (texts.length > 1) throw new QuarryError(4049, `the parameter ${quoted(MIN_INTERVAL)} is given twice`);
  return {
    minIntervalMs: texts.length === 0 ? MIN_INTERVAL_MS_DEFAULT : millisecondsOf(texts[0]),
    lastEventId: /^[0-9]{1,15}$/.test(lastEventId) ? Number(lastEventId) : null,
  };
}

/** Throws 9101. */
function millisecondsOf(text: string): number {
  const [, digits, unit] = /^([0-9]{1,9})([a-z]*)$/.exec(text) ?? [];
  const milliseconds = Number(digits) * (UNIT_MS.get(unit) ?? Number.NaN);
  if (milliseconds >= MIN_INTERVAL_MS_LEAST && milliseconds <= MIN_INTERVAL_MS_MAX) return milliseconds;
  const range = `from ${MIN_INTERVAL_MS_LEAST} to ${MIN_INTERVAL_MS_MAX}`;
  throw new QuarryError(
    9101,
    `min-interval is ${quoted(text)}, not a number of milliseconds ${range}, such as 250, 500ms, 2sec or 1min`,
  );
}
