/**
 * The skeleton of a SELECT for the statement parser: keywords and commas, with each expression, table and alias replaced by a
 * numbered word: `SELECT a + 1 AS b FROM [t]` becomes `SELECT q0 AS q1 FROM q2`. The statement parser determines the structure
 * and never sees the parts that it would misparse.
 * Invariants: the skeleton contains no text of the body; every keyword and comma is followed by the part that it requires.
 */
import type { ExpressionReader } from './expression.js';
import { JOINS_MAX } from './limits.js';
import { type Paging, pagingFollows, readPaging, readTop } from './paging.js';
import { TOTALS } from './refusals.js';
import { sqlError } from './sql-error.js';
import { type Token, unexpected } from './tokens.js';
import type { SqlNode } from './tree.js';

export interface SkeletonPart {
  readonly node: SqlNode;
  /** First token of the part. */
  readonly first: Token;
  /** Whether the part follows AS. */
  readonly afterAs: boolean;
}

interface SkeletonToken {
  readonly text: string;
  /** Offset in the skeleton's text. */
  readonly from: number;
  readonly token: Token;
}

export interface Skeleton extends Paging {
  readonly text: string;
  readonly tokens: readonly SkeletonToken[];
  readonly parts: readonly SkeletonPart[];
  /** The token after the statement. */
  readonly end: Token;
}

const EXPRESSION = 'a column, a value or an expression';
/** Keywords and the part that must follow each; null = none. */
const KEYWORDS: ReadonlyMap<string, string | null> = new Map([
  ['SELECT', EXPRESSION],
  ['DISTINCT', EXPRESSION],
  ['FROM', 'a table'],
  ['JOIN', 'a table'],
  ['ON', EXPRESSION],
  ['WHERE', EXPRESSION],
  ['GROUP BY', EXPRESSION],
  ['HAVING', EXPRESSION],
  ['ORDER BY', EXPRESSION],
  ['AS', 'a name'],
  ['ASC', null],
  ['DESC', null],
]);

const BEGINS_CLAUSE: ReadonlySet<string> = new Set(['FROM', 'WHERE', 'GROUP BY', 'HAVING', 'ORDER BY']);
/** Error messages for commas in clauses that do not allow them. */
const COMMA_REFUSED: ReadonlyMap<string, string> = new Map([
  ['FROM', `tables are joined with JOIN ... ON, not with commas; ${TOTALS}`],
  ['WHERE', 'conditions are joined with AND and OR, not with commas'],
  ['HAVING', 'conditions are joined with AND and OR, not with commas'],
]);

class SkeletonWriter {
  readonly #reader: ExpressionReader;
  readonly #tokens: SkeletonToken[] = [];
  readonly #parts: SkeletonPart[] = [];
  #textUnits = 0;
  /** Keyword of the current clause. */
  #clause = 'SELECT';
  #joinCount = 0;
  /** Description of the part that must follow; null = none. */
  #needed: string | null = null;

  constructor(reader: ExpressionReader) {
    this.#reader = reader;
  }

