/**
 * Parses operands: literals, columns, calls, CASE, subqueries, and parenthesized expressions, with casts after them.
 * Invariants: a tree is at most EXPRESSION_HEIGHT_MAX high; parsing recurses at most EXPRESSION_NESTING_MAX times and takes
 * time linear in the number of tokens.
 */
import { readCall, readType } from './calls.js';
import { isIntervalAhead, readInterval } from './intervals.js';
import { EXPRESSION_HEIGHT_MAX, EXPRESSION_NESTING_MAX } from './limits.js';
import { arrayOf } from './query/array-query.js';
import { callClausesFollow, readCallClauses } from './query/call-clauses.js';
import { afterQuery } from './query/clause-order.js';
import { DERIVED_HEIGHT, derivedAggregate } from './query/derived-aggregates.js';
import { NO_STAR, SUBSELECT } from './refusals.js';
import { sqlError } from './sql-error.js';
import { isReserved, TokenReader } from './token-reader.js';
import { type Token, unexpected } from './tokens.js';
import type { Query, SourcePosition, SqlNode } from './tree.js';
import { zoneCall } from './zone-call.js';

const OPERAND = 'a column, a value or an expression';
export const LIST = 'a list in parentheses is allowed only after IN and in comparisons with another';
const NOT_CLOSED = 'the parenthesis that begins here is not closed';
/** Types of typed literals such as DATE '2017-01-01'. */
const LITERAL_TYPES: ReadonlySet<string> = new Set([
  'DATE',
  'DATETIME',
  'DATETIME2',
  'TIMESTAMP',
  'TIMESTAMPTZ',
  'TIME',
]);
/** Collations by bytes, and the one of the database. */
const COLLATIONS: ReadonlySet<string> = new Set(['c', 'posix', 'ucs_basic', 'default', 'c.utf8', 'c.utf-8']);
/** Functions that are called without parentheses. */
const BARE_CALLS: ReadonlySet<string> = new Set(['CURRENT_DATE', 'CURRENT_TIMESTAMP', 'LOCALTIMESTAMP']);

/** The common fields of every node built here. */
export const nodeAt = (position: SourcePosition): { position: SourcePosition; parenthesized: false } => ({
  position,
  parenthesized: false,
});

export abstract class OperandReader extends TokenReader {
  /** Height of the last parsed node. */
  protected height = 0;
  /** Greatest height of the nodes parsed so far within the same parentheses, call or CASE. */
  protected tallest = 0;
  #nesting = 0;
  /** The number of derived aggregates parsed so far. */
  #derivedCount = 0;

  /** Parses a query up to the token that cannot continue it. */
  protected query(): Query {
    throw sqlError(SUBSELECT, this.tokens[this.at - 1].position);
  }

  override enclosedQuery(): Query {
    const { position } = this.peek();
    return this.nested(position, () => {
      this.expectSign('(');
      const query = this.query();
      if (this.acceptSign(')')) return query;
      if (this.peek().kind === 'end') throw sqlError(NOT_CLOSED, position);
      throw afterQuery(this.tokens[this.at - 1], this.peek(), 'a comma, the next clause or )');
    });
  }

  /** Parses an operand and the casts after it: x::int. */
  protected operand(): SqlNode {
    let of = this.#operand();
    while (this.#isIndexAhead()) of = this.#itemOf(of);
    while (this.isSign('::')) {
      const { position } = this.next();
      const cast = { is: 'cast', of, ...readType(this, true), lenient: false } as const;
      of = { ...cast, ...nodeAt(position) };
      this.above(0, position);
    }
    while (this.acceptKeyword('COLLATE')) this.#collation();
    while (this.areKeywords('AT', 'TIME', 'ZONE')) of = this.#atZone(of);
    return of;
  }

  /** Whether the index of a list, x[1], follows without a blank. A name in brackets that follows a blank is an alias. */
  #isIndexAhead(): boolean {
    const { kind, text, position } = this.peek();
    if (kind !== 'bracketed' || !/^\d{1,9}$/.test(text)) return false;
    const before = this.tokens[this.at - 1];
    const length = before.text.length + (before.kind === 'bracketed' || before.kind === 'double' ? 2 : 0);
    return before.position.line === position.line && before.position.column + length === position.column;
  }

