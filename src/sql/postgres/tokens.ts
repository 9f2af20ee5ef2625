/**
 * Tokens of the Postgres dialect: those of tokens.ts, except that double quotes always form a name, `::`, `~~` and `$1` are signs,
 * and strings may be E'...'.
 * Operators that only catalog queries use are signs, too; the translation refuses them (refuseForeign).
 * Invariants: those of tokens.ts; a parameter is a sign whose text is `$` and digits.
 */
import { quoted } from '../../base/index.js';
import { type Cursor, isDigit } from '../cursor.js';
import { TOKENS_MAX } from '../limits.js';
import { sqlError } from '../sql-error.js';
import { foreignSign, nextToken, type Token } from '../tokens.js';

const DOUBLE_QUOTE = 34;
const DOLLAR = 36;
const QUOTE = 39;

/** LIKE and ILIKE as operators, longest first; clients use them to list tables. */
const LIKE_SIGNS: readonly (readonly [string, readonly string[]])[] = [
  ['!~~*', ['NOT', 'LIKE']],
  ['!~~', ['NOT', 'LIKE']],
  ['~~*', ['LIKE']],
  ['~~', ['LIKE']],
];

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Reads the next token, or several for a combined operator; at the end of the text, a token of kind 'end'. */
export function nextPostgresTokens(cursor: Cursor): readonly Token[] {
  cursor.skip();
  return isArrayAhead(cursor) ? arrayTokens(cursor) : plainTokens(cursor);
}

/** `cursor` is at the first character of a token. */
function plainTokens(cursor: Cursor): readonly Token[] {
  const { text, at, code } = cursor;
  const position = cursor.position();
  if (code === DOUBLE_QUOTE) {
    const name = cursor.quoted(DOUBLE_QUOTE, 'name');
    if (name === '') throw sqlError('a name in double quotes has at least one character', position);
    return [{ kind: 'bracketed', text: name, upper: '', position }];
  }
  if (text.startsWith('::', at)) {
    cursor.pass(2);
    return [{ kind: 'sign', text: '::', upper: '', position }];
  }
  if (code === DOLLAR) return [dollarQuoted(cursor) ?? parameter(cursor)];
  if ((code | 32) === 101 && text.charCodeAt(at + 1) === QUOTE) return [escaped(cursor)];
  const foreign = foreignAt(cursor);
  if (foreign !== null) return [foreign];
  const like = LIKE_SIGNS.find(([sign]) => text.startsWith(sign, at));
  if (like === undefined) return [nextToken(cursor)];
  cursor.pass(like[0].length);
  return like[1].map((word) => ({ kind: 'word', text: word, upper: word, position }));
}

/** Whether ARRAY[ follows. */
function isArrayAhead({ text, at, code }: Cursor): boolean {
  if ((code | 32) !== 97) return false;
  const array = /ARRAY\s*\[/iy;
  array.lastIndex = at;
  return array.test(text);
}

/** Reads ARRAY[...], in which brackets are signs. */
function arrayTokens(cursor: Cursor): readonly Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  do {
    cursor.skip();
    if (cursor.ended) return tokens;
    if (tokens.length > TOKENS_MAX) throw sqlError('the array has too many elements', cursor.position());
    const isEnd = cursor.text[cursor.at] === ']';
    const begins = isArrayAhead(cursor);
    if (begins) {
      const position = cursor.position();
      tokens.push({ kind: 'word', text: cursor.bareName(), upper: 'ARRAY', position });
    }
    if (begins || isEnd) {
      cursor.skip();
      tokens.push({ kind: 'sign', text: isEnd ? ']' : '[', upper: '', position: cursor.position() });
      cursor.pass(1);
      depth += isEnd ? -1 : 1;
    } else tokens.push(...plainTokens(cursor));
  } while (depth > 0);
  return tokens;
}

/** Operators that our SQL does not have, and empty brackets. */
const FOREIGN = /(?!!=|\|\||!?~~\*?(?![~!@#&|^?]))(?:!?~\*?(?![~!@#&|^?*])|[~!@#&|^?:`{}\\]+)|\[\]/;

function foreignAt(cursor: Cursor): Token | null {
  const position = cursor.position();
  const sign = new RegExp(FOREIGN, 'y');
  sign.lastIndex = cursor.at;
  const found = sign.exec(cursor.text);
  if (found === null) return null;
  cursor.pass(found[0].length);
  return { kind: 'sign', text: found[0], upper: '', position };
}

/** Operators of our SQL that consist of these characters. */
const OWN_SIGNS: readonly string[] = ['||', '::', '&', '|', '#', '^', '~', '~*', '!~', '!~*'];

/** Throws 6000 for the first operator that our SQL does not have. */
export function refuseForeign(tokens: readonly Token[]): void {
  for (const { kind, text, position } of tokens) {
    if (kind !== 'sign' || !/^[~!@#&|^?:`{}\\[]/.test(text) || OWN_SIGNS.includes(text)) continue;
    throw sqlError(foreignSign(text, 0) ?? `the operator ${quoted(text)} is not available`, position);
  }
}

/** Reads $$...$$ or $tag$...$tag$, in which nothing is escaped; null = the $ begins a parameter. */
function dollarQuoted(cursor: Cursor): Token | null {
  const { text, at } = cursor;
  const position = cursor.position();
  const tag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
  tag.lastIndex = at;
  const mark = tag.exec(text)?.[0];
  if (mark === undefined) return null;
  const end = text.indexOf(mark, at + mark.length);
  if (end === -1) throw sqlError('the string that begins here has no end', position);
  cursor.pass(end + mark.length - at);
  return { kind: 'single', text: text.slice(at + mark.length, end), upper: '', position };
}

function parameter(cursor: Cursor): Token {
  const { text, at } = cursor;
  const position = cursor.position();
  let end = at + 1;
  while (isDigit(text.charCodeAt(end))) end++;
  if (end === at + 1) throw sqlError('$ begins neither a parameter nor a $tag$', position);
  cursor.pass(end - at);
  return { kind: 'sign', text: text.slice(at, end), upper: '', position };
}

/** Reads E'...', in which a backslash escapes the next character. */
function escaped(cursor: Cursor): Token {
  const { text, at } = cursor;
  const position = cursor.position();
  let inside = '';
  let end = at + 2;
  for (;;) {
    const unit = text[end];
    if (unit === undefined) throw sqlError('the string that begins here has no end', position);
    if (unit === "'" && text[end + 1] !== "'") break;
    const follows = text[end + 1] ?? '';
    if (unit === '\\' && /[0-9xuU]/.test(follows)) {
      throw sqlError(`the escape \\${follows} is not available; write the character itself`, position);
    }
    const isPair = unit === "'" || unit === '\\';
    inside += unit === '\\' ? (ESCAPES.get(follows) ?? follows) : unit;
    end += isPair ? 2 : 1;
  }
  cursor.pass(end + 1 - at);
  return { kind: 'single', text: inside, upper: '', position };
}
