/** The same three tables in a server and in DuckDB, and SELECTs of general form that are sent to both. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Test } from 'tap';
import type { Prng } from '../../../src/base/index.js';
import { ConformanceServer } from '../../support/conformance-server.js';
import type { PivotValue, StoredTables } from './pivot-expressions.js';
import { TREE_TABLES, type TreeType } from './tree-statements.js';

const MODELS: Readonly<Record<TreeType, object>> = {
  integer: { type: 'integer' },
  text: { type: 'string', cardinality: 'low' },
  date: { type: 'date' },
  boolean: { type: 'boolean' },
  decimal: { type: 'decimal', 'decimal-places': 2 },
};
const DUCK_TYPES: Readonly<Record<TreeType, string>> = {
  integer: 'HUGEINT',
  text: 'VARCHAR',
  date: 'DATE',
  boolean: 'BOOLEAN',
  decimal: 'DECIMAL(30, 2)',
};

/** The answers of both engines to one statement. */
export type Outcome =
  | { readonly is: 'equal'; readonly rowCount: number }
  | { readonly is: 'different'; readonly what: string }
  /** DuckDB refuses the statement. */
  | { readonly is: 'refused-by-duck'; readonly what: string };

type ServerOptions = Omit<NonNullable<Parameters<typeof ConformanceServer.start>[1]>, 'memoryLimitBytes'>;

/** Layouts on which laws hold that need no other engine. */
export const LAW_LAYOUTS = [
  { shards: 1, workers: 1, simd: true },
  { shards: 5, workers: 2, simd: false, partitionGroupsMin: 1 },
  { shards: 3, workers: 2, simd: true, exchange: 'bytes' },
] as const;

export class TreeLife {
  readonly #server: ConformanceServer;
  readonly #instance: DuckDBInstance;
  readonly #tables = new Map<string, readonly (readonly PivotValue[])[]>();
  /** A connection runs one statement at a time. */
  readonly #free: DuckDBConnection[];

  private constructor(server: ConformanceServer, instance: DuckDBInstance, free: DuckDBConnection[]) {
    this.#server = server;
    this.#instance = instance;
    this.#free = free;
  }

  /** Starts a server, which ends with the test. `together`: the number of statements that are compared at the same time. */
  static async start(
    test: Pick<Test, 'teardown'>,
    { simd, ...options }: { readonly simd: boolean } & ServerOptions,
    together = 1,
  ): Promise<TreeLife> {
    const server = await ConformanceServer.start(simd, { ...options, memoryLimitBytes: 2 ** 32 });
    test.teardown(() => server.stop());
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const free: DuckDBConnection[] = [];
    while (free.length < together) free.push(await instance.connect());
    const life = new TreeLife(server, instance, free);
    test.teardown(() => life.#close());
    return life;
  }

  #close(): void {
    for (const connection of this.#free) connection.closeSync();
    this.#instance.closeSync();
  }

  async #duckRows(sql: string): Promise<readonly (readonly unknown[])[]> {
    const connection = this.#free.pop();
    if (connection === undefined) throw new Error('all connections to DuckDB are in use');
    try {
      return (await connection.runAndReadAll(sql)).getRowsJson();
    } finally {
      this.#free.push(connection);
    }
  }

  /** The stored rows by table, decimals as integers of hundredths. */
  get tables(): StoredTables {
    return this.#tables;
  }