  write(): Skeleton {
    const reader = this.#reader;
    this.#keyword('SELECT');
    if (reader.isKeyword('DISTINCT')) this.#keyword('DISTINCT');
    const top = readTop(reader);
    if (top !== null && reader.isKeyword('DISTINCT')) this.#keyword('DISTINCT');
    // Where a part must follow, OFFSET and FETCH are names.
    while (reader.peek().kind !== 'end' && (this.#needed !== null || !pagingFollows(reader))) this.#step();
    const end = reader.peek();
    if (this.#needed !== null) throw unexpected(end, this.#needed);
    const paging = readPaging(reader);
    if (reader.peek().kind !== 'end') throw unexpected(reader.peek(), 'the end of the statement');
    if (top !== null && paging.limit !== null) {
      throw sqlError('TOP and LIMIT cannot be used in one statement', paging.limit.position);
    }
    const { offset, limit } = paging;
    const text = this.#tokens.map((word) => word.text).join(' ');
    return { text, tokens: this.#tokens, parts: this.#parts, end, limit: limit ?? top, offset };
  }

  #step(): void {
    const reader = this.#reader;
    const token = reader.peek();
    if (reader.isSign(',')) {
      this.#comma(token);
    } else if (token.upper === 'GROUP' || token.upper === 'ORDER') {
      this.#refuseIfNeeded(token);
      reader.next();
      this.#keyword('BY', `${token.upper} BY`, token);
    } else if (token.upper === 'INNER') this.#join('INNER JOIN');
    else if (token.upper === 'JOIN') this.#join('INNER JOIN');
    else if (token.upper === 'LEFT' && (reader.isKeyword('JOIN', 1) || reader.isKeyword('OUTER', 1))) {
      this.#join('LEFT JOIN');
    } else if ((token.upper === 'ASC' || token.upper === 'DESC') && this.#clause !== 'ORDER BY') {
      throw sqlError(`${token.upper} is allowed only in ORDER BY`, token.position);
    } else if (KEYWORDS.has(token.upper)) this.#keyword(token.upper);
    else if (reader.isSign(')')) throw sqlError('this ) closes nothing', token.position);
    else this.#part();
  }

  #comma(token: Token): void {
    this.#refuseIfNeeded(token);
    const refused = COMMA_REFUSED.get(this.#clause);
    if (refused !== undefined) throw sqlError(refused, token.position);
    this.#reader.next();
    this.#needed = EXPRESSION;
    this.#word(',', token);
  }

  #join(text: string): void {
    const token = this.#reader.peek();
    this.#refuseIfNeeded(token);
    if (this.#joinCount++ === JOINS_MAX) {
      throw sqlError(`a SELECT joins at most ${JOINS_MAX} tables`, token.position);
    }
    if (token.upper !== 'JOIN') this.#reader.next();
    if (token.upper === 'LEFT') this.#reader.acceptKeyword('OUTER');
    this.#reader.expectKeyword('JOIN');
    this.#needed = 'a table';
    this.#word(text, token);
  }

  #keyword(word: string, text = word, token = this.#reader.peek()): void {
    const inSelect = word === 'DISTINCT' && this.#tokens.length === 1;
    if (!inSelect) this.#refuseIfNeeded(token);
    this.#reader.expectKeyword(word);
    this.#needed = KEYWORDS.get(text) ?? null;
    this.#word(text, token);
    if (BEGINS_CLAUSE.has(text)) this.#begin(text, token);
    if (word === 'ASC' || word === 'DESC') this.#nullsLast();
  }

  #begin(clause: string, token: Token): void {
    if (this.#tokens.filter(({ text }) => text === clause).length > 1) {
      throw sqlError(`${clause} is allowed only once in a SELECT`, token.position);
    }
    this.#clause = clause;
  }

  /** Accepts NULLS LAST, which is the default. */
  #nullsLast(): void {
    const reader = this.#reader;
    if (reader.isKeyword('NULLS') && reader.isKeyword('LAST', 1)) {
      reader.next();
      reader.next();
    }
  }

  #part(): void {
    const reader = this.#reader;
    const first = reader.peek();
    const afterAs = this.#tokens.at(-1)?.text === 'AS';
    const node = this.#star() ?? reader.expression();
    this.#needed = null;
    this.#word(`q${this.#parts.length}`, first);
    this.#parts.push({ node, first, afterAs });
    if (this.#clause === 'ORDER BY') this.#nullsLast();
  }

  /** Parses `*` and `jobs.*`. */
  #star(): SqlNode | null {
    const reader = this.#reader;
    const first = reader.peek();
    const { position } = first;
    if (reader.acceptSign('*')) return { is: 'star', table: null, position, parenthesized: false };
    const named = first.kind === 'word' || first.kind === 'bracketed' || first.kind === 'double';
    if (!named || !reader.isSign('.', 1) || !reader.isSign('*', 2)) return null;
    for (let passed = 0; passed < 3; passed++) reader.next();
    return { is: 'star', table: first.text, position, parenthesized: false };
  }

  #refuseIfNeeded(token: Token): void {
    if (this.#needed !== null) throw unexpected(token, this.#needed);
  }

  #word(text: string, token: Token): void {
    this.#tokens.push({ text, from: this.#textUnits, token });
    this.#textUnits += text.length + 1;
  }
}

/** Builds the skeleton of the SELECT that begins here. It has at most as many tokens as the SELECT. */
export const skeletonOf = (reader: ExpressionReader): Skeleton => new SkeletonWriter(reader).write();
