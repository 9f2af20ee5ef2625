/**
 * Constants in both directions (Zhang and Rigger, "Constant Optimization Driven Database System Testing", SIGMOD 2025): a
 * derived table is replaced by its rows, an expression by a CASE of its values, the subquery of IN by a list, and constants
 * by subqueries. The answers stay the same. No other engine is asked.
 * A longer run: node dist/test/metamorphic/trees/constants.test.js --rounds 10000 --seed 1
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { column, PIVOT_TYPES, PivotExpressions } from './pivot-expressions.js';
import { LAW_LAYOUTS, TreeLife } from './tree-life.js';
import { TreeStatements, type TreeType } from './tree-statements.js';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [ROUNDS, SEED] = [Number(options.rounds), Number(options.seed)];
t.comment(`seed ${SEED}, ${ROUNDS} rounds`);
t.setTimeout(120_000 + ROUNDS * 2_000);

const ROWS_MAX = 15;
/** Derived tables with more rows are not written as constants. */
const CONSTANT_ROWS_MAX = 60;

const SQL_TYPES: Readonly<Record<TreeType, string>> = {
  integer: 'BIGINT',
  text: 'VARCHAR',
  date: 'DATE',
  boolean: 'BOOLEAN',
  decimal: 'DECIMAL(30, 2)',
};

type Value = number | string | boolean | null;

const constant = (value: Value, type: TreeType): string =>
  `CAST(${typeof value === 'string' ? `'${value}'` : value} AS ${SQL_TYPES[type]})`;

const tuple = (row: readonly Value[], types: readonly TreeType[]): string =>
  `(${row.map((value, at) => constant(value, types[at])).join(', ')})`;

/** Constants of dates, decimals and texts as subqueries. */
const lifted = (sql: string): string =>
  sql.replace(/CAST\(\S+ AS (DATE|DECIMAL\(12, 2\))\)|'[^']*'/g, (found) => `(SELECT ${found})`);

/** The value of an expression by the columns that it reads; `rows` have the columns and then the value. */
function casesOf(names: readonly string[], rows: readonly Value[][], types: readonly TreeType[]): string {
  const cases = rows.map((row) => {
    const same = names.map((name, at) => `${name} IS NOT DISTINCT FROM ${constant(row[at], types[at])}`);
    return `WHEN ${same.join(' AND ')} THEN ${constant(row[names.length], types[names.length])}`;
  });
  return `CASE ${cases.join(' ')} END`;
}

class Round {
  readonly #life: TreeLife;
  readonly #prng: Prng;
  readonly #statements: TreeStatements;

  constructor(life: TreeLife, prng: Prng) {
    this.#life = life;
    this.#prng = prng;
    this.#statements = new TreeStatements(prng);
  }

  async #values(sql: string): Promise<Value[][]> {
    return (await this.#life.rows(sql)).map((row) => JSON.parse(row));
  }

  /** Pairs of SELECTs with the same rows; none if the generated table is empty or large. */
  async pairs(): Promise<(readonly [string, string])[]> {
    const prng = this.#prng;
    const { from, columns, types, condition } = this.#statements.parts();
    const names = columns.map((_column, at) => `q.c${at}`);
    const items = columns.map((text, at) => `${text} AS c${at}`).join(', ');
    const inner = `SELECT ${items} FROM ${from}${prng.chance(0.5) ? ` WHERE ${condition}` : ''}`;
    const rows = await this.#values(inner);
    if (rows.length === 0 || rows.length > CONSTANT_ROWS_MAX) return [];
    const derived = `(${inner}) q`;
    const tuples = rows.map((row) => tuple(row, types)).join(', ');
    const constants = `(VALUES ${tuples}) AS q(${columns.map((_column, at) => `c${at}`).join(', ')})`;

    const expressions = new PivotExpressions(prng, this.#life.tables);
    const visible = names.map((name, at) => column(name, types[at]));
    const where = expressions.condition(visible, 2).sql;
    const type = prng.pick(PIVOT_TYPES);
    const { sql: computed } = expressions.value(type, visible, 2);
    const found = await this.#values(`SELECT DISTINCT ${names.join(', ')}, ${computed} AS v FROM ${derived}`);
    const cases = casesOf(names, found, [...types, type]);
    const list = `SELECT ${names.join(', ')}`;
    const at = prng.below(names.length);
    const other = visible.find((one) => one.type === types[at] && one.sql !== names[at]) ?? visible[at];
    const among = `${list} FROM ${constants} WHERE ${other.sql} ${prng.pick(['', 'NOT '])}IN`;
    const some = rows.filter(() => prng.chance(0.4));
    const sub = `SELECT s.c0 FROM (VALUES ${some.map((row) => tuple([row[at]], [types[at]])).join(', ')}) AS s(c0)`;
    return [
      [
        `${list}, ${computed} AS v FROM ${derived} WHERE ${where}`,
        `${list}, ${computed} AS v FROM ${constants} WHERE ${where}`,
      ],
      [`${list} FROM ${derived} WHERE ${where}`, `${list} FROM ${derived} WHERE ${lifted(where)}`],
      [grouped(computed, `${derived} WHERE ${where}`), grouped(cases, `${derived} WHERE ${where}`)],
      [grouped(computed, derived), grouped(cases, constants)],
      ...(some.length === 0
        ? []
        : [
            [
              `${among} (${sub})`,
              `${among} (${some.map((row) => constant(row[at], types[at])).join(', ')})`,
            ] as const,
          ]),
    ];
  }
}

const grouped = (value: string, from: string): string =>
  `SELECT g.v AS v, COUNT(*) AS n FROM (SELECT ${value} AS v FROM ${from}) g GROUP BY g.v`;

for (const [index, layout] of LAW_LAYOUTS.entries()) {
  t.test(
    `on ${layout.shards} shards constants and the expressions with their values are the same`,
    async (t) => {
      const prng = new Prng(SEED * 10 + index);
      const life = await TreeLife.start(t, layout);
      await life.load(prng, ROWS_MAX, 1);
      const round = new Round(life, prng);
      let compared = 0;
      for (let count = 0; count < ROUNDS / LAW_LAYOUTS.length; count++) {
        for (const [before, after] of await round.pairs()) {
          compared++;
          const [left, right] = await Promise.all([life.rows(before), life.rows(after)]);
          if (JSON.stringify(left) !== JSON.stringify(right))
            t.strictSame(right, left, `the same rows: ${before}\n  ${after}`);
        }
      }
      t.ok(compared > 0, `${compared} pairs compared`);
    },
  );
}
