/** Sequential reader of the tokens of a statement. */
import { Parentheses } from './query/parentheses.js';
import { sqlError } from './sql-error.js';
import { isSign, type Token, unexpected } from './tokens.js';
import type { Query, SourcePosition, SqlNode } from './tree.js';

/** Reserved keywords, which are names only in [brackets]. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['SELECT', 'DISTINCT', 'FROM', 'WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT', 'AS', 'ASC', 'DESC'],
  ...['JOIN', 'INNER', 'ON', 'AND', 'OR', 'NOT', 'IN', 'LIKE', 'BETWEEN', 'IS'],
  ...['CASE', 'WHEN', 'THEN', 'ELSE', 'END', 'NULL', 'TRUE', 'FALSE'],
]);

export const isReserved = ({ upper }: Token): boolean => RESERVED.has(upper);

export abstract class TokenReader {
  readonly tokens: readonly Token[];
  /** Index of the next token. */
  at = 0;
  /** RETURNING begins a clause. */
  isWrite = false;
  /** Number of keys of the grouping sets written out so far. */
  groupingKeyCount = 0;
  #parentheses: Parentheses | null = null;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  /** Parses the expression that begins here. */
  abstract expression(): SqlNode;

  /** Parses an expression without AND, OR, NOT and comparisons outside parentheses. */
  abstract value(): SqlNode;

  /** Parses the query in parentheses that begins here. */
  abstract enclosedQuery(): Query;

  /**
   * Parses the contents of a construct that begins at `position`. Throws 6000 if too many constructs are nested; every recursion
   * passes here.
   */
  abstract nested<T>(position: SourcePosition, read: () => T): T;

  /** The token `ahead` positions after the next one; the end token after the last one. */
  peek(ahead = 0): Token {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)];
  }

  next(): Token {
    const token = this.peek();
    if (token.kind !== 'end') this.at++;
    return token;
  }

  isKeyword(keyword: string, ahead = 0): boolean {
    return this.peek(ahead).upper === keyword;
  }

  isSign(text: string, ahead = 0): boolean {
    return isSign(this.peek(ahead), text);
  }

  /** Whether keywords follow in this order. */
  areKeywords(...keywords: readonly string[]): boolean {
    return keywords.every((keyword, ahead) => this.isKeyword(keyword, ahead));
  }

  /** Consumes all of the keywords if they follow in this order. */
  acceptKeywords(...keywords: readonly string[]): boolean {
    const found = this.areKeywords(...keywords);
    if (found) this.at += keywords.length;
    return found;
  }

  /** Whether a parenthesis that encloses a query follows. */
  isQueryAhead(ahead = 0): boolean {
    return this.isSign('(', ahead) && this.#enclosures().enclosesQuery(this.at + ahead);
  }

  /** Whether a parenthesis that encloses a list follows. */
  isListAhead(): boolean {
    return this.isSign('(') && this.#enclosures().enclosesList(this.at);
  }

  /** The token after the parenthesis that begins here. */
  afterParenthesis(): Token {
    return this.#enclosures().after(this.at);
  }

  #enclosures(): Parentheses {
    this.#parentheses ??= new Parentheses(this.tokens);
    return this.#parentheses;
  }

  acceptKeyword(keyword: string): boolean {
    const found = this.isKeyword(keyword);
    if (found) this.at++;
    return found;
  }

  acceptSign(text: string): boolean {
    const found = this.isSign(text);
    if (found) this.at++;
    return found;
  }

  expectKeyword(keyword: string): void {
    if (!this.acceptKeyword(keyword)) throw unexpected(this.peek(), keyword);
  }

  expectSign(text: string): void {
    if (!this.acceptSign(text)) throw unexpected(this.peek(), text);
  }

  /** Consumes the parenthesis that closes the one at `open`. */
  expectClosing(open: SourcePosition): void {
    if (this.acceptSign(')')) return;
    if (this.peek().kind === 'end') throw sqlError('the parenthesis that begins here is not closed', open);
    throw unexpected(this.peek(), 'an operator, a comma or )');
  }

  /** Consumes a single name: bare, in brackets, or in double quotes. */
  expectName(what: string): Token {
    const token = this.peek();
    const named = token.kind === 'bracketed' || token.kind === 'double';
    if (!named && (token.kind !== 'word' || isReserved(token))) throw unexpected(token, what);
    if (token.text === '') throw sqlError('a name has at least one character', token.position);
    return this.next();
  }

  /** Consumes an alias, which may be in single quotes after AS. */
  expectAlias(behindAs: boolean): string {
    const { kind, text } = this.peek();
    return behindAs && kind === 'single' && text !== '' ? this.next().text : this.expectName('a name').text;
  }
}
