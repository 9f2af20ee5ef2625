/**
 * Parses expressions by operator precedence: OR, AND, NOT, comparisons, || and operators on bits, + and -, * / %, ^, signs,
 * from loosest to tightest, as in Postgres; operators of equal precedence associate to the left. The statement parser is not used for expressions: it binds OR tighter than
 * AND (`a OR b AND c` becomes `(a OR b) AND c`), and keeps neither source positions nor the digits of numbers.
 * Invariants: those of operand.ts; comparisons cannot be chained without parentheses.
 */
import { inSegment } from './in-segment.js';
import { LIST, nodeAt, OperandReader } from './operand.js';
import {
  betweenEither,
  caseOf,
  differs,
  likeList,
  MATCHES,
  matched,
  memberOf,
  PATTERNS_MAX,
} from './predicates.js';
import { comparedRows, ROW_LIST_HEIGHT, rowIn } from './query/row-values.js';
import { itemsQuery } from './query/unnest.js';
import { sqlError } from './sql-error.js';
import { unexpected } from './tokens.js';
import type { ComparisonOperator, Query, SourcePosition, SqlNode } from './tree.js';

type ArithmeticOperator = Extract<SqlNode, { readonly is: 'arithmetic' }>['operator'];

const JOINERS: ReadonlyMap<string, ArithmeticOperator> = new Map(
  (['||', '&', '|', '#', '<<', '>>'] as const).map((operator) => [operator, operator]),
);
const COMPARISONS: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);
const PREDICATES: ReadonlySet<string> = new Set(['IS', 'IN', 'LIKE', 'ILIKE', 'BETWEEN', 'NOT']);
const QUANTIFIERS: ReadonlyMap<string, 'any' | 'all'> = new Map([
  ['ANY', 'any'],
  ['SOME', 'any'],
  ['ALL', 'all'],
]);
const MIXED = 'comparisons cannot be chained; put one of them in parentheses';
/** Limit on nested IS DISTINCT FROM: each duplicates its operands, so nesting grows exponentially. */
const DISTINCTIONS_INSIDE_MAX = 3;

export class ExpressionReader extends OperandReader {
  /** Number of IS DISTINCT FROM parsed so far. */
  #distinctionCount = 0;

  override expression(): SqlNode {
    const node = this.#or();
    this.tallest = Math.max(this.tallest, this.height);
    return node;
  }

  override value(): SqlNode {
    const node = this.#joined();
    this.tallest = Math.max(this.tallest, this.height);
    return node;
  }

  #or(): SqlNode {
    const { position } = this.peek();
    let left = this.#and();
    while (this.isKeyword('OR')) {
      const height = this.height;
      this.next();
      left = { is: 'or', left, right: this.#and(), ...nodeAt(position) };
      this.above(height, position);
    }
    return left;
  }

  #and(): SqlNode {
    const { position } = this.peek();
    let left = this.#not();
    while (this.isKeyword('AND')) {
      const height = this.height;
      this.next();
      left = { is: 'and', left, right: this.#not(), ...nodeAt(position) };
      this.above(height, position);
    }
    return left;
  }

