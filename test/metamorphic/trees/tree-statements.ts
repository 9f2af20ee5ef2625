/**
 * Generated SELECTs of general form: nested derived tables, joins of every kind, subqueries with and without correlation,
 * set operations, windows, grouping sets, WITH. Every statement means the same in Quarry and in DuckDB: texts are in lower
 * case, orders are total and name NULLS LAST, and values are small enough for every type.
 */
import type { Prng } from '../../../src/base/index.js';

export type TreeType = 'integer' | 'text' | 'date' | 'boolean' | 'decimal';

interface TreeColumn {
  readonly name: string;
  readonly type: TreeType;
}

export interface TreeTable {
  readonly name: string;
  readonly columns: readonly TreeColumn[];
}

export const TREE_TABLES: readonly TreeTable[] = [
  {
    name: 'alpha',
    columns: [
      { name: 'k', type: 'integer' },
      { name: 'n', type: 'integer' },
      { name: 'w', type: 'text' },
      { name: 'd', type: 'date' },
      { name: 'f', type: 'boolean' },
      { name: 'm', type: 'decimal' },
    ],
  },
  {
    name: 'beta',
    columns: [
      { name: 'k', type: 'integer' },
      { name: 'v', type: 'text' },
      { name: 'p', type: 'decimal' },
      { name: 'e', type: 'date' },
    ],
  },
  {
    name: 'gamma',
    columns: [
      { name: 'g', type: 'integer' },
      { name: 'w', type: 'text' },
    ],
  },
];

/** A column that an expression can read: its text and its type. */
interface Name {
  readonly text: string;
  readonly type: TreeType;
}

interface Rows {
  readonly sql: string;
  readonly columns: readonly TreeColumn[];
}

interface FromRows {
  readonly sql: string;
  readonly names: readonly Name[];
}

export interface TreeParts {
  readonly from: string;
  readonly columns: readonly string[];
  /** By column. */
  readonly types: readonly TreeType[];
  readonly integer: string;
  readonly condition: string;
  readonly subquery: string;
}

const TYPES: readonly TreeType[] = ['integer', 'text', 'date', 'boolean', 'decimal'];
const DEPTH_MAX = 3;

export class TreeStatements {
  readonly #prng: Prng;
  #aliases = 0;

  constructor(prng: Prng) {
    this.#prng = prng;
  }

  any(): string {
    this.#aliases = 0;
    const { sql, columns } = this.#query(DEPTH_MAX, []);
    const prng = this.#prng;
    if (prng.chance(0.3))
      return `${sql} ${this.#order(columns)}${prng.chance(0.6) ? ` LIMIT ${prng.below(8)}` : ''}`;
    return sql;
  }

  /** A FROM of joins and derived tables, its columns, a condition on them, and a subquery of one integer without correlation. */
  parts(): TreeParts {
    this.#aliases = 0;
    const { sql: from, names } = this.#from(DEPTH_MAX, []);
    return {
      from,
      columns: names.slice(0, 4).map(({ text }) => text),
      types: names.slice(0, 4).map(({ type }) => type),
      integer: this.#columnOf('integer', names),
      condition: this.#predicate(names, 2, []),
      subquery: this.#scalarSubquery('integer', [], []),
    };
  }

