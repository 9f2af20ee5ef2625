/**
 * Text functions on single strings. Positions and lengths count code points; a result that would be too long is refused
 * before it is built.
 */
import { codePointCount } from '../../schema/index.js';
import { TEXT_CHARS_MAX, tooLongText } from '../error.js';

/** All space characters (category Zs) without tabs and line ends, which is what DuckDB trims. */
const SPACES: ReadonlySet<string> = new Set(
  ' \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
);

/** Replaces each code point by its simple upper-case mapping. */
export function upper(text: string): string {
  if (isAscii(text)) return text.toUpperCase();
  let mapped = '';
  for (const character of text)
    mapped += String.fromCodePoint(upperCodePoint(character.codePointAt(0) as number));
  return mapped;
}

function upperCodePoint(point: number): number {
  const mapped = String.fromCodePoint(point).toUpperCase();
  const first = mapped.codePointAt(0) as number;
  return mapped.length === (first > 0xffff ? 2 : 1) ? first : point;
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) >= 0x80) return false;
  return true;
}

/** Removes leading and trailing code points that are in `characters` (null: spaces). */
export function trim(text: string, characters: string | null, left: boolean, right: boolean): string {
  const set = characters === null ? SPACES : new Set(characters);
  // Each space is a single UTF-16 unit, and most texts have none at their ends.
  const points = characters === null ? text : Array.from(text);
  let from = 0;
  let to = points.length;
  if (left) while (from < to && set.has(points[from])) from++;
  if (right) while (to > from && set.has(points[to - 1])) to--;
  if (from === 0 && to === points.length) return text;
  return typeof points === 'string' ? points.slice(from, to) : points.slice(from, to).join('');
}

/** Code points [from, to), clamped to the text. */
export function pointsBetween(text: string, from: number, to: number): string {
  const start = Math.max(from, 0);
  if (to <= start) return '';
  if (codePointCount(text) === text.length) return text.slice(start, to);
  const first = unitOf(text, 0, start);
  return text.slice(first, unitOf(text, first, to - start));
}

/** The UTF-16 index of the code point that is `points` code points after index `from`. */
export function unitOf(text: string, from: number, points: number): number {
  let unit = from;
  for (let left = points; left > 0 && unit < text.length; left--) {
    unit += (text.codePointAt(unit) as number) > 0xffff ? 2 : 1;
  }
  return unit;
}

/**
 * Returns `length` code points from `start`, where 1 is the first and -1 the last (null length: to the end; negative length:
 * the code points before `start`). Positions before the text count towards `length`.
 */
export function substring(text: string, start: number, length: number | null): string {
  const from = start > 0 ? start - 1 : start < 0 ? codePointCount(text) + start : -1;
  if (length === null) return pointsBetween(text, from, text.length);
  return length < 0
    ? pointsBetween(text, from + length, Math.min(from, text.length))
    : pointsBetween(text, from, from + length);
}

/** The first `count` code points; negative: all but the last -`count`. */
export function left(text: string, count: number): string {
  return pointsBetween(text, 0, count < 0 ? codePointCount(text) + count : count);
}

/** The last `count` code points; negative: all but the first -`count`. */
export function right(text: string, count: number): string {
  return pointsBetween(text, count < 0 ? -count : codePointCount(text) - count, text.length);
}

/** Replaces all occurrences from left to right; an empty text has none. */
export function replace(text: string, what: string, by: string): string {
  if (what === '') return text;
  if (by.length > what.length) {
    let length = text.length;
    for (let at = text.indexOf(what); at !== -1; at = text.indexOf(what, at + what.length)) {
      length += by.length - what.length;
    }
    limitLength(length);
  }
  return text.replaceAll(what, () => by);
}

export const reverse = (text: string): string => Array.from(text).reverse().join('');

/** The position of `what`, counted from 1; 0 = not found. An empty text is found at 1. */
export function position(what: string, where: string): number {
  const at = where.indexOf(what);
  return at === -1 ? 0 : codePointCount(where.slice(0, at)) + 1;
}

/** Cuts or fills a text to `length` code points by repeating `filler`; with an empty filler it stays shorter. */
export function pad(text: string, length: number, filler: string, side: 'left' | 'right'): string {
  if (length > TEXT_CHARS_MAX) throw tooLongText();
  const have = codePointCount(text);
  if (length <= have) return pointsBetween(text, 0, length);
  const step = codePointCount(filler);
  if (step === 0) return text;
  const times = Math.ceil((length - have) / step);
  const filled = pointsBetween(filler.repeat(times), 0, length - have);
  return side === 'left' ? filled + text : text + filled;
}

export function repeat(text: string, times: number): string {
  if (times <= 0 || text === '') return '';
  limitLength(text.length * times);
  return text.repeat(times);
}

/** Throws 6000 if a text is too long, measured in UTF-16 units. */
export function limitLength(length: number): void {
  if (length > TEXT_CHARS_MAX) throw tooLongText();
}
