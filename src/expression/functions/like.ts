/** LIKE: % matches any text, _ any one code point. Time is linear in the length of the text; see like-search.ts. */
import type { BooleanVector, TextVector } from '../../vector/index.js';
import { expressionError, PATTERN_POINTS_MAX } from '../error.js';
import { isValid } from '../validity.js';
import { ANY, matchAt, pointsBefore, type Search, type Steps, searchOf } from './like-search.js';

/** A pattern split at its % signs. */
interface Pattern {
  readonly first: Steps;
  /** null = the pattern has no %, and `first` must match the whole text. */
  readonly last: Steps | null;
  readonly lastPoints: number;
  readonly middle: readonly Search[];
}

/** Compiles a pattern. Throws 6000 if it is too long or ends with its escape character. */
export function likeMatcher(
  pattern: string,
  escapedBy: string | null,
): (vector: TextVector) => BooleanVector {
  const compiled = compilePattern(pattern, escapedBy);
  return (vector) => matchTexts(compiled, vector);
}

/** The number of compiled patterns that one call remembers. */
const PATTERNS_MAX = 256;

/** LIKE with patterns that differ by row: (text, pattern[, escape character]). Throws 6000 like `likeMatcher`. */
export function makeLike(): (text: string, pattern: string, escapedBy?: string) => boolean {
  const known = new Map<string, Pattern>();
  return (text, written, escapedBy) => {
    let pattern = known.get(written);
    if (pattern === undefined) {
      if (known.size === PATTERNS_MAX) known.clear();
      pattern = compilePattern(written, escapedBy ?? null);
      known.set(written, pattern);
    }
    const bytes = Buffer.from(text, 'utf8');
    return matches(pattern, bytes, 0, bytes.length);
  };
}

function compilePattern(pattern: string, escapedBy: string | null): Pattern {
  const parts = splitPattern(pattern, escapedBy);
  const first = stepsOf(parts[0]);
  if (parts.length === 1) return { first, last: null, lastPoints: 0, middle: [] };
  const last = parts[parts.length - 1];
  const middle = parts.slice(1, -1).filter(({ length }) => length > 0);
  return {
    first,
    last: stepsOf(last),
    lastPoints: last.length,
    middle: middle.map((part) => searchOf(stepsOf(part))),
  };
}

/** A character to match, or null for _. */
type Point = string | null;

function splitPattern(pattern: string, escapedBy: string | null): Point[][] {
  const parts: Point[][] = [[]];
  let escaped = false;
  let count = 0;
  for (const character of pattern) {
    if (++count > PATTERN_POINTS_MAX) {
      throw expressionError(
        `a pattern of LIKE has more than ${PATTERN_POINTS_MAX.toLocaleString('en')} characters`,
      );
    }
    if (!escaped && character === escapedBy) escaped = true;
    else {
      if (!escaped && character === '%') parts.push([]);
      else parts[parts.length - 1].push(!escaped && character === '_' ? null : character);
      escaped = false;
    }
  }
  if (escaped) throw expressionError('a pattern of LIKE ends with its escape character');
  return parts;
}

const stepsOf = (part: readonly Point[]): Steps =>
  Int16Array.from(part.flatMap((point) => (point === null ? [ANY] : [...Buffer.from(point, 'utf8')])));

function matchTexts(pattern: Pattern, { codes, texts, valid, count }: TextVector): BooleanVector {
  const { offsets, bytes } = texts.utf8;
  const bits = new Uint8Array(count);
  for (let row = 0; row < count; row++) {
    if (!isValid(valid, row)) continue;
    const code = codes === null ? row : codes[row];
    bits[row] = matches(pattern, bytes, offsets[code], offsets[code + 1]) ? 1 : 0;
  }
  return { kind: 'boolean', count, valid, bits };
}

function matches(pattern: Pattern, bytes: Uint8Array, from: number, end: number): boolean {
  const { first, last, lastPoints, middle } = pattern;
  let at = matchAt(first, bytes, from, end);
  if (at === -1) return false;
  if (last === null) return at === end;
  const lastStart = pointsBefore(bytes, at, end, lastPoints);
  if (lastStart === -1 || matchAt(last, bytes, lastStart, end) !== end) return false;
  for (const search of middle) {
    at = search(bytes, at, lastStart);
    if (at === -1) return false;
  }
  return true;
}
