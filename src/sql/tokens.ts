/**
 * Tokens of a statement, each with its source position.
 * Invariants: a list of tokens ends with a token of kind 'end' after the last one; `upper` is set only for bare words of ASCII
 * letters, so that the upper case of another letter (ı, ſ) cannot form a keyword; names in brackets and literals are never
 * keywords.
 */
import { quoted } from '../base/index.js';
import { type Cursor, isDigit, isNameStart } from './cursor.js';
import { NAME_UNITS_MAX, TOKENS_MAX } from './limits.js';
import { sqlError } from './sql-error.js';
import type { SourcePosition } from './tree.js';

export type TokenKind = 'word' | 'bracketed' | 'number' | 'single' | 'double' | 'sign' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** The text as written; for quoted tokens the contents, for numbers the digits. */
  readonly text: string;
  /** The upper case of bare words; otherwise ''. */
  readonly upper: string;
  readonly position: SourcePosition;
  /** A schema stood before the name. */
  readonly ofSchema?: true;
}

const QUOTE = 39;
const DOUBLE_QUOTE = 34;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;
const POINT = 46;

const ONE_UNIT_SIGNS = '()*,.+-/%<>=;&|#^~';
const TWO_UNIT_SIGNS = ['->>', '->', '!~*', '!~', '~*', '<>', '!=', '<=', '>=', '||', '::', '<<', '>>'];

/** Operators of other dialects, and their replacement. */
const FOREIGN_SIGNS: readonly (readonly [string, string])[] = [
  ['==', 'values are compared with a single ='],
  ['`', 'backticks are not available; write names in [brackets]'],
  ['@', 'variables are not available'],
  [':', 'parameters are not available; write the value itself'],
  ['?', 'parameters are not available; write the value itself'],
];

/** The error message for an operator of another dialect at `at`; null = none. */
export function foreignSign(text: string, at: number): string | null {
  return FOREIGN_SIGNS.find(([begin]) => text.startsWith(begin, at))?.[1] ?? null;
}

const ASCII_NAME = /^[A-Za-z_]+$/;

/** Reads the next token after white space and comments; at the end of the text, a token of kind 'end'. */
export function nextToken(cursor: Cursor): Token {
  cursor.skip();
  const position = cursor.position();
  const { code } = cursor;
  const token = (kind: TokenKind, text: string, upper = ''): Token => ({ kind, text, upper, position });
  if (cursor.ended) return token('end', '');
  if (isDigit(code)) return token('number', cursor.number());
  if (code === QUOTE) return token('single', cursor.quoted(QUOTE, 'string'));
  if (code === DOUBLE_QUOTE) return token('double', cursor.quoted(DOUBLE_QUOTE, 'name or string'));
  if (code === OPENING_BRACKET && isArray(cursor)) {
    cursor.openArrays++;
    cursor.pass(1);
    return token('sign', '(');
  }
  if (code === CLOSING_BRACKET && cursor.openArrays > 0) {
    cursor.openArrays--;
    cursor.pass(1);
    return token('sign', ')');
  }
  if (code === OPENING_BRACKET) return bracketed(cursor, position);
  if (isNameStart(code)) return word(cursor, position);
  if (code === POINT && isDigit(cursor.text.charCodeAt(cursor.at + 1))) {
    return token('number', cursor.number());
  }
  return sign(cursor, position);
}

/** Whether the bracket at the cursor belongs to ARRAY[...], which is read as a call. */
const isArray = ({ text, at }: Cursor): boolean =>
  /(?<![\p{L}\p{N}_$.\]])ARRAY$/iu.test(text.slice(Math.max(0, at - 6), at));

function bracketed(cursor: Cursor, position: SourcePosition): Token {
  const text = cursor.quoted(CLOSING_BRACKET, 'name in brackets');
  if (text === '') throw sqlError('a name in [brackets] has at least one character', position);
  refuseLong(text, position);
  return { kind: 'bracketed', text, upper: '', position };
}

function word(cursor: Cursor, position: SourcePosition): Token {
  const text = cursor.bareName();
  // N'...' is an ordinary string.
  if ((text === 'N' || text === 'n') && cursor.code === QUOTE) {
    return { kind: 'single', text: cursor.quoted(QUOTE, 'string'), upper: '', position };
  }
  refuseLong(text, position);
  return { kind: 'word', text, upper: ASCII_NAME.test(text) ? text.toUpperCase() : '', position };
}

function refuseLong(name: string, position: SourcePosition): void {
  if (name.length > NAME_UNITS_MAX) {
    throw sqlError(`a name has at most ${NAME_UNITS_MAX} characters, not ${name.length}`, position);
  }
}

function sign(cursor: Cursor, position: SourcePosition): Token {
  const { text, at } = cursor;
  const foreign = foreignSign(text, at);
  const two = TWO_UNIT_SIGNS.find((each) => text.startsWith(each, at));
  if (foreign !== null && two === undefined) throw sqlError(foreign, position);
  const found = two ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (two === undefined && !ONE_UNIT_SIGNS.includes(found)) {
    throw sqlError(`the character ${quoted(found)} has no meaning in SQL`, position);
  }
  cursor.pass(found.length);
  return { kind: 'sign', text: found === '!=' ? '<>' : found, upper: '', position };
}

/** The number of tokens as which a regular expression counts, because it is compiled while it is bound. */
const REGEX_TOKENS = 1_000;

/** The number of tokens as which a token counts. */
export const costOf = ({ kind, text, upper }: Token): number =>
  (kind === 'sign' ? /^!?~/.test(text) : /^(?:REGEXP_|SIMILAR)/.test(upper)) ? REGEX_TOKENS : 1;

/**
 * Reads the tokens from `first` to the `;` that ends its statement, which is consumed, or to the end of the text.
 * `budget.tokens` is the body's remaining limit.
 */
export function statementTokens(cursor: Cursor, first: Token, budget: { tokens: number }): readonly Token[] {
  const tokens: Token[] = [];
  let token = first;
  while (token.kind !== 'end' && !(token.kind === 'sign' && token.text === ';')) {
    budget.tokens -= costOf(token);
    if (budget.tokens < 0) {
      const what = `the body has more than ${TOKENS_MAX} words, names, literals and signs outside of INSERTs`;
      throw sqlError(what, token.position);
    }
    tokens.push(token);
    token = nextToken(cursor);
  }
  tokens.push({ kind: 'end', text: '', upper: '', position: token.position });
  return tokens;
}

export const isSign = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'sign' && token.text === text;

/** The token in the form that messages quote. */
export function shown(token: Token): string {
  if (token.kind === 'end') return 'the end of the statement';
  if (token.kind === 'single') return `the string ${quoted(token.text)}`;
  return quoted(token.kind === 'bracketed' ? `[${token.text}]` : token.text);
}

/** The error 'found "FORM" where a comma is expected'. */
export const unexpected = (
  token: Token,
  expected: string,
  more: Readonly<Record<string, unknown>> = {},
): Error => sqlError(`found ${shown(token)} where ${expected} is expected`, token.position, more);
