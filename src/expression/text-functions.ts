/** Functions of texts, one at a time. Positions and lengths count code points; what gets too long is refused before it is made. */
import { codePointCount } from '../schema/index.js';
import { TEXT_CHARS_MAX, tooLongText } from './fault.js';

/** Spaces of every kind (category Zs), but no tabs or line ends: what DuckDB trims. */
const SPACES: ReadonlySet<string> = new Set(
  ' \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
);

/** Each code point by its simple upper-case mapping. */
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

/** Without what stands at the ends and is one of `characters` (null: spaces). */
export function trim(text: string, characters: string | null, left: boolean, right: boolean): string {
  const set = characters === null ? SPACES : new Set(characters);
  // Spaces are single units, and most texts have none at their ends.
  const points = characters === null ? text : Array.from(text);
  let from = 0;
  let to = points.length;
  if (left) while (from < to && set.has(points[from])) from++;
  if (right) while (to > from && set.has(points[to - 1])) to--;
  if (from === 0 && to === points.length) return text;
  return typeof points === 'string' ? points.slice(from, to) : points.slice(from, to).join('');
}

/** Code points [from, to), both brought within the text. */
function pointsBetween(text: string, from: number, to: number): string {
  const start = Math.max(from, 0);
  if (to <= start) return '';
  if (codePointCount(text) === text.length) return text.slice(start, to);
  const first = unitOf(text, 0, start);
  return text.slice(first, unitOf(text, first, to - start));
}

/** Where the code point `points` behind unit `from` begins. */
function unitOf(text: string, from: number, points: number): number {
  let unit = from;
  for (let left = points; left > 0 && unit < text.length; left--) {
    unit += (text.codePointAt(unit) as number) > 0xffff ? 2 : 1;
  }
  return unit;
}

/**
 * From `start`, 1 being the first and -1 the last, `length` code points (null: to the end; below 0: those before `start`).
 * A start before the text uses up its length there.
 */
export function substring(text: string, start: number, length: number | null): string {
  const from = start > 0 ? start - 1 : start < 0 ? codePointCount(text) + start : -1;
  if (length === null) return pointsBetween(text, from, text.length);
  return length < 0
    ? pointsBetween(text, from + length, Math.min(from, text.length))
    : pointsBetween(text, from, from + length);
}

/** The first `count`; below 0: all but the last ones. */
export function left(text: string, count: number): string {
  return pointsBetween(text, 0, count < 0 ? codePointCount(text) + count : count);
}

/** The last `count`; below 0: all but the first ones. */
export function right(text: string, count: number): string {
  return pointsBetween(text, count < 0 ? -count : codePointCount(text) - count, text.length);
}

/** Every occurrence, from left to right; of an empty text there are none. */
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

/** From 1; 0 = not there. An empty text stands at 1. */
export function position(what: string, where: string): number {
  const at = where.indexOf(what);
  return at === -1 ? 0 : codePointCount(where.slice(0, at)) + 1;
}

/** `length` code points: cut at its end, or filled up with `filler` over and over; with nothing to fill with it stays shorter. */
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

/** Throws 6000. UTF-16 units stand for characters here. */
export function limitLength(length: number): void {
  if (length > TEXT_CHARS_MAX) throw tooLongText();
}
