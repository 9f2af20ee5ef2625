/**
 * Functions of regular expressions, with PostgreSQL's rules for positions and repeated matches: the search continues after a match,
 * and one character further if the match was empty. A vector that takes longer than VECTOR_MS_MAX is refused.
 */

import { rememberLast } from '../../base/index.js';
import { Regex, type Search, similarPattern } from '../../regex/index.js';
import { codePointCount } from '../../schema/index.js';
import { expressionError, TEXT_CHARS_MAX, tooLongText } from '../error.js';
import type { Deadline } from './row-function.js';
import { unitOf } from './text-functions.js';

/** The number of compiled patterns that one call remembers. */
const PATTERNS_MAX = 64;

type RegexOf = (pattern: string, options?: string) => Regex;

/** Returns a function that compiles each pattern once. */
function remembered(make: (pattern: string, options: string) => Regex): RegexOf {
  const known = new Map<string, Regex>();
  let last: { pattern: string; options: string; regex: Regex } | null = null;
  return (pattern, options = '') => {
    if (last !== null && last.pattern === pattern && last.options === options) return last.regex;
    const key = `${options}/${pattern}`;
    let regex = known.get(key);
    if (regex === undefined) {
      if (known.size === PATTERNS_MAX) known.clear();
      regex = make(pattern, options);
      known.set(key, regex);
    }
    last = { pattern, options, regex };
    return regex;
  };
}

export const plainRegex = (): RegexOf => remembered((pattern, options) => new Regex(pattern, options));

/** REGEXP_LIKE(text, pattern[, options]) and ~. */
export function makeRegexLike(
  deadline: Deadline,
): (text: string, pattern: string, options?: string) => boolean {
  const regexOf = plainRegex();
  return (text, pattern, options) => {
    deadline.check();
    const regex = regexOf(pattern, options);
    refuseGlobal(regex);
    return regex.test(text);
  };
}

/** SIMILAR TO: (text, pattern[, escape character]). */
export function makeSimilar(
  deadline: Deadline,
): (text: string, pattern: string, escapedBy?: string) => boolean {
  const regexOf = remembered((pattern, escapedBy) => new Regex(similarPattern(pattern, escapedBy)));
  return (text, pattern, escapedBy = '\\') => {
    deadline.check();
    return regexOf(pattern, escapedBy).test(text);
  };
}

/** The UTF-16 position of the `start`th character; -1 after the end. */
function unitAt(text: string, start: number): number {
  if (start < 1) throw expressionError(`the start of a regular expression must be at least 1, not ${start}`);
  if (start === 1) return 0;
  if (start > text.length + 1) return -1;
  const at = unitOf(text, 0, start - 1);
  return at === text.length && codePointCount(text) < start - 1 ? -1 : at;
}

/** Where the search continues after the last match. */
export function afterMatch(text: string, { start, end }: Search): number {
  if (start !== end) return end;
  return end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
}

/** Finds match `occurrence` (from 1) at or after unit `from`; null if there is none. */
function nthMatch(
  regex: Regex,
  text: string,
  from: number,
  occurrence: number,
  deadline: Deadline,
): Search | null {
  if (from === -1) return null;
  const search = regex.search(text);
  let at = from;
  for (let left = occurrence; ; left--) {
    deadline.check();
    if (at > text.length || !search.next(at)) return null;
    if (left === 1) return search;
    at = afterMatch(text, search);
  }
}

function checkOccurrence(occurrence: number): void {
  if (occurrence < 1) throw expressionError(`the number of a match must be at least 1, not ${occurrence}`);
}

function refuseGlobal(regex: Regex): void {
  if (regex.isGlobal)
    throw expressionError('the option g is available only in REGEXP_REPLACE and REGEXP_MATCHES');
}

/** REGEXP_SUBSTR(text, pattern, start, occurrence, options, group): null without such a match or group. */
export function makeRegexSubstring(
  deadline: Deadline,
): (
  text: string,
  pattern: string,
  start: number,
  occurrence: number,
  options: string,
  group: number,
) => string | null {
  const regexOf = plainRegex();
  return (text, pattern, start, occurrence, options, group) => {
    checkOccurrence(occurrence);
    if (group < 0) throw expressionError('the number of a group must not be negative');
    const regex = regexOf(pattern, options);
    refuseGlobal(regex);
    const found = nthMatch(regex, text, unitAt(text, start), occurrence, deadline);
    return found === null || group > regex.groupCount ? null : found.group(group);
  };
}

