/** Durations in settings of Postgres: a number with an optional unit, by default milliseconds. */
const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
  ['ms', 1],
  ['us', 0.001],
]);
const DURATION = /^\s*(\d{1,15}(?:\.\d{1,9})?)\s*(us|ms|s|min|h|d)?\s*$/;
const MS_MAX = 2 ** 31 - 1;

/** Parses a duration to whole milliseconds; null = invalid or too long. */
export function durationMs(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null) return null;
  const ms = Math.round(Number(match[1]) * (UNIT_MS.get(match[2] ?? 'ms') ?? 1));
  return ms <= MS_MAX ? ms : null;
}

/** Formats a duration in the longest unit without a remainder: '0', '5s', '1500ms'. */
export function durationText(ms: number): string {
  if (ms === 0) return '0';
  const [unit, each] = [...UNIT_MS].find(([, unitMs]) => ms % unitMs === 0) ?? ['ms', 1];
  return `${ms / each}${unit}`;
}
