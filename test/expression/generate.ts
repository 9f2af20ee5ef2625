/** Generated expressions over given columns: every operation, of every type that it takes. */
import type { Prng } from '../../src/base/index.js';
import {
  type Constant,
  DATE_UNITS,
  type Expression,
  LENGTH_UNITS,
  type ScalarFunction,
} from '../../src/ir/index.js';
import type { SqlType, Value } from '../../src/vector/index.js';
import { BOOLEAN, type Column, DATE, DATETIME, decimal, FLOAT, INTEGER, TEXT } from './rows.js';

type Branch = Extract<Expression, { readonly op: 'case' }>['branches'][number];

const COMPARISONS = ['=', '<>', '<', '<=', '>', '>='] as const;
const same = (a: SqlType, b: SqlType): boolean =>
  a.type === b.type && (a.type !== 'decimal' || b.type !== 'decimal' || a.scale === b.scale);
export const constant = (type: SqlType, value: Value): Constant => ({ op: 'constant', type, value });

export function branch(when: Expression, then: Expression): Branch {
  return { when, then };
}

/**
 * Operations that are left out because another engine defines them differently; see the comparison with that engine.
 */
export interface Limits {
  /** Whether expressions may be refused: strict casts of texts, too many digits, dates out of range. */
  readonly refusals: boolean;
  /** Functions that are left out. */
  readonly without: readonly ScalarFunction[];
  /** Target types of casts to text that both engines write alike. */
  readonly writes: readonly SqlType['type'][];
  /** Whether % of decimals is generated. */
  readonly decimalRemainders: boolean;
}

export const ALL: Limits = {
  refusals: true,
  without: [],
  writes: ['integer', 'decimal', 'float', 'boolean', 'date', 'datetime', 'json', 'text'],
  decimalRemainders: true,
};

const LIKE_PARTS = ['%', '_', 'a', 'é', '日', '😀', 'b', 'er', ' ', '%%', 'n'];

export class Generator {
  readonly #random: Prng;
  readonly #columns: readonly Column[];
  readonly #limits: Limits;
  /** The types of the columns, except json. */
  readonly #types: readonly SqlType[];
  readonly #exact: readonly SqlType[];

  constructor(random: Prng, columns: readonly Column[], limits: Limits) {
    this.#random = random;
    this.#columns = columns;
    this.#limits = limits;
    const types = columns.map(({ type }) => type).filter(({ type }) => type !== 'json');
    this.#types = types.filter((type, index) => types.findIndex((other) => same(other, type)) === index);
    this.#exact = this.#types.filter(({ type }) => type === 'integer' || type === 'decimal');
  }

  any(depth: number): Expression {
    return this.of(this.#random.pick(this.#types), depth);
  }

  of(type: SqlType, depth: number): Expression {
    const random = this.#random;
    if (depth === 0 || random.chance(0.1)) return this.#leaf(type);
    if (random.chance(0.25)) return this.#branching(type, depth - 1);
    switch (type.type) {
      case 'boolean':
        return this.#boolean(depth - 1);
      case 'text':
        return this.#text(depth - 1);
      case 'integer':
        return random.chance(0.5) ? this.#counting(depth - 1) : this.#exactOf(type, depth - 1);
      case 'decimal':
        return this.#exactOf(type, depth - 1);
      case 'float':
        return this.#float(depth - 1);
      default:
        return this.#time(type, depth - 1);
    }
  }

  #leaf(type: SqlType): Expression {
    const random = this.#random;
    const inputs = this.#columns.flatMap((column, input) => (same(column.type, type) ? [input] : []));
    if (inputs.length > 0 && random.chance(0.75)) return { op: 'input', type, input: random.pick(inputs) };
    return constant(type, random.chance(0.1) ? null : this.#value(type));
  }

  #value(type: SqlType): Value {
    const random = this.#random;
    const columns = this.#columns.filter((column) => same(column.type, type));
    return columns.length === 0 ? 3n : random.pick(columns).draw(random);
  }

  #branching(type: SqlType, depth: number): Expression {
    const random = this.#random;
    switch (random.below(4)) {
      case 0: {
        const branches = Array.from({ length: random.between(1, 3) }, () => {
          return branch(this.of(BOOLEAN, depth), this.of(type, depth));
        });
        return { op: 'case', type, branches, otherwise: random.chance(0.3) ? null : this.of(type, depth) };
      }
      case 1:
        return { op: 'coalesce', type, members: this.#some(type, depth, 3) };
      case 2:
        return { op: 'null-if', type, of: this.of(type, depth), equals: this.of(type, depth) };
      default: {
        const name = random.chance(0.5) ? 'greatest' : 'least';
        return this.#call(name, type, this.#some(type, depth, 3));
      }
    }
  }