  #alias(): string {
    return `t${++this.#aliases}`;
  }

  /** A total order over the columns of a query. */
  #order(columns: readonly TreeColumn[]): string {
    const keys = columns.map(
      (_column, index) => `${index + 1}${this.#prng.pick([' ASC', ' DESC'])} NULLS LAST`,
    );
    return `ORDER BY ${keys.join(', ')}`;
  }

  /** `outer`: the columns of the blocks around the query. */
  #query(depth: number, outer: readonly Name[]): Rows {
    const prng = this.#prng;
    if (depth > 1 && prng.chance(0.15)) return this.#set(depth, outer);
    if (depth > 1 && prng.chance(0.1)) return this.#with(depth);
    if (depth > 1 && prng.chance(0.05)) return this.#recursive(depth);
    return this.#block(depth, outer);
  }

  #set(depth: number, outer: readonly Name[]): Rows {
    const left = this.#block(depth - 1, outer, 3);
    const right = this.#block(
      depth - 1,
      outer,
      0,
      left.columns.map(({ type }) => type),
    );
    const operator = this.#prng.pick([
      'UNION',
      'UNION ALL',
      'INTERSECT',
      'EXCEPT',
      'INTERSECT ALL',
      'EXCEPT ALL',
    ]);
    return { sql: `(${left.sql}) ${operator} (${right.sql})`, columns: left.columns };
  }

  #with(depth: number): Rows {
    const name = this.#alias();
    const table = this.#query(depth - 1, []);
    const [a, b] = [this.#alias(), this.#alias()];
    const names = (alias: string): Name[] =>
      table.columns.map(({ name: column, type }) => ({ text: `${alias}.${column}`, type }));
    const both = [...names(a), ...names(b)];
    const from = this.#prng.chance(0.5)
      ? { sql: `${name} ${a} JOIN ${name} ${b} ON ${this.#equal(names(a), names(b)) ?? 'true'}`, names: both }
      : { sql: `${name} ${a}`, names: names(a) };
    const body = this.#blockOver(from, depth - 1, []);
    return { sql: `WITH ${name} AS (${table.sql}) ${body.sql}`, columns: body.columns };
  }

  /** Without ALL, a recursive part that selects stored values and small numbers ends. */
  #recursive(depth: number): Rows {
    const prng = this.#prng;
    const [name, alias] = [this.#alias(), this.#alias()];
    const columns = ['integer', prng.pick(TYPES)].map((type, index) => ({
      name: `c${index + 1}`,
      type: type as TreeType,
    }));
    const types = columns.map(({ type }) => type);
    const first = this.#blockOver(this.#table(), 1, [], 2, types);
    const own = columns.map((column) => ({ text: `${name}.${column.name}`, type: column.type }));
    const table = this.#table();
    const isJoined = prng.chance(0.6);
    const equal = (isJoined ? this.#equal(own, table.names) : null) ?? 'true';
    const names = isJoined ? [...own, ...table.names] : own;
    const from = isJoined ? `${name} JOIN ${table.sql} ON ${equal}` : name;
    const next = prng.chance(0.5) ? `CASE WHEN ${own[0].text} < 5 THEN ${own[0].text} + 1 END` : own[0].text;
    const of = prng.chance(0.5) ? next : this.#columnOf('integer', names);
    const where = prng.chance(0.5) ? ` WHERE ${this.#comparison(names)}` : '';
    const round = `SELECT ${of}, ${this.#columnOf(types[1], names)} FROM ${from}${where}`;
    const read = columns.map((column) => ({ text: `${alias}.${column.name}`, type: column.type }));
    const body = this.#blockOver({ sql: `${name} ${alias}`, names: read }, depth - 1, []);
    const sql = `WITH RECURSIVE ${name}(c1, c2) AS (${first.sql} UNION ${round}) ${body.sql}`;
    return { sql, columns: body.columns };
  }

  #block(depth: number, outer: readonly Name[], atMost = 5, types: readonly TreeType[] | null = null): Rows {
    return this.#blockOver(this.#from(depth, outer), depth, outer, atMost, types);
  }

  #from(depth: number, outer: readonly Name[]): FromRows {
    const prng = this.#prng;
    if (depth <= 1 || prng.chance(0.3)) return this.#table();
    if (prng.chance(0.4)) return this.#derived(depth - 1);
    const left = this.#from(depth - 1, outer);
    if (prng.chance(0.1)) return this.#series(left);
    const right = this.#from(depth - 1, outer);
    const names = [...left.names, ...right.names];
    const kind = prng.pick(['JOIN', 'JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN']);
    const equal = this.#equal(left.names, right.names);
    if (equal === null)
      return { sql: `${left.sql} CROSS JOIN (SELECT 1 AS one) ${this.#alias()}`, names: left.names };
    const more = kind !== 'FULL JOIN' && prng.chance(0.3) ? ` AND ${this.#predicate(names, 0, [])}` : '';
    return { sql: `${left.sql} ${kind} ${right.sql} ON ${equal}${more}`, names };
  }

  #table(): FromRows {
    const alias = this.#alias();
    const { name, columns } = this.#prng.pick(TREE_TABLES);
    return {
      sql: `${name} ${alias}`,
      names: columns.map(({ name: column, type }) => ({ text: `${alias}.${column}`, type })),
    };
  }

  /** A series of constants, or of the columns of the rows on its left. */
  #series({ sql, names }: FromRows): FromRows {
    const prng = this.#prng;
    const alias = this.#alias();
    const bound = (): string => (prng.chance(0.5) ? String(prng.below(4)) : this.#columnOf('integer', names));
    const step = prng.pick(['', '', ', 2', ', -1']);
    const from = `generate_series(${bound()}, ${bound()}${step}) AS ${alias}(x)`;
    return {
      sql: `${sql} ${prng.chance(0.5) ? `CROSS JOIN LATERAL ${from}` : `JOIN ${from} ON true`}`,
      names: [...names, { text: `${alias}.x`, type: 'integer' }],
    };
  }

  #derived(depth: number): FromRows {
    const { sql, columns } = this.#query(depth, []);
    const alias = this.#alias();
    const limited = this.#prng.chance(0.15)
      ? `${sql} ${this.#order(columns)} LIMIT ${1 + this.#prng.below(6)}`
      : sql;
    return {
      sql: `(${limited}) ${alias}`,
      names: columns.map(({ name, type }) => ({ text: `${alias}.${name}`, type })),
    };
  }

  /** An equality between a column of both; null if they have no type in common. */
  #equal(left: readonly Name[], right: readonly Name[]): string | null {
    const pairs = left.flatMap((a) =>
      right.filter((b) => a.type === b.type && a.type !== 'boolean').map((b) => `${a.text} = ${b.text}`),
    );
    return pairs.length === 0 ? null : this.#prng.pick(pairs);
  }

  #blockOver(
    from: FromRows,
    depth: number,
    outer: readonly Name[],
    atMost = 5,
    types: readonly TreeType[] | null = null,
  ): Rows {
    const prng = this.#prng;
    const where = prng.chance(0.6) ? ` WHERE ${this.#predicate(from.names, depth, outer)}` : '';
    const body = ` FROM ${from.sql}${where}`;
    const form = prng.below(10);
    if (form < 3) return this.#grouped(from.names, body, atMost, types, outer.length === 0);
    const wanted = types ?? Array.from({ length: 1 + prng.below(atMost) }, () => prng.pick(TYPES));
    const items = wanted.map((type, index) => {
      const isWindow = form === 3 && index === 0 && (type === 'integer' || type === 'decimal');
      const text = isWindow
        ? this.#window(from.names, type)
        : this.#expression(type, from.names, depth, outer);
      return { text, type };
    });
    return named(`SELECT ${form === 4 ? 'DISTINCT ' : ''}`, items, body);
  }

  #grouped(
    names: readonly Name[],
    body: string,
    atMost: number,
    types: readonly TreeType[] | null,
    mayHaveSets: boolean,
  ): Rows {
    const prng = this.#prng;
    // A number alone would be the number of an item.
    const keys = Array.from({ length: prng.below(3) }, () =>
      this.#scalar(prng.pick(TYPES), names, 1).replace(/^(\d+)$/, '($1 + 0)'),
    );
    const wanted = types ?? Array.from({ length: 1 + prng.below(atMost) }, () => prng.pick(TYPES));
    const items = wanted.map((type) => ({ text: this.#aggregate(type, names), type }));
    const typed = types === null ? keys.slice(0, 2).map((text, index) => ({ text, index })) : [];
    const having = prng.chance(0.3) ? ` HAVING COUNT(*) > ${prng.below(3)}` : '';
    const list = keys.join(', ');
    const by =
      mayHaveSets && keys.length === 2 && prng.chance(0.3)
        ? prng.pick([`ROLLUP(${list})`, `CUBE(${list})`])
        : list;
    const groupBy = keys.length === 0 ? '' : ` GROUP BY ${by}`;
    const shown = typed.map(({ text }) => ({ text, type: this.#keyTypes.get(text) ?? 'integer' }));
    return named('SELECT ', [...shown, ...items], `${body}${groupBy}${having}`);
  }

  /** The types of the expressions that #scalar returned. */
  readonly #keyTypes = new Map<string, TreeType>();

  #aggregate(type: TreeType, names: readonly Name[]): string {
    const prng = this.#prng;
    const value = (of: TreeType): string => this.#scalar(of, names, 1);
    const filter = prng.chance(0.2) ? ` FILTER (WHERE ${this.#predicate(names, 0, [])})` : '';
    switch (type) {
      case 'integer':
        return `${prng.pick([
          'COUNT(*)',
          `COUNT(${value(prng.pick(TYPES))})`,
          `COUNT(DISTINCT ${value(prng.pick(TYPES))})`,
          `SUM(${value('integer')})`,
          `MAX(${value('integer')})`,
        ])}${filter}`;
      case 'boolean':
        return `(COUNT(*)${filter} > 2)`;
      case 'decimal':
        return `${prng.pick(['SUM', 'MIN', 'MAX', 'SUM'])}(${value('decimal')})${filter}`;
      default:
        return `${prng.pick(['MIN', 'MAX'])}(${value(type)})${filter}`;
    }
  }

  #window(names: readonly Name[], type: 'integer' | 'decimal'): string {
    const prng = this.#prng;
    const of = this.#columnOf(type, names);
    const partition = prng.chance(0.6) ? `PARTITION BY ${prng.pick(names).text} ` : '';
    const order = `ORDER BY ${names.map(({ text }) => `${text} NULLS LAST`).join(', ')}`;
    if (type === 'decimal' || prng.chance(0.5)) {
      const edge = (): string => prng.pick(['1 PRECEDING', '2 FOLLOWING', 'CURRENT ROW']);
      const frame = prng.pick([
        '',
        ' ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
        ` ROWS BETWEEN 2 PRECEDING AND ${edge()}`,
        ' RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
        ` ROWS BETWEEN 2 PRECEDING AND ${edge()} EXCLUDE CURRENT ROW`,
        ` GROUPS BETWEEN 1 PRECEDING AND ${edge()} EXCLUDE ${prng.pick(['GROUP', 'TIES'])}`,
      ]);
      return `${prng.pick(['SUM', 'MIN', 'MAX'])}(${of}) OVER (${partition}${order}${frame})`;
    }
    const name = prng.pick([
      'ROW_NUMBER()',
      'RANK()',
      'DENSE_RANK()',
      'NTILE(3)',
      `LAG(${of})`,
      `LEAD(${of}, 2)`,
      `FIRST_VALUE(${of})`,
      `COUNT(${of})`,
    ]);
    return `${name} OVER (${partition}${order})`;
  }

  #columnOf(type: TreeType, names: readonly Name[]): string {
    const found = names.filter((name) => name.type === type);
    return found.length === 0 ? this.#constant(type) : this.#prng.pick(found).text;
  }

  #constant(type: TreeType): string {
    const prng = this.#prng;
    switch (type) {
      case 'integer':
        return String(prng.below(6));
      case 'text':
        return `'${prng.pick(['a', 'ab', 'b', 'c d', ''])}'`;
      case 'date':
        return `CAST('2020-01-0${1 + prng.below(5)}' AS DATE)`;
      case 'boolean':
        return prng.pick(['true', 'false']);
      case 'decimal':
        return `CAST(${prng.below(5)}.${prng.below(10)}${prng.below(10)} AS DECIMAL(12, 2))`;
    }
  }

  /** An expression without subqueries; its type is remembered for GROUP BY. */
  #scalar(type: TreeType, names: readonly Name[], depth: number): string {
    const text = this.#plain(type, names, depth);
    this.#keyTypes.set(text, type);
    return text;
  }

  #plain(type: TreeType, names: readonly Name[], depth: number): string {
    const prng = this.#prng;
    const again = (of: TreeType): string => this.#plain(of, names, depth - 1);
    if (depth <= 0 || prng.chance(0.5))
      return prng.chance(0.9) ? this.#columnOf(type, names) : this.#constant(type);
    if (prng.chance(0.2)) return `COALESCE(${again(type)}, ${again(type)})`;
    if (prng.chance(0.2))
      return `CASE WHEN ${this.#comparison(names)} THEN ${again(type)} ELSE ${again(type)} END`;
    switch (type) {
      case 'integer':
        return `(${again('integer')} ${prng.pick(['+', '-', '*'])} ${again('integer')})`;
      case 'text':
        return prng.chance(0.5) ? `(${again('text')} || ${again('text')})` : `LOWER(${again('text')})`;
      case 'boolean':
        return `(${this.#comparison(names)})`;
      default:
        return again(type);
    }
  }

  #expression(type: TreeType, names: readonly Name[], depth: number, outer: readonly Name[]): string {
    const prng = this.#prng;
    if (outer.length > 0 && prng.chance(0.1)) return this.#columnOf(type, outer);
    if (depth <= 1 || !prng.chance(0.15)) return this.#plain(type, names, 2);
    if (type === 'boolean') return `(${this.#subcondition(names, depth, outer)})`;
    return this.#scalarSubquery(type, names, outer);
  }

  #scalarSubquery(type: TreeType, names: readonly Name[], outer: readonly Name[]): string {
    const from = this.#table();
    const visible = [...names, ...outer];
    const correlated = this.#prng.chance(0.7) ? this.#equal(from.names, visible) : null;
    const where = correlated === null ? '' : ` WHERE ${correlated}`;
    return `(SELECT ${this.#aggregate(type, from.names)} FROM ${from.sql}${where})`;
  }

  #comparison(names: readonly Name[]): string {
    const prng = this.#prng;
    const type = prng.pick(['integer', 'text', 'date', 'decimal'] as const);
    const operator = prng.pick(['=', '<>', '<', '<=', '>', '>=']);
    return `${this.#columnOf(type, names)} ${operator} ${this.#plain(type, names, 0)}`;
  }

  #predicate(names: readonly Name[], depth: number, outer: readonly Name[]): string {
    const prng = this.#prng;
    const again = (): string => this.#predicate(names, depth, outer);
    switch (prng.below(depth > 1 ? 9 : 6)) {
      case 0:
        return `(${again()} AND ${again()})`;
      case 1:
        return `(${again()} OR ${again()})`;
      case 2:
        return `NOT (${this.#comparison(names)})`;
      case 3:
        return `${prng.pick(names).text} IS ${prng.pick(['', 'NOT '])}NULL`;
      case 4:
        return `${this.#columnOf('integer', names)} ${prng.pick(['', 'NOT '])}IN (1, 2, 4)`;
      case 5:
        return this.#comparison([...names, ...outer]);
      default:
        return this.#subcondition(names, depth, outer);
    }
  }

  #subcondition(names: readonly Name[], depth: number, outer: readonly Name[]): string {
    const prng = this.#prng;
    const visible = [...names, ...outer];
    const not = prng.pick(['', 'NOT ']);
    switch (prng.below(4)) {
      case 0: {
        const from = this.#table();
        const correlated = this.#equal(from.names, visible) ?? 'true';
        const more = prng.chance(0.4) ? ` AND ${this.#predicate([...from.names, ...visible], 0, [])}` : '';
        return `${not}EXISTS (SELECT 1 FROM ${from.sql} WHERE ${correlated}${more})`;
      }
      case 1: {
        const type = prng.pick(['integer', 'text', 'date', 'decimal'] as const);
        const inner = this.#block(Math.min(depth - 1, 2), prng.chance(0.5) ? visible : [], 1, [type]);
        return `${this.#columnOf(type, names)} ${not}IN (${inner.sql})`;
      }
      case 2: {
        const type = prng.pick(['integer', 'decimal'] as const);
        const inner = this.#block(1, [], 1, [type]);
        return `${this.#columnOf(type, names)} ${prng.pick(['<', '>=', '='])} ${prng.pick(['ANY', 'ALL'])} (${inner.sql})`;
      }
      default: {
        const type = prng.pick(['integer', 'text', 'decimal'] as const);
        return `${this.#columnOf(type, names)} ${prng.pick(['=', '<', '>='])} ${this.#scalarSubquery(type, names, outer)}`;
      }
    }
  }
}

function named(
  head: string,
  items: readonly { readonly text: string; readonly type: TreeType }[],
  body: string,
): Rows {
  const columns = items.map(({ type }, index) => ({ name: `c${index + 1}`, type }));
  return {
    sql: `${head}${items.map(({ text }, index) => `${text} AS c${index + 1}`).join(', ')}${body}`,
    columns,
  };
}