  #not(): SqlNode {
    const { position } = this.peek();
    if (!this.acceptKeyword('NOT')) return this.#comparison();
    return this.nested(position, () => ({ is: 'not', of: this.#inside(this.#not()), ...nodeAt(position) }));
  }

  #comparison(): SqlNode {
    const first = this.peek();
    if (this.isListAhead()) return this.#rowPredicate();
    const distinctions = this.#distinctionCount;
    const left = this.#joined();
    if (!this.#predicateFollows()) return left;
    const height = this.height;
    this.height = 0;
    const node = this.#predicate(left, first.position, distinctions);
    this.above(height, first.position);
    if (this.#predicateFollows()) throw sqlError(MIXED, this.peek().position);
    return node;
  }

  #predicateFollows(): boolean {
    const { kind, text, upper } = this.peek();
    if (kind === 'sign') return COMPARISONS.has(text);
    return PREDICATES.has(upper) || this.areKeywords('SIMILAR', 'TO');
  }

  /** `distinctions` is the count of IS DISTINCT FROM before `of`. */
  #predicate(of: SqlNode, position: SourcePosition, distinctions: number): SqlNode {
    const sign = this.peek();
    if (sign.kind === 'sign') {
      this.next();
      const comparison = sign.text as ComparisonOperator;
      const quantifier = this.#quantifier();
      if (quantifier !== null) return this.#inQuery([of], comparison, quantifier, false, position);
      return { is: 'compare', comparison, left: of, right: this.#joined(), ...nodeAt(position) };
    }
    if (this.acceptKeyword('IS')) return this.#is(of, position, distinctions);
    const negated = this.acceptKeyword('NOT');
    if (this.acceptKeyword('IN')) {
      const segment = inSegment(this, of, negated, position);
      if (segment !== null) return segment;
      if (this.isQueryAhead()) return this.#inQuery([of], '=', 'any', negated, position);
      return { is: 'in', of, values: this.#list(), negated, ...nodeAt(position) };
    }
    if (this.acceptKeyword('BETWEEN')) return this.#between(of, negated, position);
    const ignoresCase = this.acceptKeyword('ILIKE');
    if (ignoresCase || this.acceptKeyword('LIKE')) return this.#like(of, ignoresCase, negated, position);
    if (this.acceptKeywords('SIMILAR', 'TO')) return this.#similar(of, negated, position);
    throw unexpected(this.peek(), 'IN, LIKE, SIMILAR TO or BETWEEN');
  }

  #between(of: SqlNode, negated: boolean, position: SourcePosition): SqlNode {
    const isSymmetric = this.acceptKeyword('SYMMETRIC');
    if (!isSymmetric) this.acceptKeyword('ASYMMETRIC');
    const low = this.#joined();
    const height = this.height;
    this.expectKeyword('AND');
    const high = this.#joined();
    this.height = Math.max(this.height, height);
    const between = { is: 'between', of, low, high, negated, ...nodeAt(position) } as const;
    if (!isSymmetric) return between;
    this.height++;
    return betweenEither(between, position);
  }

  #like(of: SqlNode, ignoresCase: boolean, negated: boolean, position: SourcePosition): SqlNode {
    const quantifier = this.#quantifier();
    const pattern = this.#joined();
    const like = { is: 'like', of, pattern, escape: this.#escape(), ignoresCase, negated } as const;
    const node = { ...like, ...nodeAt(position) };
    if (quantifier === null) return node;
    const tree = likeList(node, pattern, quantifier);
    this.height += PATTERNS_MAX;
    return tree;
  }

  /** Consumes ANY, SOME or ALL before a query or a list. */
  #quantifier(): 'any' | 'all' | null {
    const { upper } = this.peek();
    const quantifier = QUANTIFIERS.get(upper);
    if (quantifier === undefined || !this.isSign('(', 1)) return null;
    this.next();
    return quantifier;
  }

  #inQuery(
    of: readonly SqlNode[],
    comparison: ComparisonOperator,
    quantifier: 'any' | 'all',
    negated: boolean,
    position: SourcePosition,
  ): SqlNode {
    const query = this.isQueryAhead() ? this.enclosedQuery() : this.#items();
    return { is: 'in-query', of, comparison, quantifier, negated, query, ...nodeAt(position) };
  }

