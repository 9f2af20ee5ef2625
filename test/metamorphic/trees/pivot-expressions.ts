/**
 * Generated expressions, each as SQL and as a function of the row, so that their values are known without any engine: the
 * functions are written over plain values with three-valued logic and share no code with the server. Decimals are integers
 * of hundredths.
 */
import type { Prng } from '../../../src/base/index.js';
import { TREE_TABLES, type TreeType } from './tree-statements.js';

export type PivotValue = number | string | boolean | null;
/** Values by the name of the column, with the alias of its table. */
export type Scope = ReadonlyMap<string, PivotValue>;

export interface Valued<V extends PivotValue = PivotValue> {
  readonly sql: string;
  readonly type: TreeType;
  readonly of: (row: Scope) => V | null;
}

type Truth = Valued<boolean>;
/** The rows of the stored tables, by table; see TreeLife.tables. */
export type StoredTables = ReadonlyMap<string, readonly (readonly PivotValue[])[]>;

export const PIVOT_TYPES: readonly TreeType[] = ['integer', 'text', 'date', 'boolean', 'decimal'];
const COMPARED = ['integer', 'text', 'date', 'decimal'] as const;

export const column = (sql: string, type: TreeType): Valued => ({
  sql,
  type,
  of: (row) => {
    const value = row.get(sql);
    if (value === undefined) throw new Error(`the row has no ${sql}`);
    return value;
  },
});

/** NULL if one of the values is. */
const strict =
  (values: readonly Valued[], of: (...values: never[]) => PivotValue): Valued['of'] =>
  (row) => {
    const all = values.map((value) => value.of(row));
    return all.includes(null) ? null : of(...(all as never[]));
  };

const and = (a: boolean | null, b: boolean | null): boolean | null =>
  a === false || b === false ? false : a === null || b === null ? null : true;
const not = (a: boolean | null): boolean | null => (a === null ? null : !a);
const or = (a: boolean | null, b: boolean | null): boolean | null => not(and(not(a), not(b)));

const COMPARISONS: readonly (readonly [operator: string, of: (a: never, b: never) => boolean])[] = [
  ['=', (a, b) => a === b],
  ['<>', (a, b) => a !== b],
  ['<', (a, b) => a < b],
  ['<=', (a, b) => a <= b],
  ['>', (a, b) => a > b],
  ['>=', (a, b) => a >= b],
];

/** Whether `value` is among the values: unknown if it could equal a missing one. */
function isAmong(value: PivotValue, values: readonly PivotValue[]): boolean | null {
  if (values.length === 0) return false;
  if (value === null) return null;
  if (values.includes(value)) return true;
  return values.includes(null) ? null : false;
}

const truth = (sql: string, of: Truth['of']): Truth => ({ sql, type: 'boolean', of });

/** A condition that is true of the row, from one that may be false or unknown. */
export function madeTrue(condition: Truth, row: Scope): Truth {
  const value = condition.of(row);
  if (value === true) return condition;
  if (value === false) return truth(`NOT (${condition.sql})`, (other) => not(condition.of(other)));
  return truth(`(${condition.sql}) IS NULL`, (other) => condition.of(other) === null);
}

export class PivotExpressions {
  readonly #prng: Prng;
  readonly #tables: StoredTables;
  #aliases = 0;
  #mayHaveSubqueries = true;

  constructor(prng: Prng, tables: StoredTables) {
    this.#prng = prng;
    this.#tables = tables;
  }

  alias(): string {
    return `p${++this.#aliases}`;
  }

  /** A condition for ON, which may not have subqueries. */
  conditionOfJoin(columns: readonly Valued[]): Truth {
    this.#mayHaveSubqueries = false;
    const found = this.condition(columns, 2);
    this.#mayHaveSubqueries = true;
    return found;
  }

  /** A stored table under a new alias: its columns and all its rows. */
  table(): { readonly sql: string; readonly columns: readonly Valued[]; readonly rows: readonly Scope[] } {
    const { name, columns } = this.#prng.pick(TREE_TABLES);
    const alias = this.alias();
    const names = columns.map((one) => column(`${alias}.${one.name}`, one.type));
    const stored = this.#tables.get(name) ?? [];
    const rows = stored.map((row) => new Map(names.map(({ sql }, at) => [sql, row[at]])));
    return { sql: `${name} ${alias}`, columns: names, rows };
  }

