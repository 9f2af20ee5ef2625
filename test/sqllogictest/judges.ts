/** DuckDB and SQLite as engines of scripts: what Quarry should answer. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import initSqlJs, { type Database } from 'sql.js';
import { type Engine, type EngineValue, Refusal } from './run.js';

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** DuckDB with PostgreSQL's division of integers and order of missing values. */
export class DuckEngine implements Engine {
  readonly names = ['duckdb'];
  #instance: DuckDBInstance;
  #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(): Promise<DuckEngine> {
    const [instance, connection] = await DuckEngine.#started();
    return new DuckEngine(instance, connection);
  }

  static async #started(): Promise<readonly [DuckDBInstance, DuckDBConnection]> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await instance.connect();
    await connection.run('SET integer_division = true');
    await connection.run(`SET default_null_order = 'nulls_last_on_asc_first_on_desc'`);
    return [instance, connection];
  }

  async execute(sql: string): Promise<void> {
    try {
      await this.#connection.run(sql);
    } catch (error) {
      throw new Refusal(textOf(error));
    }
  }

  async query(sql: string): Promise<readonly (readonly EngineValue[])[]> {
    try {
      const read = await this.#connection.runAndReadAll(sql);
      return read.getRowsJson() as readonly (readonly EngineValue[])[];
    } catch (error) {
      throw new Refusal(textOf(error));
    }
  }

  async reset(): Promise<void> {
    await this.close();
    [this.#instance, this.#connection] = await DuckEngine.#started();
  }

  async close(): Promise<void> {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

type SqliteLibrary = Awaited<ReturnType<typeof initSqlJs>>;

export class SqliteEngine implements Engine {
  readonly names = ['sqlite'];
  readonly #library: SqliteLibrary;
  #database: Database;

  private constructor(library: SqliteLibrary) {
    this.#library = library;
    this.#database = SqliteEngine.#started(library);
  }

  static async open(): Promise<SqliteEngine> {
    return new SqliteEngine(await initSqlJs());
  }

  static #started(library: SqliteLibrary): Database {
    const database = new library.Database();
    database.run('PRAGMA case_sensitive_like = ON');
    return database;
  }

  async execute(sql: string): Promise<void> {
    try {
      this.#database.run(sql);
    } catch (error) {
      throw new Refusal(textOf(error));
    }
  }

  async query(sql: string): Promise<readonly (readonly EngineValue[])[]> {
    try {
      const [answer] = this.#database.exec(sql, undefined, { useBigInt: true });
      return (answer?.values ?? []) as readonly (readonly EngineValue[])[];
    } catch (error) {
      throw new Refusal(textOf(error));
    }
  }

  async reset(): Promise<void> {
    this.#database.close();
    this.#database = SqliteEngine.#started(this.#library);
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}
