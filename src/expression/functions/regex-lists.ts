/**
 * Functions of regular expressions that return lists, as JSON arrays, with PostgreSQL's rules: REGEXP_MATCH, REGEXP_MATCHES and
 * REGEXP_SPLIT_TO_ARRAY.
 */
import type { Regex, Search } from '../../regex/index.js';
import { expressionError, TEXT_CHARS_MAX, tooLongText } from '../error.js';
import { afterMatch, plainRegex } from './regex-calls.js';
import type { Deadline } from './row-function.js';

type ListOf = (text: string, pattern: string, options: string) => string | null;

/** The items of a JSON array, whose length is limited. Throws 6000. */
class Items {
  #json = '';

  add(item: string): void {
    this.#json += this.#json === '' ? item : `,${item}`;
    if (this.#json.length > TEXT_CHARS_MAX) throw tooLongText();
  }

  toString(): string {
    return `[${this.#json}]`;
  }
}

/** The texts of the groups in parentheses; of a pattern without groups, the match. */
function captured({ groupCount }: Regex, search: Search): string {
  const items = new Items();
  for (let group = Math.min(1, groupCount); group <= groupCount; group++) {
    items.add(JSON.stringify(search.group(group)));
  }
  return items.toString();
}

/** REGEXP_MATCH(text, pattern, options). */
export function makeRegexMatch(deadline: Deadline): ListOf {
  const regexOf = plainRegex();
  return (text, pattern, options) => {
    deadline.check();
    const regex = regexOf(pattern, options);
    if (regex.isGlobal) throw expressionError('REGEXP_MATCH does not take the option g; use REGEXP_MATCHES');
    const search = regex.search(text);
    return search.next(0) ? captured(regex, search) : null;
  };
}

/** The rows of REGEXP_MATCHES(text, pattern, options), as a list of lists. */
export function makeRegexMatches(deadline: Deadline): ListOf {
  const regexOf = plainRegex();
  return (text, pattern, options) => {
    const regex = regexOf(pattern, options);
    const search = regex.search(text);
    const rows = new Items();
    for (let at = 0; at <= text.length && search.next(at); at = afterMatch(text, search)) {
      deadline.check();
      rows.add(captured(regex, search));
      if (!regex.isGlobal) break;
    }
    return rows.toString();
  };
}

/** REGEXP_SPLIT_TO_ARRAY(text, pattern, options): empty matches at the ends and after another match do not divide the text. */
export function makeRegexSplit(deadline: Deadline): ListOf {
  const regexOf = plainRegex();
  return (text, pattern, options) => {
    const regex = regexOf(pattern, options);
    if (regex.isGlobal) throw expressionError('REGEXP_SPLIT_TO_ARRAY does not take the option g');
    const search = regex.search(text);
    const parts = new Items();
    let begun = 0;
    let matchedTo = 0;
    for (let at = 0; at <= text.length && search.next(at); at = afterMatch(text, search)) {
      deadline.check();
      const { start, end } = search;
      if (start < text.length && end > matchedTo) {
        parts.add(JSON.stringify(text.slice(begun, start)));
        begun = end;
      }
      matchedTo = end;
    }
    parts.add(JSON.stringify(text.slice(begun)));
    return parts.toString();
  };
}