  value(type: TreeType, columns: readonly Valued[], depth: number): Valued {
    const prng = this.#prng;
    const again = (of: TreeType): Valued => this.value(of, columns, depth - 1);
    if (depth <= 0 || prng.chance(0.3)) return this.#leaf(type, columns);
    if (type === 'boolean') return this.condition(columns, depth);
    const [a, b] = [again(type), again(type)];
    if (prng.chance(0.2))
      return { type, sql: `COALESCE(${a.sql}, ${b.sql})`, of: (row) => a.of(row) ?? b.of(row) };
    if (prng.chance(0.2)) {
      const of = (row: Scope): PivotValue => (a.of(row) === b.of(row) ? null : a.of(row));
      return { type, sql: `NULLIF(${a.sql}, ${b.sql})`, of };
    }
    if (prng.chance(0.25)) {
      const when = this.condition(columns, depth - 1);
      return {
        type,
        sql: `CASE WHEN ${when.sql} THEN ${a.sql} ELSE ${b.sql} END`,
        of: (row) => (when.of(row) === true ? a.of(row) : b.of(row)),
      };
    }
    if (this.#mayHaveSubqueries && prng.chance(0.15)) return this.#aggregated(type, columns);
    return this.#computed(type, a, b, again);
  }

  #computed(type: TreeType, a: Valued, b: Valued, again: (type: TreeType) => Valued): Valued {
    const prng = this.#prng;
    const call = (
      sql: string,
      values: readonly Valued[],
      of: (...values: never[]) => PivotValue,
    ): Valued => ({
      type,
      sql,
      of: strict(values, of),
    });
    if (type === 'text') {
      if (prng.chance(0.6)) return call(`(${a.sql} || ${b.sql})`, [a, b], (x: string, y: string) => x + y);
      const first = 1 + prng.below(2);
      return call(`SUBSTR(${a.sql}, ${first}, 2)`, [a], (x: string) => x.slice(first - 1, first + 1));
    }
    if (type === 'date') return a;
    if (type === 'decimal' && prng.chance(0.3)) {
      const integer = again('integer');
      return call(`CAST(${integer.sql} AS DECIMAL(12, 2))`, [integer], (x: number) => x * 100);
    }
    if (type === 'integer' && prng.chance(0.3)) {
      if (prng.chance(0.5)) {
        const text = again('text');
        return call(`LENGTH(${text.sql})`, [text], (x: string) => x.length);
      }
      return call(`(${a.sql} % 3)`, [a], (x: number) => x % 3);
    }
    switch (prng.below(type === 'integer' ? 4 : 3)) {
      case 0:
        return call(`(${a.sql} + ${b.sql})`, [a, b], (x: number, y: number) => x + y);
      case 1:
        return call(`(${a.sql} - ${b.sql})`, [a, b], (x: number, y: number) => x - y);
      case 2:
        return call(`ABS(${a.sql})`, [a], (x: number) => Math.abs(x));
      default:
        return call(`(${a.sql} * ${b.sql})`, [a, b], (x: number, y: number) => x * y);
    }
  }

