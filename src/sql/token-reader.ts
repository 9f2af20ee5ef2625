/** Sequential reader of the tokens of a statement. */
import { sqlError } from './sql-error.js';
import { isSign, type Token, unexpected } from './tokens.js';
import type { SourcePosition, SqlNode } from './tree.js';

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

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  /** Parses the expression that begins here. */
  abstract expression(): SqlNode;

  /** Parses an expression without AND, OR, NOT and comparisons outside parentheses. */
  abstract value(): SqlNode;

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
