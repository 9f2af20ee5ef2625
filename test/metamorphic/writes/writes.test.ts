/** Generated writes with subqueries, FROM, USING and RETURNING: the same rows as in DuckDB after every statement. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { ConformanceServer } from '../../support/conformance-server.js';
import { COLUMNS, TABLES, WriteStatements } from './write-statements.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
const STATEMENTS = Number(process.env.QUARRY_WRITES ?? 120);
t.comment(`seed ${SEED}`);
t.setTimeout(240_000);

/** The rows of both engines in one form and order. */
function textOf(rows: readonly Record<string, unknown>[]): string {
  const lines = rows.map((row) =>
    JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? Number(value) : value)),
  );
  return lines.sort().join('\n');
}

async function duckRows(duck: DuckDBConnection, sql: string): Promise<readonly Record<string, unknown>[]> {
  return (await duck.runAndReadAll(sql)).getRowObjects() as readonly Record<string, unknown>[];
}

t.test('generated writes change the same rows as in DuckDB and return the same', async (t) => {
  const prng = new Prng(SEED);
  const server = await ConformanceServer.start(true, { shards: prng.pick([1, 3]), workers: 2 });
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const duck = await instance.connect();
  t.teardown(async () => {
    duck.closeSync();
    instance.closeSync();
    await server.stop();
  });
  const columns = TABLES.flatMap((dimension) =>
    COLUMNS.map(({ name, type }) => {
      const stored = type === 'text' ? { type: 'string', cardinality: 'low' } : { type };
      return { name, 'api-name': name, dimension, ...stored };
    }),
  );
  t.equal((await server.post('/v1/column', JSON.stringify(columns))).status, 200);
  for (const table of TABLES) {
    await duck.run(`CREATE TABLE ${table} (id VARCHAR, n HUGEINT, m HUGEINT, s VARCHAR)`);
    const rows = Array.from({ length: 60 }, (_, at) => {
      const [n, m] = [prng.chance(0.1) ? 'NULL' : prng.below(60), prng.chance(0.1) ? 'NULL' : prng.below(6)];
      const s = prng.chance(0.2) ? 'NULL' : `'${prng.pick(['a', 'b', 'c', 'd'])}'`;
      return `('e${at}', ${n}, ${m}, ${s})`;
    }).join(', ');
    await duck.run(`INSERT INTO ${table} VALUES ${rows}`);
    const { status, text } = await server.sql(`INSERT INTO ${table} ([entity-id], n, m, s) VALUES ${rows}`);
    t.equal(status, 200, text);
  }
  const statements = new WriteStatements(prng);
  let changedCount = 0;
  for (let count = 0; count < STATEMENTS; count++) {
    const table = prng.pick(TABLES);
    const { write, returning } = statements.next(table);
    const isReturning = prng.chance(0.5);
    const sql = isReturning ? `${write} RETURNING ${returning}` : write;
    const { status, text } = await server.sql(sql.replaceAll(/\bid\b/g, '[entity-id]'));
    if (status !== 200) return t.fail(`${sql}: ${text}`);
    const answer = JSON.parse(text.replaceAll('"entity-id"', '"id"'));
    const expected = await duckRows(duck, isReturning ? sql : `${sql} RETURNING id`);
    if (answer.count !== expected.length) return t.equal(answer.count, expected.length, sql);
    if (isReturning && textOf(answer.result) !== textOf(expected)) {
      return t.equal(textOf(answer.result), textOf(expected), sql);
    }
    changedCount += expected.length;
    const found = await server.sql(`SELECT [entity-id] AS id, n, m, s FROM ${table}`);
    const rows = textOf(JSON.parse(found.text).result);
    const inDuck = textOf(await duckRows(duck, `SELECT id, n, m, s FROM ${table}`));
    if (rows !== inDuck) return t.equal(rows, inDuck, sql);
  }
  t.ok(changedCount > STATEMENTS, `${STATEMENTS} statements changed ${changedCount} rows`);
});
