/** Formats numbers, bytes, durations and dates for people; the same for every language of the browser. */

const COUNT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });
const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

export const formatCount = (value: number | bigint): string => COUNT.format(value);
/** A short form of about five characters, for axes. */
export const formatShort = (value: number): string => SHORT.format(value);

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

export function formatBytes(bytes: number): string {
  let scaled = bytes;
  let unit = 0;
  while (scaled >= 1000 && unit < BYTE_UNITS.length - 1) {
    scaled /= 1000;
    unit++;
  }
  return `${unit === 0 || scaled >= 100 ? scaled.toFixed(0) : scaled.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 0.001) return `${(seconds * 1e6).toFixed(0)} µs`;
  if (seconds < 1) return `${(seconds * 1000).toFixed(seconds < 0.1 ? 1 : 0)} ms`;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  if (seconds < 7200) return `${(seconds / 60).toFixed(0)} min`;
  return seconds < 172_800 ? `${(seconds / 3600).toFixed(0)} h` : `${(seconds / 86_400).toFixed(0)} days`;
}

/** `2001-03-01T00:00:00Z` as `2001-03-01`, with the time where it is not midnight. */
export const formatMoment = (text: string): string =>
  text
    .replace(/[tT]00:00:00(\.0+)?[zZ]$/, '')
    .replace(/[tT](\d\d:\d\d)(:00)?[zZ]$/, ' $1')
    .replace(/[tT](\d\d:\d\d:\d\d)[zZ]$/, ' $1');

/** `2001-03-01T10:30:07.123Z` as `formatMoment` writes it without the fraction. */
export const formatSecond = (text: string): string => formatMoment(text.replace(/\.\d+Z$/, 'Z'));

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;
const MONTH_SECONDS = 28 * DAY_SECONDS;

/** A time in UTC on an axis with ticks every `stepSeconds`: only the parts that distinguish the ticks. */
export function momentTick(second: number, stepSeconds: number): string {
  const text = new Date(second * 1000).toISOString();
  if (stepSeconds >= MONTH_SECONDS) return text.slice(0, 7);
  if (stepSeconds >= DAY_SECONDS) return text.slice(0, 10);
  return stepSeconds >= MINUTE_SECONDS ? text.slice(11, 16) : text.slice(11, 19);
}

export const plural = (count: number | bigint, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 || count === 1n ? '' : 's'}`;

/** Round numbers from 0 to at least `most`, about `wanted` of them. */
export function ticksUpTo(most: number, wanted: number): number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0];
  const rough = most / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? power * 10;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}
