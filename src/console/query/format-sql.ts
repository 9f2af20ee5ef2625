/**
 * Formats SQL: a line for each clause and each condition, keywords in capitals, subqueries indented. Invariant: only blanks and
 * the case of keywords change, and blanks come and go only where that changes no meaning; texts, quoted names and comments stay.
 */
import { SQL_WORDS } from './complete.js';

const TOKEN =
  /(\s*)(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"[^"]*(?:"|$)|\[[^\]]*(?:\]|$)|[A-Za-z_]\w*|\S)/gy;
const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const KEYWORDS: ReadonlySet<string> = new Set([
  ...SQL_WORDS,
  ...words(
    'WITH RECURSIVE UNION ALL INTERSECT EXCEPT VALUES INSERT INTO UPDATE SET DELETE RETURNING INNER RIGHT FULL CROSS OUTER USING OVER PARTITION EXISTS',
  ),
]);
/** Words that begin a line. */
const CLAUSES = words(
  'SELECT FROM WHERE GROUP HAVING ORDER LIMIT OFFSET UNION INTERSECT EXCEPT SET RETURNING JOIN LEFT RIGHT FULL INNER CROSS',
);
/** Words after which they do not: LEFT JOIN, DELETE FROM, IS DISTINCT FROM, WITHIN GROUP. */
const JOINED = words('LEFT RIGHT FULL INNER CROSS OUTER DELETE DISTINCT WITHIN');
const INDENT = '  ';

/** The parentheses around the part of a statement, or the statement itself. */
interface Part {
  readonly isQuery: boolean;
  /** The clause that was written last. */
  clause: string;
  /** Whether the next AND belongs to BETWEEN. */
  isBetween: boolean;
}

/** The same statements in lines. */
export function formatSql(text: string): string {
  const tokens = [...text.matchAll(TOKEN)].map(([, blanks, token]) => ({ token, hadBlank: blanks !== '' }));
  const writer = new Writer();
  for (const [index, { token, hadBlank }] of tokens.entries()) {
    writer.add(token, hadBlank, tokens[index + 1]?.token.toUpperCase() ?? '');
  }
  return writer.text;
}

class Writer {
  #text = '';
  readonly #parts: Part[] = [{ isQuery: true, clause: '', isBetween: false }];
  #previous = '';

  get text(): string {
    return this.#text.replace(/[ \t]+$/gm, '').trim();
  }

  add(token: string, hadBlank: boolean, next: string): void {
    const upper = token.toUpperCase();
    const part = this.#parts[this.#parts.length - 1];
    const isKeyword = KEYWORDS.has(upper);
    if (token === ')' && this.#parts.length > 1) {
      this.#parts.pop();
      this.#write(token, part.isQuery ? 'line' : 'none');
    } else if (isKeyword && part.isQuery) this.#write(upper, this.#before(upper, next === '(', hadBlank));
    else this.#write(isKeyword ? upper : token, this.#afterQuery(hadBlank));
    if (token === '(') {
      this.#parts.push({ isQuery: next === 'SELECT' || next === 'WITH', clause: '', isBetween: false });
    }
    this.#previous = upper;
  }

  /** What goes before a keyword of a query: a line, or a blank if there was one. */
  #before(word: string, isCall: boolean, hadBlank: boolean): 'line' | 'condition' | 'blank' | 'none' {
    const part = this.#parts[this.#parts.length - 1];
    const plain = this.#afterQuery(hadBlank);
    const isName = isCall && (word === 'LEFT' || word === 'RIGHT');
    if (CLAUSES.has(word) && !isName && !JOINED.has(this.#previous) && (hadBlank || plain === 'line')) {
      part.clause = word;
      return 'line';
    }
    if (word === 'BETWEEN') part.isBetween = true;
    if (word === 'AND' && part.isBetween) {
      part.isBetween = false;
      return plain;
    }
    const isCondition = (word === 'AND' || word === 'OR') && /^(WHERE|HAVING)$/.test(part.clause);
    return isCondition && hadBlank ? 'condition' : plain;
  }

  /** A query in parentheses begins on a line of its own. */
  #afterQuery(hadBlank: boolean): 'line' | 'blank' | 'none' {
    const part = this.#parts[this.#parts.length - 1];
    if (this.#previous === ';') return 'line';
    if (this.#previous === '(') return part.isQuery && this.#parts.length > 1 ? 'line' : 'none';
    return hadBlank || this.#previous === ',' ? 'blank' : 'none';
  }

  #write(token: string, before: 'line' | 'condition' | 'blank' | 'none'): void {
    const depth = this.#parts.filter(({ isQuery }) => isQuery).length - 1 + (before === 'condition' ? 1 : 0);
    const endsComment = this.#previous.startsWith('--');
    const isLine = before === 'line' || before === 'condition';
    const isAttached = this.#text === '' || token === ',' || token === ';';
    if (endsComment || (isLine && !isAttached)) this.#text += `\n${INDENT.repeat(depth)}`;
    else if (before === 'blank' && !isAttached) this.#text += ' ';
    this.#text += token;
  }
}
