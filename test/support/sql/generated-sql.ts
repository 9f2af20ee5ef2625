/**
 * Generated SQL trees with every kind of node and statement that can be parsed. Nodes have parentheses where the text
 * requires them and randomly elsewhere; source positions are meaningless.
 */
import type { Prng } from '../../../src/base/index.js';
import type { InsertStatement, Script, SelectStatement, SqlNode, TableName } from '../../../src/sql/index.js';

export const NOWHERE = { line: 0, column: 0 };
const bare = { position: NOWHERE, parenthesized: false } as const;

const NAMES = [
  ...[
    'age',
    'name',
    'Score',
    'entity-id',
    'clicks.value',
    'clicks.date',
    'clicks.1.value',
    'default',
    'date',
  ],
  ...[
    'top',
    'offset',
    'end',
    'from',
    'value',
    'größe',
    'a]b',
    'say "x"',
    "o'neill",
    '日本',
    '12',
    'x y',
    '_x$1',
    'fetch',
  ],
];
const STRINGS = [
  '',
  'a',
  "it's",
  'say "x"',
  'days',
  '[x]',
  ';',
  '-- no',
  '/* no */',
  'ü🙂',
  'line\nfeed',
  '%x_!%',
  "''",
];
const NUMBERS = [
  '0',
  '7',
  '18446744073709551616',
  '99999999999999999999999999999999999999',
  '1.50',
  '0.001',
  '1e5',
];
const TYPES = ['int', 'varchar', 'double precision', 'decimal', 'date'];
const COMPARISONS = ['=', '<>', '<', '<=', '>', '>='] as const;
const UNITS = ['year', 'dd', 'Month'];

/** How tightly a node binds: 1 OR, 2 AND, 3 NOT, 4 comparisons, 5 ||, 6 + and -, 7 * / %, 8 signs, 9 all else. */
function strengthOf(node: SqlNode): number {
  switch (node.is) {
    case 'or':
      return 1;
    case 'and':
      return 2;
    case 'not':
      return 3;
    case 'compare':
    case 'in':
    case 'like':
    case 'between':
    case 'is-null':
      return 4;
    case 'arithmetic':
      return node.operator === '||' ? 5 : node.operator === '+' || node.operator === '-' ? 6 : 7;
    case 'negative':
      return 8;
    case 'number':
      return node.text.startsWith('-') ? 8 : 9;
    default:
      return 9;
  }
}

export class SqlGenerator {
  protected readonly random: Prng;

  constructor(random: Prng) {
    this.random = random;
  }

  script(): Script {
    const count = this.random.between(1, 3);
    if (this.random.chance(0.75)) {
      return { kind: 'reads', statements: Array.from({ length: count }, () => this.#select()) };
    }
    return {
      kind: 'writes',
      statements: Array.from({ length: count }, () => {
        const where = this.maybe(0.7, () => this.node(3));
        const head = { position: NOWHERE, table: this.#table(), tables: [], from: [], returning: null };
        const kind = this.random.below(3);
        if (kind === 0) return this.#insert();
        if (kind === 1) return { is: 'delete', ...head, where };
        return { is: 'update', ...head, set: this.some(3, () => this.#assignment()), where };
      }),
    };
  }

  /** A node with at most `depth` levels below it, and parentheses if it binds less tightly than `strength`. */
  node(depth: number, strength = 1): SqlNode {
    const node = depth === 0 || this.random.chance(0.15) ? this.#leaf() : this.#inner(depth - 1);
    const parenthesized = strengthOf(node) < strength || this.random.chance(0.1);
    return { ...node, parenthesized };
  }

  #leaf(): SqlNode {
    const random = this.random;
    const kind = random.below(10);
    if (kind === 0) return { is: 'null', ...bare };
    if (kind === 1) return { is: 'boolean', value: random.chance(0.5), ...bare };
    if (kind < 4) return this.#string();
    if (kind < 6)
      return { is: 'number', text: (random.chance(0.3) ? '-' : '') + random.pick(NUMBERS), ...bare };
    const table = random.chance(0.2) ? random.pick(NAMES) : null;
    return { is: 'column', table, name: random.pick(NAMES), ...bare };
  }

  #string(): SqlNode & { readonly is: 'string' } {
    const quotes = this.random.chance(0.8) ? 'single' : 'double';
    return { is: 'string', text: this.random.pick(STRINGS), quotes, ...bare };
  }

  #inner(depth: number): SqlNode {
    const random = this.random;
    const negated = random.chance(0.4);
    switch (random.below(13)) {
      case 0:
        return { is: 'or', left: this.node(depth, 1), right: this.node(depth, 2), ...bare };
      case 1:
      case 2:
        return { is: 'and', left: this.node(depth, 2), right: this.node(depth, 3), ...bare };
      case 3:
        return { is: 'not', of: this.node(depth, 3), ...bare };
      case 4: {
        const [left, right] = [this.node(depth, 5), this.node(depth, 5)];
        return { is: 'compare', comparison: random.pick(COMPARISONS), left, right, ...bare };
      }
      case 5: {
        const values = this.some(4, () => this.node(depth));
        return { is: 'in', of: this.node(depth, 5), values, negated, ...bare };
      }
      case 6: {
        const mark = random.chance(0.5) ? random.pick(['!', "'", '']) : null;
        return {
          is: 'like',
          of: this.node(depth, 5),
          pattern: this.node(depth, 5),
          escape: mark,
          ignoresCase: random.chance(0.3),
          negated,
          ...bare,
        };
      }
      case 7: {
        const [of, low, high] = [this.node(depth, 5), this.node(depth, 5), this.node(depth, 5)];
        return { is: 'between', of, low, high, negated, ...bare };
      }
      case 8:
        return { is: 'is-null', of: this.node(depth, 5), negated, ...bare };
      case 9:
        return this.#negative(depth);
      case 10:
        return this.#case(depth);
      case 11:
        return this.#called(depth);
      default:
        return this.#arithmetic(depth);
    }
  }

  /** Without parentheses, a sign before a number would become part of the number. */
  #negative(depth: number): SqlNode {
    const of = this.node(depth, 8);
    const folds = of.is === 'number' && !of.text.startsWith('-');
    return { is: 'negative', of: folds ? { ...of, parenthesized: true } : of, ...bare };
  }

  #arithmetic(depth: number): SqlNode {
    const operator = this.random.pick(['+', '-', '*', '/', '%', '||'] as const);
    const strength = operator === '||' ? 5 : operator === '+' || operator === '-' ? 6 : 7;
    const [left, right] = [this.node(depth, strength), this.node(depth, strength + 1)];
    return { is: 'arithmetic', operator, left, right, ...bare };
  }

