/**
 * Generated SELECTs whose answer must contain a known row (Rigger and Su, "Testing Database Engines via Pivoted Query
 * Synthesis", OSDI 2020): a row of each table is chosen, and every condition is made true of it.
 */
import type { Prng } from '../../../src/base/index.js';
import {
  column,
  madeTrue,
  PIVOT_TYPES,
  PivotExpressions,
  type PivotValue,
  type Scope,
  type StoredTables,
  type Valued,
} from './pivot-expressions.js';
import type { TreeType } from './tree-statements.js';

/** A FROM, its columns and the row that it contains. */
interface PivotFrom {
  readonly sql: string;
  readonly columns: readonly Valued[];
  readonly row: Scope;
}

interface PivotQuery {
  readonly sql: string;
  readonly types: readonly TreeType[];
  readonly values: readonly PivotValue[];
}

const DEPTH_MAX = 3;

export class PivotQueries {
  readonly #prng: Prng;
  readonly #expressions: PivotExpressions;

  /** Every table needs a row. */
  constructor(prng: Prng, tables: StoredTables) {
    this.#prng = prng;
    this.#expressions = new PivotExpressions(prng, tables);
  }

  any(): PivotQuery {
    return this.#query(DEPTH_MAX);
  }

  #query(depth: number): PivotQuery {
    const prng = this.#prng;
    const { sql, columns, row } = this.#from(depth);
    const items = Array.from({ length: 1 + prng.below(4) }, () =>
      this.#expressions.value(prng.pick(PIVOT_TYPES), columns, prng.below(3)),
    );
    const where = prng.chance(0.8) ? ` WHERE ${this.#trueOf(columns, row, 2)}` : '';
    const named = items.map((item, at) => `${item.sql} AS c${at + 1}`).join(', ');
    const types = items.map(({ type }) => type);
    const values = items.map(({ of }) => of(row));
    const plain = `${named} FROM ${sql}${where}`;
    switch (prng.below(6)) {
      case 0:
        return { sql: `SELECT DISTINCT ${plain}`, types, values };
      case 1: {
        const keys = items.map((_item, at) => `q.c${at + 1}`).join(', ');
        const grouped = `SELECT ${keys} FROM (SELECT ${plain}) q GROUP BY ${keys} HAVING COUNT(*) > 0`;
        return { sql: grouped, types, values };
      }
      case 2:
        return { sql: this.#united(`SELECT ${plain}`, types), types, values };
      default:
        return { sql: `SELECT ${plain}`, types, values };
    }
  }

  /** The rows of a query beside others of the same types. */
  #united(sql: string, types: readonly TreeType[]): string {
    const { sql: from, columns } = this.#expressions.table();
    const items = types.map((type, at) => `${this.#expressions.value(type, columns, 1).sql} AS c${at + 1}`);
    const others = `(SELECT ${items.join(', ')} FROM ${from})`;
    const operator = this.#prng.pick(['UNION', 'UNION ALL']);
    return this.#prng.chance(0.5) ? `(${sql}) ${operator} ${others}` : `${others} ${operator} (${sql})`;
  }

  #trueOf(columns: readonly Valued[], row: Scope, depth: number): string {
    return madeTrue(this.#expressions.condition(columns, depth), row).sql;
  }

  #from(depth: number): PivotFrom {
    const prng = this.#prng;
    const left = depth > 1 && prng.chance(0.5) ? this.#derived(depth - 1) : this.#stored();
    if (!prng.chance(0.5)) return left;
    return depth > 1 && prng.chance(0.3)
      ? this.#joinedWithDerived(left, depth - 1)
      : this.#joinedWithStored(left);
  }

  #stored(): PivotFrom {
    const { sql, columns, rows } = this.#expressions.table();
    return { sql, columns, row: this.#prng.pick(rows) };
  }

  #derived(depth: number): PivotFrom {
    const { sql, types, values } = this.#query(depth);
    const alias = this.#expressions.alias();
    const columns = types.map((type, at) => column(`${alias}.c${at + 1}`, type));
    return {
      sql: `(${sql}) ${alias}`,
      columns,
      row: new Map(columns.map((one, at) => [one.sql, values[at]])),
    };
  }

  /** The condition is true of the pair of rows. */
  #joinedWithDerived(left: PivotFrom, depth: number): PivotFrom {
    const right = this.#derived(depth);
    const columns = [...left.columns, ...right.columns];
    const row = new Map([...left.row, ...right.row]);
    const kind = this.#prng.pick(['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN']);
    const on = madeTrue(this.#expressions.conditionOfJoin(columns), row);
    return { sql: `${left.sql} ${kind} ${right.sql} ON ${on.sql}`, columns, row };
  }

  /** The row has a partner if the condition is true of one; if not, a left or full join keeps it alone. */
  #joinedWithStored(left: PivotFrom): PivotFrom {
    const { sql, columns: own, rows } = this.#expressions.table();
    const columns = [...left.columns, ...own];
    const on = this.#expressions.conditionOfJoin(columns);
    const pairs = rows.map((row) => new Map([...left.row, ...row]));
    const partners = pairs.filter((pair) => on.of(pair) === true);
    if (partners.length > 0) {
      const kind = this.#prng.pick(['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN']);
      return { sql: `${left.sql} ${kind} ${sql} ON ${on.sql}`, columns, row: this.#prng.pick(partners) };
    }
    const missing = own.map((one): [string, PivotValue] => [one.sql, null]);
    const kind = this.#prng.pick(['LEFT JOIN', 'FULL JOIN']);
    return {
      sql: `${left.sql} ${kind} ${sql} ON ${on.sql}`,
      columns,
      row: new Map([...left.row, ...missing]),
    };
  }
}

/** The row as TreeLife.rows returns it. */
export const pivotText = ({ types, values }: PivotQuery): string =>
  JSON.stringify(
    values.map((value, at) => (types[at] === 'decimal' && value !== null ? Number(value) / 100 : value)),
  );
