/** A server as an engine of scripts, over the Postgres port or over POST /v1/sql. */
import pg from 'pg';
import type { JsonClient } from '../support/json-client.js';
import { type Engine, type EngineValue, Refusal } from './run.js';
import {
  createdTable,
  droppedTable,
  insertWithIds,
  isOfIndexes,
  statementOf,
  type TableModel,
} from './tables.js';

/** Columns of SELECT * that tables of scripts do not have; over HTTP, equal names get a number. */
const OWN_COLUMNS = /^(.*\.)?(entity-id|score)(_\d+)?$/;
const BOOLEAN = 16;
const UTC_TIMES: ReadonlySet<number> = new Set([1114, 1184]);
/** SQLSTATEs of the classes of internal errors and of operator intervention. */
const FAILURE = /^(XX|57P|08)/;

/** Names of columns and dimensions have dashes; SQL finds them by underscores. */
const apiNameOf = (name: string): string => name.toLowerCase().replaceAll('_', '-');

abstract class QuarryEngine implements Engine {
  abstract readonly names: readonly string[];
  readonly #https: JsonClient;
  readonly #tables = new Map<string, TableModel>();
  #lastId = 0;

  constructor(https: JsonClient) {
    this.#https = https;
  }

  abstract query(sql: string): Promise<readonly (readonly EngineValue[])[]>;

  async execute(sql: string): Promise<void> {
    const statement = statementOf(sql);
    if (statement !== null) {
      if (isOfIndexes(statement)) return;
      const created = createdTable(statement);
      if (created !== null) return this.#create(created);
      const dropped = droppedTable(statement);
      if (dropped !== null) return this.#drop(apiNameOf(dropped));
      const columnsOf = (table: string): readonly string[] =>
        this.#tables.get(apiNameOf(table))?.columns.map(({ name }) => name) ?? [];
      const insert = insertWithIds(sql, statement, columnsOf, () => `r${++this.#lastId}`);
      if (insert !== null) {
        await this.query(insert);
        return;
      }
    }
    await this.query(sql);
  }

  async reset(): Promise<void> {
    for (const name of [...this.#tables.keys()]) await this.#drop(name);
  }

  async close(): Promise<void> {}

  async #create(table: TableModel): Promise<void> {
    const name = apiNameOf(table.name);
    if (this.#tables.has(name)) throw new Refusal(`table ${name} already exists`);
    const columns = table.columns.map(({ name: column, model }) => ({
      ...{ name: column, 'api-name': apiNameOf(column), dimension: name },
      ...model,
    }));
    await this.#post('POST', '/v1/dimension', [{ name, 'api-name': name, case: 'preserve' }]);
    await this.#post('POST', '/v1/column', columns);
    this.#tables.set(name, {
      name,
      columns: table.columns.map((column) => ({ ...column, name: apiNameOf(column.name) })),
    });
  }

  async #drop(name: string): Promise<void> {
    if (!this.#tables.delete(name)) throw new Refusal(`table ${name} does not exist`);
    await this.#post('DELETE', '/v1/dimension', { 'api-name': name });
  }

  async #post(method: 'POST' | 'DELETE', path: string, body: unknown): Promise<void> {
    const reply = await this.#https.request({ method, path, body });
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  }
}

/** A result without the columns that tables of scripts do not have. */
function withoutOwn(
  names: readonly string[],
  rows: readonly (readonly EngineValue[])[],
): readonly (readonly EngineValue[])[] {
  if (!names.some((name) => OWN_COLUMNS.test(name))) return rows;
  return rows.map((row) => row.filter((_, at) => !OWN_COLUMNS.test(names[at])));
}

export class PortEngine extends QuarryEngine {
  readonly names = ['quarry', 'postgresql'];
  readonly #client: pg.Client;

  constructor(https: JsonClient, client: pg.Client) {
    super(https);
    this.#client = client;
  }

  async query(sql: string): Promise<readonly (readonly EngineValue[])[]> {
    try {
      const { rows, fields } = await this.#client.query<(string | null)[]>({
        text: sql,
        rowMode: 'array',
        types: { getTypeParser: () => (text: string) => text },
      });
      const typed = rows.map((row) => row.map((value, at) => engineValueOf(value, fields[at].dataTypeID)));
      return withoutOwn(
        fields.map(({ name }) => name),
        typed,
      );
    } catch (error) {
      if (error instanceof pg.DatabaseError && !FAILURE.test(error.code ?? '')) {
        throw new Refusal(`${error.code} ${error.message}`);
      }
      throw error;
    }
  }
}

function engineValueOf(value: string | null, typeId: number): EngineValue {
  if (value === null) return null;
  if (typeId === BOOLEAN) return value === 't';
  return UTC_TIMES.has(typeId) ? value.replace(/\+00$/, '') : value;
}

interface SqlAnswer {
  readonly result?: readonly Readonly<Record<string, EngineValue>>[];
  readonly more_info?: { readonly message?: string };
}

export class HttpEngine extends QuarryEngine {
  readonly names = ['quarry', 'quarry-http'];
  readonly #https: JsonClient;

  constructor(https: JsonClient) {
    super(https);
    this.#https = https;
  }

  async query(sql: string): Promise<readonly (readonly EngineValue[])[]> {
    const headers = { 'content-type': 'application/sql' };
    const reply = await this.#https.request({ method: 'POST', path: '/v1/sql', text: sql, headers });
    const body = reply.body as SqlAnswer;
    if (reply.status >= 400 && reply.status < 500) {
      throw new Refusal(body.more_info?.message ?? JSON.stringify(body));
    }
    if (reply.status !== 200) throw new Error(`HTTP ${reply.status} ${JSON.stringify(body)}`);
    if (!Array.isArray(body.result) || body.result.length === 0) return [];
    return withoutOwn(
      Object.keys(body.result[0]),
      body.result.map((row) => Object.values(row)),
    );
  }
}
