/** The same generated table `f` in servers of several shard counts and in DuckDB. */
import { DuckDBInstance } from '@duckdb/node-api';
import type { Test } from 'tap';
import type { Prng } from '../../../src/base/index.js';
import { ConformanceServer } from '../../support/conformance-server.js';

const COLUMNS = [
  { name: 'k', type: 'integer', duck: 'HUGEINT' },
  { name: 'i', type: 'integer', duck: 'HUGEINT' },
  { name: 'j', type: 'integer', duck: 'HUGEINT' },
  { name: 'big', type: 'integer', duck: 'HUGEINT' },
  { name: 'd', type: 'decimal', duck: 'DECIMAL(30, 2)' },
  { name: 's', type: 'string', duck: 'VARCHAR' },
  { name: 'b', type: 'boolean', duck: 'BOOLEAN' },
  { name: 'day', type: 'date', duck: 'DATE' },
  { name: 'ts', type: 'datetime', duck: 'TIMESTAMP' },
] as const;
type Column = (typeof COLUMNS)[number]['name'];
type Value = number | string | boolean | null;

/** Relative difference of floats that engines compute differently. */
const TOLERANCE = 1e-9;

const two = (value: number): string => String(value).padStart(2, '0');

function draw(column: Column, row: number, prng: Prng): Value {
  if (column !== 'k' && prng.chance(0.15)) return null;
  const day = `${prng.pick([1970, 2000, 2024, 2023, 9998])}-${two(1 + prng.below(12))}-${two(1 + prng.below(28))}`;
  switch (column) {
    case 'k':
      return row;
    case 'i':
      return prng.between(-4, 9);
    case 'j':
      return prng.between(0, 60);
    case 'big':
      return prng.pick([-1, 0, 1]) * (2 ** 52 + prng.below(1_000));
    case 'd':
      return prng.between(-5_000, 5_000) / 100;
    case 's':
      return prng.pick(['red', 'blue', 'x y', 'é', '"q"', 'green']);
    case 'b':
      return prng.chance(0.6);
    case 'day':
      return day;
    case 'ts':
      return `${day}T${two(prng.below(24))}:${two(prng.below(60))}:${two(prng.below(60))}Z`;
  }
}

const literal = (value: Value): string => (typeof value === 'string' ? `'${value}'` : String(value));

export class FunctionLife {
  readonly #servers: readonly ConformanceServer[];
  readonly #duck: Awaited<ReturnType<DuckDBInstance['connect']>>;

  private constructor(servers: readonly ConformanceServer[], duck: FunctionLife['duck']) {
    this.#servers = servers;
    this.#duck = duck;
  }

  get duck(): Awaited<ReturnType<DuckDBInstance['connect']>> {
    return this.#duck;
  }

  /** `shards` has one server per count. */
  static async start(
    t: Test,
    shards: readonly number[],
    rowCount: number,
    prng: Prng,
  ): Promise<FunctionLife> {
    const servers: ConformanceServer[] = [];
    for (const count of shards) {
      const layout = { shards: count, workers: Math.min(count, 2), memoryLimitBytes: 2 ** 32 };
      servers.push(await ConformanceServer.start(count % 2 === 1, layout));
    }
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const duck = await instance.connect();
    t.teardown(async () => {
      duck.closeSync();
      instance.closeSync();
      for (const server of servers) await server.stop();
    });
    const life = new FunctionLife(servers, duck);
    await life.#load(rowCount, prng);
    return life;
  }

  async #load(rowCount: number, prng: Prng): Promise<void> {
    const rows = Array.from({ length: rowCount }, (_, row) =>
      COLUMNS.map(({ name }) => draw(name, row, prng)),
    );
    await this.#duck.run(`CREATE TABLE f (${COLUMNS.map(({ name, duck }) => `${name} ${duck}`).join(', ')})`);
    await this.#duck.run(
      `INSERT INTO f VALUES ${rows.map((row) => `(${row.map(literal).join(', ')})`).join(', ')}`,
    );
    const columns = COLUMNS.map(({ name, type }) => ({
      ...{ name, 'api-name': name, dimension: 'f', type },
      ...(type === 'decimal' ? { 'decimal-places': 2 } : {}),
      ...(type === 'string' ? { cardinality: 'low' } : {}),
    }));
    const entities = rows.map((row, index) => {
      const fields = row.flatMap((value, at) => (value === null ? [] : [[COLUMNS[at].name, value]]));
      return [`f${index}`, { dimension: 'f', ...Object.fromEntries(fields) }];
    });
    for (const server of this.#servers) {
      for (const [path, body] of [
        ['/v1/column', columns],
        ['/v1/insert', Object.fromEntries(entities)],
      ] as const) {
        const { status, text } = await server.post(path, JSON.stringify(body));
        if (status !== 200) throw new Error(`${path}: HTTP ${status} ${text.slice(0, 500)}`);
      }
    }
  }

  /** The answers of all servers, as JSON texts or messages. */
  async answers(sql: string): Promise<readonly string[]> {
    const answers: string[] = [];
    for (const server of this.#servers) {
      const { status, text } = await server.sql(sql);
      const { result, errors } = JSON.parse(text);
      answers.push(status === 200 ? JSON.stringify(result) : `${status}: ${errors[0].message}`);
    }
    return answers;
  }

  /** The first difference between the answers to `sql` and DuckDB's answer to `duckSql`; null = none. Rows must have an order. */
  async fault(sql: string, duckSql = sql): Promise<string | null> {
    const [first, ...others] = await this.answers(sql);
    const different = others.find((answer) => answer !== first);
    if (different !== undefined) return `${sql}\n  ${first.slice(0, 300)}\n  ${different.slice(0, 300)}`;
    if (!first.startsWith('[')) return `${sql}\n  ${first}`;
    const found = (JSON.parse(first) as Record<string, unknown>[]).map((row) => Object.values(row));
    const wanted = (await this.#duck.runAndReadAll(duckSql)).getRowsJson();
    if (isEqual(found, wanted)) return null;
    const at = found.findIndex((row, index) => !isEqual(row, wanted[index]));
    return `${sql}\n  ${JSON.stringify(found[at])}\n  instead of ${JSON.stringify(wanted[at])}`;
  }
}

/** DuckDB's NaN becomes null, as in Quarry. */
function isEqual(found: unknown, wanted: unknown): boolean {
  if (wanted === 'NaN') return found === null;
  if (Array.isArray(found) && Array.isArray(wanted)) {
    return found.length === wanted.length && found.every((value, index) => isEqual(value, wanted[index]));
  }
  if (typeof found === 'number' && wanted !== null) {
    return Math.abs(found - Number(wanted)) <= TOLERANCE * Math.max(1, Math.abs(found));
  }
  if (typeof found === 'string' && typeof wanted === 'string') return instant(found) === instant(wanted);
  return found === wanted;
}

/** Datetimes of both engines in one form. */
const instant = (text: string): string => text.replace(/^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)Z?$/, '$1 $2');
