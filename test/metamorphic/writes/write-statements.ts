/** Generated INSERT, UPDATE and DELETE statements with subqueries, as SQL that Quarry and DuckDB both take. */
import type { Prng } from '../../../src/base/index.js';

export const TABLES = ['alpha', 'beta'] as const;
export type TableName = (typeof TABLES)[number];
/** The columns of both tables beside `id`. */
export const COLUMNS = [
  { name: 'n', type: 'integer' },
  { name: 'm', type: 'integer' },
  { name: 's', type: 'text' },
] as const;

/** In the statements, `id` is the column of the entity ID. */
export class WriteStatements {
  readonly #prng: Prng;
  #next = 0;

  constructor(prng: Prng) {
    this.#prng = prng;
  }

  /** A write of `table` and its RETURNING. */
  next(table: TableName): { readonly write: string; readonly returning: string } {
    const kind = this.#prng.below(10);
    const returning = this.#prng.pick([
      'id',
      'id, n',
      'id, n + 1 AS x, s',
      'id, n, m, s',
      `id, COALESCE(s, '-') AS t`,
    ]);
    const write = kind < 5 ? this.#update(table) : kind < 8 ? this.#delete(table) : this.#insert(table);
    return { write, returning };
  }

  #update(table: TableName): string {
    const names = this.#prng.chance(0.5) ? ['n'] : this.#prng.pick([['s'], ['n', 's'], ['m', 'n']]);
    if (this.#prng.chance(0.25)) {
      const set = names.map((name) => `${name} = ${name === 's' ? `o.s || '!'` : `o.${name} + ${table}.n`}`);
      return `UPDATE ${table} SET ${set.join(', ')} FROM ${this.#other(table)} o WHERE o.id = ${table}.id AND ${this.#condition(table)}`;
    }
    const set = names.map((name) => `${name} = ${name === 's' ? this.#text(table) : this.#number(table)}`);
    return `UPDATE ${table} SET ${set.join(', ')} WHERE ${this.#condition(table)}`;
  }

  #delete(table: TableName): string {
    const rare = `${table}.n % 7 = ${this.#prng.below(7)}`;
    if (this.#prng.chance(0.3)) {
      return `DELETE FROM ${table} USING ${this.#other(table)} o WHERE o.m = ${table}.m AND ${rare} AND ${this.#condition(table)}`;
    }
    return `DELETE FROM ${table} WHERE ${rare} AND ${this.#condition(table)}`;
  }

  #insert(table: TableName): string {
    const from = this.#prng.pick(TABLES);
    const prefix = `i${this.#next++}-`;
    return `INSERT INTO ${table} (id, n, s) SELECT '${prefix}' || id, ${this.#number(from)}, ${this.#text(from)} FROM ${from} WHERE n % 5 = ${this.#prng.below(5)} AND ${this.#condition(from)}`;
  }

  #other(table: TableName): TableName {
    return table === 'alpha' ? 'beta' : 'alpha';
  }

  #number(table: TableName): string {
    const other = this.#other(table);
    const k = this.#prng.below(50);
    return this.#prng.pick([
      ...[`${k}`, 'NULL', `n + ${k}`, 'm - n', `(SELECT MAX(o.n) FROM ${other} o)`],
      `(SELECT COUNT(*) FROM ${other} o WHERE o.m = ${table}.m)`,
      `(SELECT SUM(o.n) FROM ${other} o WHERE o.n < ${table}.n)`,
      `CASE WHEN s IN (SELECT o.s FROM ${other} o WHERE o.n < ${k}) THEN ${k} ELSE n END`,
    ]);
  }

  #text(table: TableName): string {
    const other = this.#other(table);
    return this.#prng.pick([
      ...[`'x'`, 'NULL', `s || 'y'`, `(SELECT MIN(o.s) FROM ${other} o WHERE o.m = ${table}.m)`],
    ]);
  }

  #condition(table: TableName): string {
    const other = this.#other(table);
    const k = this.#prng.below(50);
    const one = (): string =>
      this.#prng.pick([
        ...[`${table}.n > ${k}`, `${table}.m = ${k % 6}`, `${table}.s IS NULL`, `${table}.n > ${table}.m`],
        `${table}.s IN (SELECT s FROM ${other} WHERE n < ${k})`,
        `${table}.m NOT IN (SELECT m FROM ${other} WHERE m IS NOT NULL AND n > ${k})`,
        `EXISTS (SELECT 1 FROM ${other} o WHERE o.m = ${table}.m AND o.n > ${table}.n)`,
        `NOT EXISTS (SELECT 1 FROM ${table} o WHERE o.m = ${table}.m AND o.n > ${table}.n)`,
        `${table}.n >= (SELECT AVG(n) FROM ${table})`,
        `${table}.n < (SELECT MAX(o.n) FROM ${other} o WHERE o.m = ${table}.m)`,
      ]);
    return this.#prng.chance(0.4) ? `(${one()} OR ${one()})` : one();
  }
}