/** REGEXP_COUNT(text, pattern, start, options). */
export function makeRegexCount(
  deadline: Deadline,
): (text: string, pattern: string, start: number, options: string) => number {
  const regexOf = plainRegex();
  return (text, pattern, start, options) => {
    const regex = regexOf(pattern, options);
    refuseGlobal(regex);
    const from = unitAt(text, start);
    if (from === -1) return 0;
    const search = regex.search(text);
    let count = 0;
    for (let at = from; at <= text.length && search.next(at); at = afterMatch(text, search)) {
      deadline.check();
      count++;
    }
    return count;
  };
}

/** REGEXP_INSTR(text, pattern, start, occurrence, end, options, group): from 1; `end` 1: the position after the match; 0 = none. */
export function makeRegexPosition(
  deadline: Deadline,
): (...args: [string, string, number, number, number, string, number]) => number {
  const regexOf = plainRegex();
  return (text, pattern, start, occurrence, end, options, group) => {
    checkOccurrence(occurrence);
    if (end !== 0 && end !== 1) throw expressionError('the end option of REGEXP_INSTR is 0 or 1');
    if (group < 0) throw expressionError('the number of a group must not be negative');
    const regex = regexOf(pattern, options);
    refuseGlobal(regex);
    const found = nthMatch(regex, text, unitAt(text, start), occurrence, deadline);
    if (found === null || group > regex.groupCount || found.group(group) === null) return 0;
    const unit = end === 1 ? found.groupEnd(group) : found.groupStart(group);
    return codePointCount(text.slice(0, unit)) + 1;
  };
}

/** REGEXP_REPLACE(text, pattern, replacement, start, occurrence, options): occurrence 0 = all; -1 = by the option g. */
export function makeRegexReplace(
  deadline: Deadline,
): (...args: [string, string, string, number, number, string]) => string {
  const regexOf = plainRegex();
  const partsOf = rememberLast(replacementParts);
  return (text, pattern, replacement, start, occurrence, options) => {
    if (occurrence < -1) throw expressionError('the number of a match must not be negative');
    const regex = regexOf(pattern, options);
    const parts = partsOf(replacement);
    const from = unitAt(text, start);
    if (from === -1) return text;
    const nth = occurrence === -1 ? (regex.isGlobal ? 0 : 1) : occurrence;
    return replaced(regex, regex.search(text), text, { from, nth, parts }, deadline);
  };
}

/** Texts and numbers of groups; 0 = the whole match. */
function replacementParts(replacement: string): readonly (string | number)[] {
  const parts: (string | number)[] = [];
  let from = 0;
  for (const { 0: found, index } of replacement.matchAll(/\\(?:[1-9]|&|\\)/g)) {
    parts.push(replacement.slice(from, index));
    const second = found[1];
    parts.push(second === '\\' ? '\\' : second === '&' ? 0 : Number(second));
    from = index + 2;
  }
  parts.push(replacement.slice(from));
  return parts;
}

interface Replacing {
  readonly from: number;
  readonly nth: number;
  readonly parts: readonly (string | number)[];
}

/** Replaces match `nth` (0 = all) from unit `from` on. */
function replaced(
  { groupCount }: Regex,
  search: Search,
  text: string,
  { from, nth, parts }: Replacing,
  deadline: Deadline,
): string {
  let made = '';
  let copied = 0;
  let count = 0;
  for (let at = from; at <= text.length && search.next(at); at = afterMatch(text, search)) {
    deadline.check();
    if (nth !== 0 && ++count < nth) continue;
    made += text.slice(copied, search.start);
    for (const part of parts) {
      if (typeof part === 'string') made += part;
      else if (part <= groupCount) made += search.group(part) ?? '';
    }
    if (made.length > TEXT_CHARS_MAX) throw tooLongText();
    copied = search.end;
    if (nth !== 0) break;
  }
  return made + text.slice(copied);
}
