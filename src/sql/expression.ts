/**
 * Expressions from tokens, by their operators: OR, AND, NOT, comparisons, ||, + and -, * / %, signs; each binds tighter
 * than those before it, and equal ones from the left. The parser of statements does not read them: it binds OR tighter
 * than AND (`a OR b AND c` as `(a OR b) AND c`), and keeps neither places nor the digits of numbers.
 * Invariants: those of operand.ts; comparisons do not follow one another without parentheses.
 */
import { nodeAt, OperandReader } from './operand.js';
import { sqlError } from './sql-error.js';
import { unexpected } from './tokens.js';
import type { ComparisonWord, Place, SqlNode } from './tree.js';

const COMPARISONS: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);
const MIXED = 'comparisons do not follow one another; put one of them in parentheses';

export class ExpressionReader extends OperandReader {
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
    const { place } = this.peek();
    let left = this.#and();
    while (this.isWord('OR')) {
      const height = this.height;
      this.take();
      left = { is: 'or', left, right: this.#and(), ...nodeAt(place) };
      this.above(height, place);
    }
    return left;
  }

  #and(): SqlNode {
    const { place } = this.peek();
    let left = this.#not();
    while (this.isWord('AND')) {
      const height = this.height;
      this.take();
      left = { is: 'and', left, right: this.#not(), ...nodeAt(place) };
      this.above(height, place);
    }
    return left;
  }

  #not(): SqlNode {
    const { place } = this.peek();
    if (!this.acceptWord('NOT')) return this.#comparison();
    return this.nested(place, () => ({ is: 'not', of: this.#inside(this.#not()), ...nodeAt(place) }));
  }

  #comparison(): SqlNode {
    const first = this.peek();
    const left = this.#joined();
    if (!this.#predicateFollows()) return left;
    const height = this.height;
    this.height = 0;
    const node = this.#predicate(left, first.place);
    this.above(height, first.place);
    if (this.#predicateFollows()) throw sqlError(MIXED, this.peek().place);
    return node;
  }

  #predicateFollows(): boolean {
    const { kind, text, upper } = this.peek();
    if (kind === 'sign') return COMPARISONS.has(text);
    return upper === 'IS' || upper === 'IN' || upper === 'LIKE' || upper === 'BETWEEN' || upper === 'NOT';
  }

  #predicate(of: SqlNode, place: Place): SqlNode {
    const sign = this.peek();
    if (sign.kind === 'sign') {
      this.take();
      const comparison = sign.text as ComparisonWord;
      return { is: 'compare', comparison, left: of, right: this.#joined(), ...nodeAt(place) };
    }
    if (this.acceptWord('IS')) {
      const negated = this.acceptWord('NOT');
      if (!this.acceptWord('NULL')) throw unexpected(this.peek(), negated ? 'NULL' : 'NULL or NOT NULL');
      return { is: 'is-null', of, negated, ...nodeAt(place) };
    }
    const negated = this.acceptWord('NOT');
    if (this.acceptWord('IN')) return { is: 'in', of, values: this.#list(), negated, ...nodeAt(place) };
    if (this.acceptWord('BETWEEN')) {
      const low = this.#joined();
      const height = this.height;
      this.expectWord('AND');
      const high = this.#joined();
      this.height = Math.max(this.height, height);
      return { is: 'between', of, low, high, negated, ...nodeAt(place) };
    }
    if (this.acceptWord('LIKE')) {
      const pattern = this.#joined();
      return { is: 'like', of, pattern, escape: this.#escape(), negated, ...nodeAt(place) };
    }
    throw unexpected(this.peek(), 'IN, LIKE or BETWEEN');
  }

  /** ( value, ... ) behind IN. */
  #list(): SqlNode[] {
    const open = this.peek();
    this.expectSign('(');
    if (this.isSign(')')) throw sqlError('IN lists at least one value', open.place);
    const values: SqlNode[] = [];
    this.nested(open.place, () => {
      do values.push(this.expression());
      while (this.acceptSign(','));
      return values[0];
    });
    this.expectClosing(open.place);
    return values;
  }

  #escape(): string | null {
    if (!this.acceptWord('ESCAPE')) return null;
    const token = this.take();
    if (token.kind !== 'single' && token.kind !== 'double') throw unexpected(token, 'a character in quotes');
    return token.text;
  }

  /** Operands of ||. */
  #joined(): SqlNode {
    const { place } = this.peek();
    let left = this.#sum();
    while (this.isSign('||')) {
      const height = this.height;
      this.take();
      left = { is: 'arithmetic', operator: '||', left, right: this.#sum(), ...nodeAt(place) };
      this.above(height, place);
    }
    return left;
  }

  #sum(): SqlNode {
    const { place } = this.peek();
    let left = this.#product();
    while (this.isSign('+') || this.isSign('-')) {
      const height = this.height;
      const { text } = this.take();
      const operator = text === '+' ? '+' : '-';
      left = { is: 'arithmetic', operator, left, right: this.#product(), ...nodeAt(place) };
      this.above(height, place);
    }
    return left;
  }

  #product(): SqlNode {
    const { place } = this.peek();
    let left = this.#signed();
    while (this.isSign('*') || this.isSign('/') || this.isSign('%')) {
      const height = this.height;
      const { text } = this.take();
      const operator = text === '*' ? '*' : text === '/' ? '/' : '%';
      left = { is: 'arithmetic', operator, left, right: this.#signed(), ...nodeAt(place) };
      this.above(height, place);
    }
    return left;
  }

  /** A sign right before a number is the number's. */
  #signed(): SqlNode {
    const sign = this.peek();
    const minus = this.isSign('-');
    if (!minus && !this.isSign('+')) return this.operand();
    this.take();
    if (this.peek().kind === 'number') {
      const { text } = this.take();
      this.height = 1;
      return { is: 'number', text: minus ? `-${text}` : text, ...nodeAt(sign.place) };
    }
    if (!minus) throw unexpected(this.peek(), 'a number behind the sign +');
    return this.nested(sign.place, () => ({
      is: 'negative',
      of: this.#inside(this.#signed()),
      ...nodeAt(sign.place),
    }));
  }

  #inside(node: SqlNode): SqlNode {
    this.tallest = this.height;
    return node;
  }
}
