/**
 * Generated values of SQL: columns, literals, arithmetic, CASE and similar expressions, casts, and functions of every
 * type.
 */
import type { Prng } from '../../src/base/index.js';
import { lower } from '../support/model.js';
import {
  BOOLEAN,
  decimal,
  duckType,
  float,
  forms,
  integer,
  isExact,
  type Piece,
  type PieceType,
  piece,
  quoted,
  same,
  scaledForms,
  TEXT,
  wholeDigits,
} from '../support/sql/sql-piece.js';
import type { Call } from './sql-call.js';
import { CALLS } from './sql-calls.js';
import { between, cased, combined, comparison, extreme, inList, nulled, switched } from './sql-combined.js';
import { literal, someLiteral } from './sql-literals.js';

const TYPES: readonly PieceType[] = ['integer', 'decimal', 'float', 'text', 'boolean', 'date', 'datetime'];
/** No more digits are generated, so that no sum of products approaches 38 digits. */
const DIGITS_MAX = 26;
const PATTERN_PARTS = ['%', '_', 'a', 'b', 'é', '日', '😀', 'x', ' ', 're', 'Σ', '1', '\\', "'", '5'];
export const COMPARISONS = ['=', '<>', '!=', '<', '<=', '>', '>='] as const;

export class Values {
  readonly prng: Prng;
  readonly leaves: readonly Piece[];

  constructor(prng: Prng, leaves: readonly Piece[]) {
    this.prng = prng;
    this.leaves = leaves;
  }

  /** A value of any type except lists. */
  any(depth: number): Piece {
    return this.of(this.prng.pick(TYPES), depth);
  }

  /** A value that all engines compute alike, for use in a condition or a comparison. */
  firm(depth: number, type: PieceType = this.prng.pick(TYPES)): Piece {
    for (let tries = 0; tries < 5; tries++) {
      const found = this.of(type, depth);
      if (found.firm) return found;
    }
    return this.#leaf(type, true);
  }

  of(type: PieceType, depth: number): Piece {
    const { prng } = this;
    if (depth <= 0 || prng.chance(0.2)) return this.#leaf(type);
    if (prng.chance(0.2)) return this.#choice(type, depth - 1);
    if (type === 'boolean') return this.condition(depth - 1);
    if (prng.chance(0.35) && (type === 'integer' || type === 'decimal' || type === 'float'))
      return this.#arithmetic(type, depth - 1);
    return this.#call(type, depth - 1);
  }

