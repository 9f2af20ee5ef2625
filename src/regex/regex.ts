/**
 * Regular expressions with PostgreSQL's syntax, matched in linear time by RE2: no backtracking, no back references, no look-around.
 * One-pass patterns are matched by JavaScript's own engine, which is several times as fast (see one-pass.ts).
 * As in PostgreSQL, the match that begins first and is then longest is found. A pattern with a non-greedy quantifier is matched
 * as in Perl, by the preferences of its quantifiers. Limits: patterns have at most PATTERN_CHARS_MAX characters and
 * PROGRAM_STEPS_MAX instructions; one search takes at most SEARCH_STEPS_MAX instructions times characters. Positions are UTF-16
 * units.
 */
import { RE2JS } from 're2js';
import { QuarryError } from '../base/index.js';
import { onePass } from './one-pass.js';
import { type Options, optionsOf } from './options.js';
import { translated } from './translate.js';

const PATTERN_CHARS_MAX = 1_000;
/** Each takes up to a millisecond to compile. */
const UNICODE_CLASSES_MAX = 40;
const PROGRAM_STEPS_MAX = 2_000;
const SEARCH_STEPS_MAX = 2 ** 27;
/** JavaScript's engine keeps a position per repetition on a stack of limited size. */
const ONE_PASS_CHARS_MAX = 65_536;

/** Creates error 6000. */
const refused = (what: string): QuarryError => new QuarryError(6000, what, { message: what });

export class Regex {
  readonly #source: Source;
  readonly #pattern: RE2JS;
  readonly #programSteps: number;
  /** Compiled for the first search. */
  #longest: RE2JS | null;
  /** null = only RE2 matches the pattern in linear time. */
  readonly #onePass: RegExp | null;
  /** Whether all matches are meant (the option g). */
  readonly isGlobal: boolean;
  readonly groupCount: number;

  /** Throws 6000 for a pattern or an option that is not supported. */
  constructor(pattern: string, options = '') {
    if (pattern.length > PATTERN_CHARS_MAX) {
      const max = PATTERN_CHARS_MAX.toLocaleString('en');
      throw refused(`the regular expression has more than ${max} characters`);
    }
    this.#source = sourceOf(pattern, optionsOf(options));
    const { source, isLazy, flags } = this.#source;
    if ((source.match(/\\[pP]/g)?.length ?? 0) > 2 * UNICODE_CLASSES_MAX) {
      throw refused(
        `the regular expression has more than ${UNICODE_CLASSES_MAX} classes of letters such as \\w`,
      );
    }
    this.isGlobal = options.includes('g');
    this.#pattern = compiled(source, flags);
    this.#longest = isLazy ? this.#pattern : null;
    const isAnchoredByLine = (flags & RE2JS.MULTILINE) !== 0;
    const [dotAll, ignoreCase] = [RE2JS.DOTALL, RE2JS.CASE_INSENSITIVE].map((flag) => (flags & flag) !== 0);
    this.#onePass = isLazy || isAnchoredByLine ? null : onePass(source, { dotAll, ignoreCase });
    this.#programSteps = this.#pattern.programSize();
    this.groupCount = this.#pattern.groupCount();
    if (this.#programSteps > PROGRAM_STEPS_MAX) {
      throw refused('the regular expression is too large; use smaller counts in { }');
    }
  }

  /** Whether the text contains a match. */
  test(text: string): boolean {
    this.#checkSteps(text.length);
    if (this.#onePass !== null && text.length <= ONE_PASS_CHARS_MAX) return this.#onePass.test(text);
    return this.#pattern.test(text);
  }

  /** Returns a search over the text. */
  search(text: string): Search {
    this.#checkSteps(text.length);
    if (this.#onePass !== null && text.length <= ONE_PASS_CHARS_MAX) {
      return new OnePassSearch(this.#onePass, text);
    }
    this.#longest ??= compiled(this.#source.source, this.#source.flags | RE2JS.LONGEST_MATCH);
    return new LinearSearch(this.#longest, text);
  }

  #checkSteps(charCount: number): void {
    if (charCount * this.#programSteps <= SEARCH_STEPS_MAX) return;
    throw refused('a text is too long for so large a regular expression; shorten either');
  }
}

/** A search, and its last match. */
export interface Search {
  readonly start: number;
  readonly end: number;
  /** Finds the first match that begins at or after `from`. */
  next(from: number): boolean;
  /** The text of a group in parentheses, or of the match (0); null if the group took no part in the match. */
  group(index: number): string | null;
  /** The ends of a group that took part in the match. */
  groupStart(index: number): number;
  groupEnd(index: number): number;
}

/** The search for a pattern that matches at the beginning of a text only. */
class OnePassSearch implements Search {
  readonly #pattern: RegExp;
  readonly #text: string;
  #groups: RegExpExecArray | null = null;
  readonly start = 0;
  end = 0;

  constructor(pattern: RegExp, text: string) {
    this.#pattern = pattern;
    this.#text = text;
  }

  next(from: number): boolean {
    this.#groups = from === 0 ? this.#pattern.exec(this.#text) : null;
    this.end = this.#groups?.[0].length ?? 0;
    return this.#groups !== null;
  }

  group(index: number): string | null {
    return this.#groups?.[index] ?? null;
  }

  groupStart(index: number): number {
    return this.#ends(index)[0];
  }

  groupEnd(index: number): number {
    return this.#ends(index)[1];
  }

  #ends(index: number): readonly [number, number] {
    const { source, flags } = this.#pattern;
    return new RegExp(source, `${flags}d`).exec(this.#text)?.indices?.[index] ?? [-1, -1];
  }
}

class LinearSearch implements Search {
  readonly #matcher: ReturnType<RE2JS['matcher']>;
  start = 0;
  end = 0;

  constructor(pattern: RE2JS, text: string) {
    this.#matcher = pattern.matcher(text);
  }

  next(from: number): boolean {
    if (!this.#matcher.find(from)) return false;
    this.start = this.#matcher.start();
    this.end = this.#matcher.end();
    return true;
  }

  group(index: number): string | null {
    return this.#matcher.group(index);
  }

  groupStart(index: number): number {
    return this.#matcher.start(index);
  }

  groupEnd(index: number): number {
    return this.#matcher.end(index);
  }
}

interface Source {
  readonly source: string;
  readonly isLazy: boolean;
  readonly flags: number;
}

function sourceOf(pattern: string, options: Options): Source {
  const { source, isLazy, ignoresCase, newline } = translated(pattern, options, refused);
  let flags = ignoresCase ? RE2JS.CASE_INSENSITIVE : 0;
  if (newline === 'none' || newline === 'anchors') flags |= RE2JS.DOTALL;
  if (newline === 'all' || newline === 'anchors') flags |= RE2JS.MULTILINE;
  return { source, isLazy, flags };
}

function compiled(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refused(`the regular expression is not valid: ${readable(why)}`);
  }
}

/** A message of the library without its prefix and the options that it adds to the pattern. */
const readable = (message: string): string =>
  message
    .replace(/^error parsing regexp: /, '')
    .replace(/`(?:\(\?[a-z]+\))+/, '`')
    .slice(0, 200);