  /** The rows of a stored table for which a condition is true, which may read the columns around it. */
  #matching(columns: readonly Valued[]): {
    readonly sql: string;
    readonly own: readonly Valued[];
    readonly rows: (outer: Scope) => readonly Scope[];
  } {
    const { sql, columns: own, rows } = this.table();
    const where = this.condition([...own, ...columns], 0);
    const joined = this.#equal(own, columns);
    const both =
      joined === null
        ? where
        : truth(`${joined.sql} AND ${where.sql}`, (row) => and(joined.of(row), where.of(row)));
    return {
      sql: `FROM ${sql} WHERE ${both.sql}`,
      own,
      rows: (outer) => rows.map((row) => new Map([...outer, ...row])).filter((row) => both.of(row) === true),
    };
  }

  /** An equality of a column of both, in some cases. */
  #equal(left: readonly Valued[], right: readonly Valued[]): Truth | null {
    const pairs = left.flatMap((a) => right.filter((b) => a.type === b.type).map((b) => [a, b]));
    if (pairs.length === 0 || this.#prng.chance(0.4)) return null;
    const [a, b] = this.#prng.pick(pairs);
    return truth(`${a.sql} = ${b.sql}`, strict([a, b], (x, y) => x === y) as Truth['of']);
  }

  /** A scalar subquery. */
  #aggregated(type: TreeType, columns: readonly Valued[]): Valued {
    const { sql, own, rows } = this.#matching(columns);
    const of = this.#leaf(type, own);
    const values = (row: Scope): PivotValue[] =>
      rows(row)
        .map((one) => of.of(one))
        .filter((value) => value !== null);
    if (type === 'integer' && this.#prng.chance(0.5))
      return { type, sql: `(SELECT COUNT(${of.sql}) ${sql})`, of: (row) => values(row).length };
    const greatest = (all: PivotValue[]): PivotValue =>
      all.reduce(
        (most, value) => (most === null || (value as number) > (most as number) ? value : most),
        null,
      );
    return { type, sql: `(SELECT MAX(${of.sql}) ${sql})`, of: (row) => greatest(values(row)) };
  }

  #leaf(type: TreeType, columns: readonly Valued[]): Valued {
    const found = columns.filter((one) => one.type === type);
    return found.length > 0 && this.#prng.chance(0.8) ? this.#prng.pick(found) : this.#constant(type);
  }

  #constant(type: TreeType): Valued {
    const prng = this.#prng;
    const constant = (sql: string, value: PivotValue): Valued => ({ type, sql, of: () => value });
    switch (type) {
      case 'integer': {
        const value = prng.below(6);
        return constant(String(value), value);
      }
      case 'text': {
        const value = prng.pick(['a', 'ab', 'b', 'c d', '']);
        return constant(`'${value}'`, value);
      }
      case 'date': {
        const value = `2020-01-0${1 + prng.below(5)}`;
        return constant(`CAST('${value}' AS DATE)`, value);
      }
      case 'boolean': {
        const value = prng.chance(0.5);
        return constant(String(value), value);
      }
      case 'decimal': {
        const value = prng.below(500);
        return constant(`CAST(${value / 100} AS DECIMAL(12, 2))`, value);
      }
    }
  }

  #comparison(columns: readonly Valued[], depth: number): Truth {
    const prng = this.#prng;
    const type = prng.pick(COMPARED);
    const [a, b] = [this.value(type, columns, depth), this.value(type, columns, depth)];
    if (prng.chance(0.15)) {
      const of = (row: Scope): boolean => a.of(row) !== b.of(row);
      return truth(`${a.sql} IS DISTINCT FROM ${b.sql}`, of);
    }
    const [operator, of] = prng.pick(COMPARISONS);
    return truth(`${a.sql} ${operator} ${b.sql}`, strict([a, b], of) as Truth['of']);
  }

  condition(columns: readonly Valued[], depth: number): Truth {
    const prng = this.#prng;
    if (depth <= 0) return this.#comparison(columns, 0);
    const again = (): Truth => this.condition(columns, depth - 1);
    switch (prng.below(this.#mayHaveSubqueries ? 10 : 8)) {
      case 0: {
        const [a, b] = [again(), again()];
        return truth(`(${a.sql} AND ${b.sql})`, (row) => and(a.of(row), b.of(row)));
      }
      case 1: {
        const [a, b] = [again(), again()];
        return truth(`(${a.sql} OR ${b.sql})`, (row) => or(a.of(row), b.of(row)));
      }
      case 2: {
        const a = again();
        return truth(`(NOT (${a.sql}))`, (row) => not(a.of(row)));
      }
      case 3: {
        const a = this.value(prng.pick(PIVOT_TYPES), columns, depth - 1);
        return truth(`((${a.sql}) IS NULL)`, (row) => a.of(row) === null);
      }
      case 4:
        return this.#listed(columns, depth);
      case 5:
        return this.#between(columns, depth);
      case 8:
      case 9:
        return this.#subquery(columns, depth);
      default: {
        const { sql, of } = this.#comparison(columns, depth - 1);
        return truth(`(${sql})`, of);
      }
    }
  }

  #listed(columns: readonly Valued[], depth: number): Truth {
    const prng = this.#prng;
    const type = prng.pick(COMPARED);
    const a = this.value(type, columns, depth - 1);
    const list = Array.from({ length: 1 + prng.below(3) }, () => this.#leaf(type, columns));
    const isNot = prng.chance(0.5);
    return truth(`(${a.sql} ${isNot ? 'NOT ' : ''}IN (${list.map(({ sql }) => sql).join(', ')}))`, (row) => {
      const found = isAmong(
        a.of(row),
        list.map(({ of }) => of(row)),
      );
      return isNot ? not(found) : found;
    });
  }

  #between(columns: readonly Valued[], depth: number): Truth {
    const type = this.#prng.pick(COMPARED);
    const [a, least, most] = [1, 1, 1].map(() => this.value(type, columns, depth - 1));
    const above = strict([a, least], (x, y) => x >= y) as Truth['of'];
    const below = strict([a, most], (x, y) => x <= y) as Truth['of'];
    return truth(`(${a.sql} BETWEEN ${least.sql} AND ${most.sql})`, (row) => and(above(row), below(row)));
  }

  /** EXISTS or IN, with or without NOT. */
  #subquery(columns: readonly Valued[], depth: number): Truth {
    const prng = this.#prng;
    const { sql, own, rows } = this.#matching(columns);
    const isNot = prng.chance(0.5);
    const signed = (found: boolean | null): boolean | null => (isNot ? not(found) : found);
    const word = isNot ? 'NOT ' : '';
    if (prng.chance(0.4))
      return truth(`(${word}EXISTS (SELECT 1 ${sql}))`, (row) => signed(rows(row).length > 0));
    const type = prng.pick(COMPARED);
    const a = this.value(type, columns, depth - 1);
    const of = this.value(type, own, 1);
    return truth(`(${a.sql} ${word}IN (SELECT ${of.sql} ${sql}))`, (row) =>
      signed(
        isAmong(
          a.of(row),
          rows(row).map((one) => of.of(one)),
        ),
      ),
    );
  }
}