  /** A column or a literal. */
  #leaf(type: PieceType, firm = false): Piece {
    const fitting = this.leaves.filter((leaf) => leaf.type === type && (leaf.firm || !firm));
    if (fitting.length > 0 && this.prng.chance(0.8)) return this.prng.pick(fitting);
    return someLiteral(this.prng, type);
  }

  #arithmetic(type: 'integer' | 'decimal' | 'float', depth: number): Piece {
    const { prng } = this;
    if (type === 'float') return this.#floating(depth);
    const operator = prng.pick(['+', '-', '*', '%'] as const);
    const left = this.of(type, depth);
    const right = this.of(type === 'decimal' && prng.chance(0.3) ? 'integer' : type, depth);
    if (operator === '*') {
      const [scale, digits] = [left.scale + right.scale, left.digits + right.digits];
      if (digits > DIGITS_MAX || scale > 12) return left;
      const form = '($0 * $1)';
      const of = type === 'integer' ? integer(digits) : decimal(scale, digits);
      return piece(of, forms(form, `CAST(${form} AS ${duckType(of)})`, digits <= 18 ? form : null), [
        left,
        right,
      ]);
    }
    const scale = Math.max(left.scale, right.scale);
    const digits = Math.max(wholeDigits(left), wholeDigits(right)) + scale + 1;
    if (digits > DIGITS_MAX) return left;
    const of = type === 'integer' ? integer(digits) : decimal(scale, digits);
    const [a, b] = [scaledForms('$0', left, of), scaledForms('$1', right, of)];
    const lite =
      a.lite === null || b.lite === null || digits > 18 ? null : `(${a.lite} ${operator} ${b.lite})`;
    if (operator === '%' && type === 'decimal') {
      // DuckDB computes remainders of decimals with doubles.
      const [x, y] = [a.duck, b.duck];
      const duck = `CAST(units_of(${x}) % nullif(units_of(${y}), 0) AS DECIMAL(38, 0))`;
      return piece(of, forms('($0 % $1)', `CAST(of_units(${duck}, ${scale}) AS ${duckType(of)})`, lite), [
        left,
        right,
      ]);
    }
    const duckRight = operator === '%' ? `nullif(${b.duck}, 0)` : b.duck;
    const duck = `CAST((${a.duck} ${operator} ${duckRight}) AS ${duckType(of)})`;
    return piece(of, forms(`($0 ${operator} $1)`, duck, lite), [left, right]);
  }

  #floating(depth: number): Piece {
    const { prng } = this;
    const number = (): Piece => this.of(prng.pick(['integer', 'decimal', 'float'] as const), depth);
    const [left, right] = [number(), number()];
    if (Math.max(left.digits, right.digits) > 15) return left.type === 'float' ? left : this.#leaf('float');
    if (prng.chance(0.5)) {
      if (right.type === 'float') return this.#leaf('float');
      const of = float(Math.min(30, wholeDigits(left) + right.scale));
      const duck = '(CAST($0 AS DOUBLE) / nullif(CAST($1 AS DOUBLE), 0))';
      const plain = left.type === 'integer' && right.type === 'integer';
      return piece(of, forms('($0 / $1)', duck, plain ? '(CAST($0 AS REAL) / nullif($1, 0))' : null), [
        left,
        right,
      ]);
    }
    if (left.type !== 'float' && right.type !== 'float') return this.#leaf('float');
    const operator = prng.pick(['+', '-', '*'] as const);
    const [a, b] = [wholeDigits(left), wholeDigits(right)];
    const digits = operator === '*' ? a + b : Math.max(a, b) + 1;
    if (digits > DIGITS_MAX) return this.#leaf('float');
    const duck = `(CAST($0 AS DOUBLE) ${operator} CAST($1 AS DOUBLE))`;
    return piece(float(digits), forms(`($0 ${operator} $1)`, duck), [left, right]);
  }

  #several(type: PieceType, low: number, high: number, depth: number): Piece[] {
    const members = Array.from({ length: this.prng.between(low, high) }, () =>
      this.of(type === 'decimal' && this.prng.chance(0.2) ? 'integer' : type, depth),
    );
    if (type === 'decimal') members[0] = this.of(type, depth);
    const scale = Math.max(...members.map((member) => member.scale));
    if (isExact(members[0]) && members.some((member) => wholeDigits(member) + scale > 30))
      return members.map(() => someLiteral(this.prng, type));
    return members;
  }

  #choice(type: PieceType, depth: number): Piece {
    const { prng } = this;
    const mayDecide = ({ firm, tame }: Piece): boolean => firm && (type !== 'text' || tame);
    switch (prng.below(6)) {
      case 0:
        return combined(this.#several(type, 2, 3, depth), (texts) => `COALESCE(${texts.join(', ')})`);
      case 1: {
        const [of, equals] = this.#several(type, 2, 2, depth);
        return mayDecide(of) && mayDecide(equals) ? (nulled(of, equals) ?? of) : of;
      }
      case 2: {
        const members = this.#several(type, 2, 3, depth);
        return members.every(mayDecide)
          ? extreme(prng.pick(['GREATEST', 'LEAST'] as const), members)
          : members[0];
      }
      case 3: {
        const of = this.#compared(depth);
        const whens = [literal(prng, of), literal(prng, of)];
        const scale = Math.max(...whens.map((when) => when.scale));
        if (wholeDigits(of) + scale > 30) return this.#leaf(type);
        return switched([of, ...whens], this.#several(type, 3, 3, depth));
      }
      default: {
        const values = this.#several(type, 2, 3, depth);
        const whens = values.slice(1).map(() => this.condition(depth));
        // The first has the requested type.
        return cased(whens, prng.chance(0.3) ? values.slice(0, -1) : values);
      }
    }
  }

  #call(type: PieceType, depth: number): Piece {
    const { prng } = this;
    for (let tries = 0; tries < 4; tries++) {
      const call: Call = prng.pick(CALLS.filter((candidate) => candidate.type === type));
      const args = call.parameters.map((taken) => this.of(taken, depth));
      const made = call.make(prng, args);
      if (made !== null) return made;
    }
    return this.#leaf(type);
  }

  // Conditions

  condition(depth: number): Piece {
    const { prng } = this;
    if (depth > 0 && prng.chance(0.3)) {
      const word = prng.pick(['AND', 'OR']);
      const members = Array.from({ length: prng.between(2, 3) }, () => this.condition(depth - 1));
      return piece(BOOLEAN, same(`(${members.map((_, index) => `$${index}`).join(` ${word} `)})`), members);
    }
    if (depth > 0 && prng.chance(0.12)) return piece(BOOLEAN, same('(NOT $0)'), [this.condition(depth - 1)]);
    if (depth > 0 && prng.chance(0.06)) {
      const is = prng.pick(['TRUE', 'FALSE', 'NOT TRUE', 'NOT FALSE']);
      return piece(BOOLEAN, same(`($0 IS ${is})`), [this.condition(depth - 1)]);
    }
    return this.predicate(depth);
  }

  predicate(depth: number): Piece {
    const { prng } = this;
    switch (prng.below(10)) {
      case 9:
        return this.#distinction();
      case 8:
        return prng.chance(0.3) ? this.#leaf('boolean') : this.#call('boolean', depth - 1);
      case 0: {
        const of = prng.chance(0.8)
          ? this.firm(depth - 1)
          : (this.leaves.find(({ type }) => type === 'json') ?? this.firm(0));
        return piece(BOOLEAN, same(`($0 IS ${prng.chance(0.5) ? 'NOT ' : ''}NULL)`), [of]);
      }
      case 1:
        return this.like(this.#compared(depth - 1, 'text'));
      case 2:
        return this.in(this.#compared(depth - 1));
      case 3:
        return this.between(this.#compared(depth - 1));
      default:
        return this.#comparison(depth - 1);
    }
  }

  /** A value that is used in a comparison; text is compared without case. */
  #compared(depth: number, type?: PieceType): Piece {
    const found = this.firm(depth, type);
    // Quarry compares texts without case.
    return found.type === 'text' && !found.tame ? piece(TEXT, forms('$0', 'lower($0)'), [found]) : found;
  }

  #beside(of: Piece, depth: number): Piece {
    const { prng } = this;
    if (isExact(of)) {
      const other = prng.chance(0.7)
        ? literal(prng, of)
        : this.#compared(depth, prng.pick(['integer', 'decimal'] as const));
      return wholeDigits(other) + of.scale > 30 || wholeDigits(of) + other.scale > 30
        ? literal(prng, of)
        : other;
    }
    return prng.chance(0.7) ? literal(prng, of) : this.#compared(depth, of.type);
  }

  #comparison(depth: number): Piece {
    const { prng } = this;
    const left = this.#compared(depth);
    const right = this.#beside(left, depth);
    return this.compare(prng.chance(0.2) ? [right, left] : [left, right]);
  }

  #distinction(): Piece {
    const of = this.#compared(0);
    const operator = `IS ${this.prng.chance(0.5) ? 'NOT ' : ''}DISTINCT FROM`;
    return comparison(operator, of, this.#beside(of, 0));
  }

  compare([left, right]: readonly [Piece, Piece], operators: readonly string[] = COMPARISONS): Piece {
    return comparison(this.prng.pick(operators), left, right);
  }

  between(of: Piece): Piece {
    return between([of, this.#beside(of, 0), this.#beside(of, 0)], this.prng.chance(0.25) ? 'NOT ' : '');
  }

  in(of: Piece): Piece {
    const { prng } = this;
    const count = prng.pick([1, 2, 3, 6]);
    const values = Array.from({ length: count }, () =>
      prng.chance(0.1) ? this.#beside(of, 0) : literal(prng, of),
    );
    return inList([of, ...values], prng.chance(0.3) ? 'NOT ' : '', prng.chance(0.08));
  }

  like(of: Piece): Piece {
    const { prng } = this;
    let pattern = Array.from({ length: prng.below(5) }, () => prng.pick(PATTERN_PARTS)).join('');
    if (prng.chance(0.4)) pattern = `%${pattern}%`;
    const not = prng.chance(0.3) ? 'NOT ' : '';
    const escaped = prng.chance(0.15);
    if (escaped) pattern = pattern.replace(/\\/g, '!!') + prng.pick(['!%', '!_', '']);
    const end = escaped ? " ESCAPE '!'" : '';
    const written = prng.chance(0.3) ? pattern.toUpperCase() : pattern;
    const other = `($0 ${not}LIKE ${quoted(lower(written))}${end})`;
    return piece(BOOLEAN, forms(`($0 ${not}LIKE ${quoted(written)}${end})`, other, other), [of]);
  }
}