  #case(depth: number): SqlNode {
    const branches = this.some(2, () => {
      const [when, result] = [this.node(depth), this.node(depth)];
      // biome-ignore lint/suspicious/noThenProperty: the word of SQL; nobody awaits a branch
      return { when, then: result };
    });
    const otherwise = this.maybe(0.5, () => this.node(depth));
    return { is: 'case', of: this.maybe(0.4, () => this.node(depth)), branches, otherwise, ...bare };
  }

  #called(depth: number): SqlNode {
    const random = this.random;
    const unit = { is: 'string', text: random.pick(UNITS), quotes: 'single', ...bare } as const;
    const call = (name: string, ...args: SqlNode[]): SqlNode => {
      return { is: 'call', name, args, distinct: false, ...bare };
    };
    switch (random.below(9)) {
      case 0: {
        const lenient = random.chance(0.3);
        const precision = random.chance(0.5) ? random.below(39) : null;
        const scale = precision !== null && random.chance(0.5) ? random.below(39) : null;
        return {
          is: 'cast',
          of: this.node(depth),
          typeName: random.pick(TYPES),
          precision,
          scale,
          lenient,
          ...bare,
        };
      }
      case 1:
        return call('extract', unit, this.node(depth));
      case 2:
        return call(random.pick(['datepart', 'date_trunc']), unit, this.node(depth));
      case 3:
        return call('position', this.node(depth, 5), this.node(depth, 5));
      case 4:
        return call('substring', this.node(depth), this.node(depth), ...this.some(1, () => this.node(depth)));
      case 5:
        return call('count', { is: 'star', table: null, ...bare });
      case 6: {
        const distinct = { is: 'call', name: 'count', args: [this.node(depth)], distinct: true } as const;
        return { ...distinct, ...bare };
      }
      case 7:
        return call(random.pick(['current_date', 'current_timestamp', 'pi']));
      default:
        return call(
          random.pick(['upper', 'left', 'coalesce', 'interval']),
          ...this.some(3, () => this.node(depth)),
        );
    }
  }

  #select(): SelectStatement {
    const random = this.random;
    const count = random.pick([0, 5, Number.MAX_SAFE_INTEGER]);
    return {
      is: 'select',
      position: NOWHERE,
      explain: random.chance(0.8) ? 'no' : random.chance(0.5) ? 'plan' : 'analyze',
      distinct: random.chance(0.2),
      items: this.some(3, () => this.#item()),
      from: this.#table(),
      joins: random.chance(0.8)
        ? []
        : this.some(2, () => {
            const kind = random.chance(0.5) ? 'inner' : 'left';
            return { table: this.#table(), kind, on: this.node(2) };
          }),
      where: this.maybe(0.7, () => this.node(5)),
      groupBy: random.chance(0.6) ? [] : this.some(3, () => this.node(2)),
      having: this.maybe(0.3, () => this.node(2)),
      orderBy: random.chance(0.6)
        ? []
        : this.some(3, () => ({ of: this.node(2), descending: random.chance(0.5), missing: null })),
      limit: this.maybe(0.5, () => ({ count, position: NOWHERE })),
      offset: random.chance(0.6) ? 0 : random.below(1_000),
    };
  }

  #item(): SelectStatement['items'][number] {
    if (this.random.chance(0.1)) {
      const table = this.random.chance(0.5) ? this.random.pick(NAMES) : null;
      return { of: { is: 'star', table, ...bare }, alias: null };
    }
    return { of: this.node(3), alias: this.random.chance(0.4) ? this.random.pick(NAMES) : null };
  }

  #insert(): InsertStatement {
    const columns = this.some(4, () => ({ name: this.random.pick(NAMES), position: NOWHERE }));
    const rows = this.some(3, () => columns.map(() => this.#literal()));
    const table = { ...this.#table(), alias: null };
    const head = { position: NOWHERE, table, tables: [], columns };
    return { is: 'insert', ...head, rows, conflict: null, returning: null };
  }

  #literal(): SqlNode {
    for (;;) {
      const leaf = this.#leaf();
      if (leaf.is !== 'column') return leaf;
    }
  }

  #assignment(): { readonly column: string; readonly position: typeof NOWHERE; readonly value: SqlNode } {
    return { column: this.random.pick(NAMES), position: NOWHERE, value: this.#literal() };
  }

  #table(): TableName {
    const alias = this.random.chance(0.3) ? this.random.pick(NAMES) : null;
    return { name: this.random.pick(NAMES), alias, position: NOWHERE };
  }

  protected some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.random.between(1, most) }, make);
  }

  protected maybe<T>(probability: number, make: () => T): T | null {
    return this.random.chance(probability) ? make() : null;
  }
}
