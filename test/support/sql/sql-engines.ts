/**
 * The rows of a generated world in DuckDB and in SQLite, and their answers in one form.
 * In DuckDB integers are HUGEINT and decimals DECIMAL(38, places), so that nothing overflows below Quarry's own limit.
 */
import { type DuckDBConnection, DuckDBInstance, type DuckDBResultReader } from '@duckdb/node-api';
import initSqlJs, { type Database } from 'sql.js';
import { duckType, type Kind, quoted, TEXT, unitsText } from './sql-piece.js';
import { storedValue, type Table, type Value, type World } from './sql-world.js';

const MACROS = [
  `CREATE MACRO tens(s) AS CAST('1' || repeat('0', s) AS HUGEINT)`,
  `CREATE MACRO units_of(x) AS CAST(replace(CAST(x AS VARCHAR), '.', '') AS HUGEINT)`,
  `CREATE MACRO of_units(u, s) AS (CASE WHEN u < 0 THEN '-' ELSE '' END) || CAST(abs(CAST(u AS HUGEINT)) // tens(s) AS VARCHAR)
     || CASE WHEN s = 0 THEN '' ELSE '.' || lpad(CAST(abs(CAST(u AS HUGEINT)) % tens(s) AS VARCHAR), s, '0') END`,
  `CREATE MACRO mean(u, n, s) AS CASE WHEN n > 0 THEN
     CAST(CAST(sign(u) AS HUGEINT) * ((abs(u) * 2000000 + n * tens(s)) // (2 * n * tens(s))) AS DOUBLE) / 1000000 END`,
  `CREATE MACRO spread(n, a, b, s) AS CASE WHEN n > 1 THEN
     sqrt(CAST(n * b - a * a AS DOUBLE) / CAST(n * (n - 1) AS DOUBLE)) / CAST(tens(s) AS DOUBLE) END`,
  `CREATE MACRO shown(v) AS CASE WHEN NOT contains(v, '.') THEN v || '.0'
     WHEN ends_with(rtrim(v, '0'), '.') THEN rtrim(v, '0') || '0' ELSE rtrim(v, '0') END`,
];

/** Exact numbers are texts of digits, with a point if they have a fraction. Floats are numbers. */
export type AnswerValue = string | number | boolean | null;

function duckLiteral(value: Value, kind: Kind): string {
  if (value === null) return 'NULL';
  if (typeof value === 'bigint') return `'${unitsText(value, kind.scale)}'`;
  if (typeof value === 'boolean') return String(value);
  if (kind.type === 'datetime') return quoted(value.replace('T', ' ').replace('Z', ''));
  return quoted(value);
}

const stored = (values: readonly Value[], kinds: readonly Kind[]): Value[] =>
  values.map((value, at) => storedValue(value, kinds[at]));

/** The tables of a dimension: one for its entities, and one for each of its event columns. */
function tablesOf({ name, columns, events, rows }: Table) {
  const kinds = [TEXT, ...columns.map(({ kind }) => kind)];
  const names = ['entity-id', ...columns.map((column) => column.name)];
  const own = { name, names, kinds, rows: rows.map(({ id, values }) => stored([id, ...values], kinds)) };
  const ofEvents = events.map((event, at) => {
    const eventKinds: readonly Kind[] = [TEXT, event.kind, { ...TEXT, type: 'datetime' }];
    const eventRows = rows.flatMap((row) =>
      row.events[at].map(({ value, date }) => stored([row.id, value, date], eventKinds)),
    );
    return {
      name: `${name}_${event.name}`,
      names: ['id', 'value', 'date'],
      kinds: eventKinds,
      rows: eventRows,
    };
  });
  return [own, ...ofEvents];
}

export class Duck {
  readonly #connection: DuckDBConnection;
  readonly #instance: DuckDBInstance;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(): Promise<Duck> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await instance.connect();
    // For a missing date this optimizer turns date_trunc(...) <> constant into true.
    await connection.run(`SET disabled_optimizers = 'expression_rewriter'`);
    for (const macro of MACROS) await connection.run(macro);
    return new Duck(instance, connection);
  }

  async load(world: World): Promise<void> {
    for (const { name, names, kinds, rows } of world.flatMap(tablesOf)) {
      const columns = names.map((column, at) => `"${column}" ${duckType(kinds[at])}`);
      await this.#connection.run(`CREATE TABLE "${name}" (${columns.join(', ')})`);
      if (rows.length === 0) continue;
      const tuples = rows.map(
        (row) => `(${row.map((value, at) => duckLiteral(value, kinds[at])).join(', ')})`,
      );
      await this.#connection.run(`INSERT INTO "${name}" VALUES ${tuples.join(', ')}`);
    }
  }

  /** Rejects if DuckDB refuses the statement. */
  async query(sql: string, kinds: readonly Kind[]): Promise<AnswerValue[][]> {
    return answerValuesOf(await this.#connection.runAndReadAll(sql), kinds);
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

/** DuckDB's rows as answer values. */
export function answerValuesOf(read: DuckDBResultReader, kinds: readonly Kind[]): AnswerValue[][] {
  return (read.getRowsJson() as (string | number | boolean | null)[][]).map((row) =>
    row.map((value, at) => answerValueOf(value, kinds[at])),
  );
}

function answerValueOf(value: string | number | boolean | null, { type }: Kind): AnswerValue {
  if (value === null) return null;
  if (type === 'float') return Number(value);
  if (type === 'date') return String(value).slice(0, 10);
  if (type === 'datetime') return `${String(value).replace(' ', 'T')}Z`;
  return typeof value === 'number' ? String(value) : value;
}

/** -2^63 is not a literal in SQLite. */
function liteLiteral(value: Value): string {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'string') return quoted(value);
  return value === -(2n ** 63n) ? `(${value + 1n} - 1)` : String(value);
}

export class Lite {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  static async open(): Promise<Lite> {
    const { Database } = await initSqlJs();
    const database = new Database();
    database.run('PRAGMA case_sensitive_like = ON');
    return new Lite(database);
  }

  load(world: World): void {
    for (const { name, names, rows } of world.flatMap(tablesOf)) {
      // Without types, so that every value stays unchanged.
      this.#database.run(`CREATE TABLE "${name}" (${names.map((column) => `"${column}"`).join(', ')})`);
      const tuples = rows.map((row) => `(${row.map(liteLiteral).join(', ')})`);
      if (tuples.length > 0) this.#database.run(`INSERT INTO "${name}" VALUES ${tuples.join(', ')}`);
    }
  }

  /** Throws if SQLite refuses the statement. */
  query(sql: string, kinds: readonly Kind[]): AnswerValue[][] {
    const [answer] = this.#database.exec(sql, undefined, { useBigInt: true });
    if (answer === undefined) return [];
    return answer.values.map((row) =>
      row.map((value, at): AnswerValue => {
        if (value === null) return null;
        switch (kinds[at].type) {
          case 'integer':
          case 'decimal':
            return unitsText(BigInt(value as bigint), kinds[at].scale);
          case 'float':
            return Number(value);
          case 'boolean':
            return Number(value) !== 0;
          default:
            return String(value);
        }
      }),
    );
  }

  close(): void {
    this.#database.close();
  }
}