  #itemOf(list: SqlNode): SqlNode {
    const { text, position } = this.next();
    const index: SqlNode = { is: 'number', text, ...nodeAt(position) };
    this.above(1, list.position);
    const args = [list, index];
    return { is: 'call', name: 'list_extract', args, distinct: false, ...nodeAt(list.position) };
  }

  /** Parses AT TIME ZONE zone. */
  #atZone(of: SqlNode): SqlNode {
    const { position } = this.next();
    const height = this.height;
    this.at += 2;
    let zone = this.#operand();
    while (this.isSign('::')) {
      this.next();
      zone = { is: 'cast', of: zone, ...readType(this, true), lenient: false, ...nodeAt(position) };
      this.above(0, position);
    }
    this.above(height, position);
    return zoneCall(of, zone, position);
  }

  /** Consumes a collation. It has no effect, because only the collation by which texts are ordered anyway is accepted. */
  #collation(): void {
    let name = this.next();
    while (this.acceptSign('.')) name = this.next();
    const named = name.kind === 'word' || name.kind === 'double' || name.kind === 'bracketed';
    if (!named) throw unexpected(name, 'the name of a collation');
    if (COLLATIONS.has(name.text.toLowerCase())) return;
    throw sqlError('texts are ordered by their bytes: the only collation is "C"', name.position);
  }

  #operand(): SqlNode {
    const token = this.peek();
    this.height = 1;
    if (token.kind === 'number') return { is: 'number', text: this.next().text, ...nodeAt(token.position) };
    if (token.kind === 'single') {
      return { is: 'string', text: this.next().text, quotes: 'single', ...nodeAt(token.position) };
    }
    if (this.isSign('(')) return this.#parenthesized();
    if (token.kind === 'bracketed' || token.kind === 'double') return this.#column();
    if (token.kind === 'word') return this.#bareWord();
    if (this.isSign('*')) throw sqlError(NO_STAR, token.position);
    if (this.isSign('::')) throw sqlError('a value or an expression is missing before this', token.position);
    throw unexpected(token, OPERAND);
  }

  #parenthesized(): SqlNode {
    const { position } = this.peek();
    if (this.isQueryAhead()) return { is: 'subquery', query: this.enclosedQuery(), ...nodeAt(position) };
    this.next();
    const inner = this.nested(position, () => this.expression());
    if (this.isSign(',')) throw sqlError(LIST, position);
    this.expectClosing(position);
    return { ...inner, parenthesized: true };
  }

  /** Parses an operand that begins with a bare word. */
  #bareWord(): SqlNode {
    const token = this.peek();
    const { position, upper } = token;
    if (upper === 'CASE') return this.nested(position, () => this.#case());
    if (upper === 'NULL') {
      this.next();
      return { is: 'null', ...nodeAt(position) };
    }
    if (upper === 'TRUE' || upper === 'FALSE') {
      this.next();
      return { is: 'boolean', value: upper === 'TRUE', ...nodeAt(position) };
    }
    if (isReserved(token)) throw unexpected(token, OPERAND);
    if (this.isSign('(', 1)) return this.#called(token);
    const after = this.peek(1).kind;
    if (isIntervalAhead(this)) {
      const spans = readInterval(this);
      // A date plus an interval is one node for each unit.
      this.height = spans.length;
      return { is: 'interval', spans, ...nodeAt(position) };
    }
    if (LITERAL_TYPES.has(upper) && (after === 'single' || this.#isZoneAhead())) return this.#dateLiteral();
    if (BARE_CALLS.has(upper) && !this.isSign('.', 1)) {
      this.next();
      return { is: 'call', name: upper.toLowerCase(), args: [], distinct: false, ...nodeAt(position) };
    }
    return this.#column();
  }

  #called({ upper, position }: Token): SqlNode {
    const derivedBefore = this.#derivedCount;
    if (upper === 'EXISTS') {
      this.next();
      if (!this.isQueryAhead()) throw unexpected(this.peek(1), 'SELECT');
      return { is: 'exists', query: this.enclosedQuery(), ...nodeAt(position) };
    }
    if (upper === 'ARRAY' && this.#isSelectAhead()) {
      this.next();
      const list = arrayOf(this.enclosedQuery());
      this.above(this.height + 1, position);
      return list;
    }
    const called = this.nested(position, () => readCall(this));
    const isFollowed = callClausesFollow(this) && (called.is === 'call' || called.is === 'ordered');
    if (!isFollowed) return this.#derived(called, derivedBefore);
    const height = this.height;
    const node = this.nested(position, () => readCallClauses(this, called));
    this.above(height, position);
    return this.#derived(node, derivedBefore);
  }

  /** Whether a parenthesis after the next word encloses a query without parentheses of its own, unlike ARRAY[(SELECT ...)]. */
  #isSelectAhead(): boolean {
    if (!this.isQueryAhead(1)) return false;
    const { kind } = this.peek(3);
    if (this.isKeyword('VALUES', 2)) return this.isSign('(', 3);
    return this.isKeyword('SELECT', 2) || (this.isKeyword('WITH', 2) && kind !== 'sign');
  }

  /** `before`: the number of derived aggregates before the node. */
  #derived(node: SqlNode, before: number): SqlNode {
    const derived = derivedAggregate(node);
    if (derived === node) return node;
    if (this.#derivedCount++ > before) throw sqlError('this aggregate contains another one', node.position);
    this.above(this.height + DERIVED_HEIGHT, node.position);
    return derived;
  }

  /** Whether WITH TIME ZONE follows, as in TIMESTAMP WITH TIME ZONE '2017-01-01 00:00:00Z'. */
  #isZoneAhead(): boolean {
    const { upper } = this.peek(1);
    return (
      (upper === 'WITH' || upper === 'WITHOUT') &&
      this.peek(2).upper === 'TIME' &&
      this.peek(3).upper === 'ZONE' &&
      this.peek(4).kind === 'single'
    );
  }

  /** Parses DATE '2017-01-01' as a CAST of its string. */
  #dateLiteral(): SqlNode {
    const type = this.next();
    const isZoned = this.isKeyword('WITH');
    if (this.peek().kind !== 'single') for (let word = 0; word < 3; word++) this.next();
    const { text, position } = this.next();
    const of: SqlNode = { is: 'string', text, quotes: 'single', ...nodeAt(position) };
    this.height = 2;
    const typeName = isZoned ? 'timestamptz' : type.text.toLowerCase();
    const cast = { is: 'cast', of, typeName, precision: null } as const;
    return { ...cast, scale: null, lenient: false, ...nodeAt(type.position) };
  }

  /** Parses a column, optionally qualified; an unqualified name in double quotes may be a string. */
  #column(): SqlNode {
    const first = this.next();
    const { position } = first;
    const names = [first.text];
    while (names.length < 3 && this.isSign('.')) {
      this.next();
      if (this.isSign('*')) throw sqlError(NO_STAR, this.peek().position);
      names.push(this.#pathName().text);
    }
    if (this.isSign('.')) throw unexpected(this.peek(), 'a name of at most three parts');
    if (this.isSign('(')) {
      throw sqlError('a function name is written without brackets, quotes and schema', position);
    }
    if (names.length > 1)
      return { is: 'column', table: names[0], name: names.slice(1).join('.'), ...nodeAt(position) };
    if (first.kind === 'double')
      return { is: 'string', text: first.text, quotes: 'double', ...nodeAt(position) };
    return { is: 'column', table: null, name: first.text, ...nodeAt(position) };
  }

  /** Parses a name after a point, where keywords are names. */
  #pathName(): Token {
    const token = this.next();
    const named = token.kind === 'word' || token.kind === 'bracketed' || token.kind === 'double';
    if (!named || token.text === '') throw unexpected(token, 'a name');
    return token;
  }

  #case(): SqlNode {
    const { position } = this.next();
    const of = this.isKeyword('WHEN') ? null : this.expression();
    const branches: { when: SqlNode; then: SqlNode }[] = [];
    if (!this.isKeyword('WHEN')) throw unexpected(this.peek(), 'WHEN');
    while (this.acceptKeyword('WHEN')) {
      const when = this.expression();
      this.expectKeyword('THEN');
      // biome-ignore lint/suspicious/noThenProperty: a keyword of SQL; a branch is never awaited
      branches.push({ when, then: this.expression() });
    }
    const otherwise = this.acceptKeyword('ELSE') ? this.expression() : null;
    if (!this.acceptKeyword('END')) {
      throw unexpected(this.peek(), otherwise === null ? 'WHEN, ELSE or END' : 'END');
    }
    return { is: 'case', of, branches, otherwise, ...nodeAt(position) };
  }

  override nested<T>(position: SourcePosition, read: () => T): T {
    const outer = this.tallest;
    this.tallest = 0;
    if (++this.#nesting > EXPRESSION_NESTING_MAX) {
      throw sqlError(`the expression is nested more than ${EXPRESSION_NESTING_MAX} deep`, position);
    }
    const node = read();
    this.#nesting--;
    this.height = this.tallest;
    this.tallest = outer;
    this.above(this.height, position);
    return node;
  }

  /** Records the height of a node whose children have `height` and the last parsed height. */
  protected above(height: number, position: SourcePosition): void {
    this.height = Math.max(height, this.height) + 1;
    if (this.height <= EXPRESSION_HEIGHT_MAX) return;
    throw sqlError(`the expression has more than ${EXPRESSION_HEIGHT_MAX} nested operators`, position);
  }
}