  /** Creates the tables with `rowsMin` to `rowsMax` rows each. */
  async load(prng: Prng, rowsMax: number, rowsMin = 0): Promise<void> {
    const columns = TREE_TABLES.flatMap(({ name: dimension, columns }) =>
      columns.map(({ name, type }) => ({ name, 'api-name': name, dimension, ...MODELS[type] })),
    );
    await this.#post('/v1/column', JSON.stringify(columns));
    for (const { name, columns } of TREE_TABLES) {
      const types = columns.map((column) => `${column.name} ${DUCK_TYPES[column.type]}`);
      await this.#duckRows(`CREATE TABLE ${name} (${types.join(', ')})`);
      const missing = columns.map(() => prng.pick([0, 0.2, 0.2, 0.9]));
      const rows = Array.from({ length: rowsMin + prng.below(rowsMax - rowsMin) }, () =>
        columns.map(({ type }, at) => (at > 0 && prng.chance(missing[at]) ? null : draw(type, prng))),
      );
      const plain = rows.map((row) =>
        row.map((value, at) =>
          columns[at].type === 'decimal' && value !== null ? Math.round(Number(value) * 100) : value,
        ),
      );
      this.#tables.set(name, plain);
      if (rows.length === 0) continue;
      const tuples = rows.map((row) => `(${row.map(literal).join(', ')})`);
      await this.#duckRows(`INSERT INTO ${name} VALUES ${tuples.join(', ')}`);
      const entities = rows.map((row, index) => {
        const fields = row.flatMap((value, at) => (value === null ? [] : [[columns[at].name, value]]));
        return [`${name}${index}`, { dimension: name, ...Object.fromEntries(fields) }];
      });
      await this.#post('/v1/insert', JSON.stringify(Object.fromEntries(entities)));
    }
  }

  async #post(path: string, body: string): Promise<void> {
    const { status, text } = await this.#server.post(path, body);
    if (status !== 200) throw new Error(`${path}: HTTP ${status} ${text.slice(0, 500)}`);
  }

  /** The rows of a SELECT in the server, as sorted texts. */
  async rows(sql: string): Promise<readonly string[]> {
    const { status, text } = await this.#server.sql(sql);
    if (status !== 200) throw new Error(`${sql}: HTTP ${status} ${text.slice(0, 400)}`);
    return rowTexts(answerRows(text), false);
  }

  /** `ordered`: the rows have a total order. */
  async compare(sql: string, ordered: boolean): Promise<Outcome> {
    const [duck, answer] = await Promise.allSettled([
      this.#duckRows(countedExists(sql)),
      this.#server.sql(sql),
    ]);
    if (answer.status === 'rejected') throw answer.reason;
    if (duck.status === 'rejected') return { is: 'refused-by-duck', what: String(duck.reason).slice(0, 200) };
    const { status, text } = answer.value;
    if (status !== 200) return { is: 'different', what: `HTTP ${status} ${text.slice(0, 400)}` };
    const found = rowTexts(answerRows(text), ordered);
    const wanted = rowTexts(duck.value, ordered);
    const at = found.findIndex((row, index) => row !== wanted[index]);
    if (at === -1 && found.length === wanted.length) return { is: 'equal', rowCount: found.length };
    const row = at === -1 ? found.length : at;
    const counts = `${found.length} rows instead of ${wanted.length}`;
    return { is: 'different', what: `${counts}; row ${row} is ${found[row]} instead of ${wanted[row]}` };
  }
}

/**
 * DuckDB returns rows for `EXISTS (... a = b AND c <> d) OR x` that it returns for neither side of OR alone, which the
 * documentation of OR excludes. The comparison of a count has the right rows.
 */
const countedExists = (sql: string): string =>
  sql.replaceAll('EXISTS (SELECT 1 FROM', '0 < (SELECT COUNT(*) FROM');

function draw(type: TreeType, prng: Prng): number | string | boolean {
  switch (type) {
    case 'integer':
      return prng.chance(0.15) ? -prng.below(4) : prng.below(6);
    case 'text':
      return prng.pick(['a', 'ab', 'b', 'c d', 'x']);
    case 'date':
      return prng.chance(0.15) ? `1969-12-3${prng.below(2)}` : `2020-01-0${1 + prng.below(5)}`;
    case 'boolean':
      return prng.chance(0.5);
    case 'decimal':
      return (prng.below(600) - 100) / 100;
  }
}

const literal = (value: number | string | boolean | null): string =>
  typeof value === 'string' ? `'${value}'` : String(value);

/** Numbers of both engines in one form: DuckDB shows decimals and wide integers as texts. */
const shown = (value: unknown): unknown => {
  if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  return value;
};

function answerRows(text: string): readonly (readonly unknown[])[] {
  const answer = JSON.parse(text) as { readonly result: readonly Readonly<Record<string, unknown>>[] };
  return answer.result.map((row) => Object.values(row));
}

function rowTexts(rows: readonly (readonly unknown[])[], ordered: boolean): readonly string[] {
  const texts = rows.map((row) => JSON.stringify(row.map(shown)));
  return ordered ? texts : texts.sort();
}