  #some(type: SqlType, depth: number, max: number): Expression[] {
    return Array.from({ length: this.#random.between(1, max) }, () => this.of(type, depth));
  }

  #call(name: ScalarFunction, type: SqlType, args: readonly Expression[]): Expression {
    if (this.#limits.without.includes(name)) return this.of(type, 0);
    return { op: 'call', type, name, args, unit: null };
  }

  #boolean(depth: number): Expression {
    const random = this.#random;
    const type = BOOLEAN;
    switch (random.below(8)) {
      case 0:
        return { op: random.chance(0.5) ? 'and' : 'or', type, members: this.#some(type, depth, 4) };
      case 1:
        return { op: 'not', type, member: this.of(type, depth) };
      case 2:
        return { op: 'is-null', type, of: this.any(depth), negated: random.chance(0.5) };
      case 3: {
        const of = this.any(depth);
        const values = Array.from({ length: random.between(1, 5) }, () =>
          random.chance(0.1) ? null : this.#value(of.type),
        );
        return { op: 'in', type, of, values, negated: random.chance(0.5) };
      }
      case 4: {
        const pattern = Array.from({ length: random.below(5) }, () => random.pick(LIKE_PARTS)).join('');
        return {
          op: 'like',
          type,
          of: this.of(TEXT, depth),
          pattern,
          escape: null,
          negated: random.chance(0.5),
        };
      }
      case 5: {
        const name = random.pick(['starts-with', 'ends-with', 'contains'] as const);
        return this.#call(name, type, [this.of(TEXT, depth), this.of(TEXT, 0)]);
      }
      case 6:
        return this.#cast(this.of(random.pick([...this.#exact, FLOAT, TEXT]), depth), type);
      default: {
        const left = this.any(depth);
        return {
          op: 'compare',
          type,
          comparison: random.pick(COMPARISONS),
          left,
          right: this.of(left.type, depth),
        };
      }
    }
  }

  #text(depth: number): Expression {
    const random = this.#random;
    const text = (): Expression => this.of(TEXT, depth);
    const count = (): Expression => constant(INTEGER, BigInt(random.between(-3, 6)));
    // DuckDB is inconsistent for starts and lengths before the text: ASCII columns and others differ.
    const length = (): Expression =>
      constant(INTEGER, BigInt(random.between(this.#limits.refusals ? -3 : 0, 6)));
    const start = (): Expression => {
      const start = this.of(INTEGER, 0);
      return this.#limits.refusals ? start : this.#call('abs', INTEGER, [start]);
    };
    const shortText = (): Expression => constant(TEXT, random.pick(['', 'a', 'x', '日', '😀', 'er']));
    switch (random.below(10)) {
      case 0:
        return this.#call(
          random.pick(['lower', 'upper', 'trim', 'ltrim', 'rtrim', 'reverse'] as const),
          TEXT,
          [text()],
        );
      case 1:
        return this.#call(random.pick(['left', 'right', 'repeat'] as const), TEXT, [text(), count()]);
      case 2:
        return this.#call(
          'substring',
          TEXT,
          random.chance(0.5) ? [text(), length()] : [text(), length(), length()],
        );
      case 3:
        return this.#call('replace', TEXT, [text(), shortText(), shortText()]);
      case 4:
        return this.#call(
          random.pick(['concat', 'concat-strict'] as const),
          TEXT,
          this.#some(TEXT, depth, 3),
        );
      case 5: {
        const filler = this.#limits.refusals ? shortText() : constant(TEXT, 'xy');
        return this.#call(random.pick(['lpad', 'rpad'] as const), TEXT, [text(), count(), filler]);
      }
      case 6:
        return this.#call('substring', TEXT, [text(), start(), length()]);
      case 7:
        return this.#call(random.pick(['trim', 'ltrim', 'rtrim'] as const), TEXT, [
          text(),
          constant(TEXT, 'ax '),
        ]);
      default: {
        const from = random.pick(this.#types.filter(({ type }) => this.#limits.writes.includes(type)));
        return this.#cast(this.of(from, depth), TEXT);
      }
    }
  }

  #cast(of: Expression, type: SqlType): Expression {
    const lenient = !this.#limits.refusals || this.#random.chance(0.7);
    return { op: 'cast', type, of, lenient };
  }

  /** Integers usable as counts. */
  #counting(depth: number): Expression {
    const random = this.#random;
    switch (random.below(5)) {
      case 0:
        return this.#call('length', INTEGER, [this.of(TEXT, depth)]);
      case 1:
        return this.#call('position', INTEGER, [
          constant(TEXT, random.pick(['', 'a', 'r', '語'])),
          this.of(TEXT, depth),
        ]);
      case 2: {
        const of = this.of(random.chance(0.5) ? DATE : DATETIME, depth);
        return { op: 'call', type: INTEGER, name: 'date-part', args: [of], unit: random.pick(DATE_UNITS) };
      }
      case 3: {
        const type = random.chance(0.5) ? DATE : DATETIME;
        return {
          op: 'call',
          type: INTEGER,
          name: 'date-diff',
          args: [this.of(type, depth), this.of(type, 0)],
          unit: this.#length(),
        };
      }
      default:
        return this.#call('sign', INTEGER, [this.of(random.pick([...this.#exact, FLOAT]), depth)]);
    }
  }

  #length() {
    return this.#random.pick(LENGTH_UNITS);
  }

  #exactOf(type: SqlType, depth: number): Expression {
    const random = this.#random;
    const scale = type.type === 'decimal' ? type.scale : 0;
    switch (random.below(7)) {
      case 0:
      case 1:
        return {
          op: 'arithmetic',
          type,
          operator: random.pick(['+', '-']),
          left: this.of(type, depth),
          right: this.of(type, depth),
        };
      case 2:
        return {
          op: 'arithmetic',
          type,
          operator: '%',
          left: this.of(type, depth),
          right: this.of(type, depth),
        };
      case 3: {
        const leftScale = random.below(scale + 1);
        const part = (places: number): SqlType => (places === 0 ? INTEGER : decimal(places));
        return {
          op: 'arithmetic',
          type,
          operator: '*',
          left: this.of(part(leftScale), depth),
          right: this.of(part(scale - leftScale), depth),
        };
      }
      case 4:
        return this.#call(random.pick(['negate', 'abs'] as const), type, [this.of(type, depth)]);
      case 5: {
        const of = this.of(random.pick(this.#exact), depth);
        const name = random.pick(['floor', 'ceiling', 'round', 'truncate'] as const);
        const digits =
          name === 'round' && random.chance(0.7)
            ? [constant(INTEGER, BigInt(random.between(-3, scale)))]
            : [];
        return this.#call(name, type, [of, ...digits]);
      }
      default:
        return this.#cast(this.of(random.pick([...this.#exact, FLOAT, BOOLEAN, TEXT]), depth), type);
    }
  }

  #float(depth: number): Expression {
    const random = this.#random;
    const float = (): Expression => this.of(FLOAT, depth);
    switch (random.below(5)) {
      case 0:
      case 1:
        return {
          op: 'arithmetic',
          type: FLOAT,
          operator: random.pick(['+', '-', '*', '/', '%']),
          left: float(),
          right: float(),
        };
      case 2:
        return this.#call(
          random.pick([
            'negate',
            'abs',
            'floor',
            'ceiling',
            'truncate',
            'sqrt',
            'exp',
            'ln',
            'log10',
          ] as const),
          FLOAT,
          [float()],
        );
      case 3:
        if (random.chance(0.5)) return this.#call('power', FLOAT, [float(), float()]);
        return this.#call('round', FLOAT, [float(), constant(INTEGER, BigInt(random.between(-3, 4)))]);
      default:
        return this.#cast(this.of(random.pick([...this.#exact, BOOLEAN, TEXT]), depth), FLOAT);
    }
  }

  #time(type: SqlType, depth: number): Expression {
    const random = this.#random;
    switch (random.below(4)) {
      case 0:
        return {
          op: 'call',
          type,
          name: 'date-truncate',
          args: [this.of(type, depth)],
          unit: this.#length(),
        };
      case 1: {
        const from = type.type === 'date' || random.chance(0.5) ? type : DATE;
        const amount = random.chance(0.5)
          ? this.of(INTEGER, 0)
          : constant(INTEGER, BigInt(random.between(-30, 30)));
        return {
          op: 'call',
          type,
          name: 'date-add',
          args: [amount, this.of(from, depth)],
          unit: this.#length(),
        };
      }
      case 2:
        if (type.type === 'date' && this.#limits.refusals) {
          return this.#call('make-date', type, [
            constant(INTEGER, 2_021n),
            this.of(INTEGER, 0),
            this.of(INTEGER, 0),
          ]);
        }
        return this.#cast(this.of(type.type === 'date' ? DATETIME : DATE, depth), type);
      default:
        // Other engines may read a part of a date's text as a date: 9-12-3.
        return this.#cast(this.of(TEXT, this.#limits.refusals ? depth : 0), type);
    }
  }
}