  /** Parses (list) as a query of its items. */
  #items(): Query {
    const { position } = this.peek();
    return this.nested(position, () => {
      this.expectSign('(');
      const list = this.expression();
      if (this.isSign(','))
        throw sqlError('ANY and ALL take one list or SELECT; use IN for several values', position);
      this.expectClosing(position);
      return itemsQuery(list, 'item', false);
    });
  }

  /** Parses the comparison of a row value, (a, b), with a query, a list of rows or another row. */
  #rowPredicate(): SqlNode {
    const { position } = this.peek();
    const of = this.#list();
    const height = this.height;
    const node = this.#comparedRow(of, position);
    this.above(Math.max(this.height, height) + 2 * of.length, position);
    if (this.#predicateFollows()) throw sqlError(MIXED, this.peek().position);
    return node;
  }

  #comparedRow(of: readonly SqlNode[], position: SourcePosition): SqlNode {
    const { kind, text } = this.peek();
    if (kind === 'sign' && COMPARISONS.has(text)) {
      this.next();
      const comparison = text as ComparisonOperator;
      const quantifier = this.#quantifier();
      if (quantifier !== null) return this.#inQuery(of, comparison, quantifier, false, position);
      return comparedRows(of, comparison, this.#row(of.length), position);
    }
    const negated = this.areKeywords('NOT', 'IN');
    if (negated) this.next();
    if (!this.acceptKeyword('IN')) throw sqlError(LIST, position);
    if (this.isQueryAhead()) return this.#inQuery(of, '=', 'any', negated, position);
    const open = this.peek();
    this.expectSign('(');
    const rows: (readonly SqlNode[])[] = [];
    this.nested(open.position, () => {
      do rows.push(this.#row(of.length));
      while (this.acceptSign(','));
    });
    this.expectClosing(open.position);
    this.height += ROW_LIST_HEIGHT;
    return rowIn(of, rows, negated, position);
  }

  /** Parses ( value, ... ) with `count` values. */
  #row(count: number): SqlNode[] {
    const { position } = this.peek();
    if (!this.isListAhead()) throw unexpected(this.peek(), `a list of ${count} values in parentheses`);
    const row = this.#list();
    this.tallest = Math.max(this.tallest, this.height);
    if (row.length === count) return row;
    throw sqlError(`the list has ${row.length} values, the one before it ${count}`, position);
  }

  /** Parses the part after IS; everything except NULL becomes an equivalent CASE. */
  #is(of: SqlNode, position: SourcePosition, distinctions: number): SqlNode {
    const negated = this.acceptKeyword('NOT');
    if (this.acceptKeyword('NULL') || this.acceptKeyword('UNKNOWN')) {
      return { is: 'is-null', of, negated, ...nodeAt(position) };
    }
    const truth = this.acceptKeyword('TRUE');
    if (truth || this.acceptKeyword('FALSE')) return caseOf(of, truth, !negated, of.position);
    if (!this.acceptKeyword('DISTINCT')) throw unexpected(this.peek(), 'NULL, TRUE, FALSE or DISTINCT FROM');
    this.expectKeyword('FROM');
    const other = this.#joined();
    if (this.#distinctionCount > distinctions + DISTINCTIONS_INSIDE_MAX) {
      throw sqlError(`an IS DISTINCT FROM may contain at most ${DISTINCTIONS_INSIDE_MAX} others`, position);
    }
    this.#distinctionCount++;
    return differs(of, other, !negated);
  }

  /** Parses ( value, ... ) after IN. */
  #list(): SqlNode[] {
    const open = this.peek();
    this.expectSign('(');
    if (this.isSign(')')) throw sqlError('IN requires at least one value', open.position);
    const values: SqlNode[] = [];
    this.nested(open.position, () => {
      do values.push(this.expression());
      while (this.acceptSign(','));
      return values[0];
    });
    this.expectClosing(open.position);
    return values;
  }

  /** Parses the pattern of SIMILAR TO, which becomes a call. */
  #similar(of: SqlNode, negated: boolean, position: SourcePosition): SqlNode {
    const args = [of, this.#joined()];
    const escapedBy = this.#escape();
    if (escapedBy !== null)
      args.push({ is: 'string', text: escapedBy, quotes: 'single', ...nodeAt(position) });
    const similar = { is: 'call', name: 'similar_to', args, distinct: false, isOperator: true } as const;
    const call: SqlNode = { ...similar, ...nodeAt(position) };
    if (!negated) return call;
    this.above(0, position);
    return { is: 'not', of: call, ...nodeAt(position) };
  }

  #escape(): string | null {
    if (!this.acceptKeyword('ESCAPE')) return null;
    const token = this.next();
    if (token.kind !== 'single' && token.kind !== 'double') throw unexpected(token, 'a character in quotes');
    return token.text;
  }

  /** Parses operands of || and of operators on bits. */
  #joined(): SqlNode {
    const { position } = this.peek();
    let left = this.#inverted();
    for (let operator = this.#joiner(); operator !== null; operator = this.#joiner()) {
      const height = this.height;
      const { text } = this.next();
      if (operator === 'member') {
        left = memberOf(left, this.#inverted(), text, position);
        this.above(height, position);
        continue;
      }
      if (operator === 'match') {
        left = matched(left, this.#inverted(), text, position);
        this.above(height + 1, position);
        continue;
      }
      left = { is: 'arithmetic', operator, left, right: this.#inverted(), ...nodeAt(position) };
      this.above(height, position);
    }
    return left;
  }

  #joiner(): ArithmeticOperator | 'match' | 'member' | null {
    const { kind, text } = this.peek();
    if (kind !== 'sign') return null;
    if (text === '->' || text === '->>') return 'member';
    return MATCHES.has(text) ? 'match' : (JOINERS.get(text) ?? null);
  }

  /** Parses ~ before a sum. */
  #inverted(): SqlNode {
    const { position } = this.peek();
    if (!this.acceptSign('~')) return this.#sum();
    return this.nested(position, () => {
      const args = [this.#inside(this.#inverted())];
      return { is: 'call', name: 'bitnot', args, distinct: false, isOperator: true, ...nodeAt(position) };
    });
  }

  #sum(): SqlNode {
    const { position } = this.peek();
    let left = this.#product();
    while (this.isSign('+') || this.isSign('-')) {
      const height = this.height;
      const { text } = this.next();
      const operator = text === '+' ? '+' : '-';
      left = { is: 'arithmetic', operator, left, right: this.#product(), ...nodeAt(position) };
      this.above(height, position);
    }
    return left;
  }

  #product(): SqlNode {
    const { position } = this.peek();
    let left = this.#power();
    while (this.isSign('*') || this.isSign('/') || this.isSign('%')) {
      const height = this.height;
      const { text } = this.next();
      const operator = text === '*' ? '*' : text === '/' ? '/' : '%';
      left = { is: 'arithmetic', operator, left, right: this.#power(), ...nodeAt(position) };
      this.above(height, position);
    }
    return left;
  }

  #power(): SqlNode {
    const { position } = this.peek();
    let left = this.#signed();
    while (this.isSign('^')) {
      const height = this.height;
      this.next();
      left = { is: 'arithmetic', operator: '^', left, right: this.#signed(), ...nodeAt(position) };
      this.above(height, position);
    }
    return left;
  }

  /** A sign directly before a number belongs to the number. */
  #signed(): SqlNode {
    const sign = this.peek();
    const minus = this.isSign('-');
    if (!minus && !this.isSign('+')) return this.operand();
    this.next();
    if (this.peek().kind === 'number' && !this.isSign('::', 1)) {
      const { text } = this.next();
      this.height = 1;
      return { is: 'number', text: minus ? `-${text}` : text, ...nodeAt(sign.position) };
    }
    if (!minus) return this.nested(sign.position, () => this.#inside(this.#signed()));
    return this.nested(sign.position, () => ({
      is: 'negative',
      of: this.#inside(this.#signed()),
      ...nodeAt(sign.position),
    }));
  }

  #inside(node: SqlNode): SqlNode {
    this.tallest = this.height;
    return node;
  }
}
