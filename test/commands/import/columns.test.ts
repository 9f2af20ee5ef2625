/**
 * Files of columns are imported twice: as record batches, and row by row (a --null text makes bodies of rows). Both must store the
 * same, and list the same bad rows. QUARRY_TEST_SEED repeats a run.
 */
import fs from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import t, { type Test } from 'tap';
import { startServer } from '../../demo/server.js';
import { accessOf, importing, selected } from './importing.js';

const seed = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
t.comment(`QUARRY_TEST_SEED=${seed}`);
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const server = await startServer();
t.teardown(() => server.stop());
const access = accessOf(server);
const BY_ROWS = ['--null', 'no such text'];

/** Writes the rows of a query as Parquet. */
async function parquetOf(t: Test, query: string, options = ''): Promise<string> {
  const file = path.join(t.testdir(), 'rows.parquet');
  await connection.run(`COPY (${query}) TO '${file}' (FORMAT parquet${options})`);
  return file;
}

const badRows = (file: string): unknown[] =>
  fs
    .readFileSync(`${file}.bad.ndjson`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).row);

/** Imports the file by columns and by rows, and compares. Returns what is stored. */
async function imported(t: Test, name: string, file: string, words: readonly string[], select: string) {
  const results = [];
  for (const [dimension, further, bodies] of [
    [`${name}-columns`, [], 'Arrow'],
    [`${name}-rows`, BY_ROWS, 'JSON'],
  ] as const) {
    const { bad, output } = await importing(access, ['--dimension', dimension, ...further, ...words, file]);
    t.match(output, new RegExp(`MB/s of ${bodies}\n`));
    const rows = await selected(server, select.replaceAll('$', `[${dimension}]`));
    results.push({ bad, rows, badRows: bad === 0 ? [] : badRows(file) });
    fs.rmSync(`${file}.bad.ndjson`, { force: true });
  }
  const [columns, rows] = results;
  t.strictSame(columns, rows, `${name}: ${columns.rows.length} rows`);
  return columns;
}

/** A random number of [0, bound) of row i. */
const below = (bound: number, salt: number): string =>
  `(hash(i + ${seed * 1_000 + salt}) % ${bound})::BIGINT`;
const orNull = (value: string, salt: number): string => `CASE WHEN ${below(5, salt)} > 0 THEN ${value} END`;

t.test('values of all types', async (t) => {
  const columns = [
    `'User ' || ${below(3_000, 1)} || CASE WHEN ${below(50, 2)} = 0 THEN ' ÄÖß 東京' ELSE '' END AS id`,
    `${orNull(`(${below(200, 3)} - 100)::TINYINT`, 4)} AS small`,
    `${orNull(`${below(60_000, 5)}::USMALLINT`, 6)} AS short`,
    `${orNull(`(hash(i) % 9007199254740991)::BIGINT`, 7)} AS wide`,
    `${orNull(`(${below(1_000_000, 8)} - 500000) / 1000.0`, 9)}::DOUBLE AS float`,
    `${orNull(`(${below(1_000_000, 10)} - 500000) / 128.0`, 11)}::FLOAT AS single`,
    `${orNull(`(${below(1_000_000, 12)} - 500000) / 7.0 * CASE ${below(4, 42)} WHEN 0 THEN 1e6 WHEN 1 THEN 1e-5 ELSE 1 END`, 13)}::DOUBLE AS ratio`,
    `${orNull(`(${below(2_000_000, 14)} - 1000000) / 100.0`, 15)}::DECIMAL(12,2) AS price`,
    `${orNull(`${below(1_000_000, 16)}`, 17)}::DECIMAL(30,0) AS long`,
    `${orNull(`${below(2, 18)} = 1`, 19)} AS ok`,
    `${orNull(`(DATE '1900-01-01' + ${below(70_000, 20)}::INT)`, 21)} AS day`,
    `${orNull(`TIMESTAMP '1960-01-01' + to_microseconds((hash(i) % 2251799813685247)::BIGINT)`, 22)} AS moment`,
    `${orNull(`TIMESTAMPTZ '2001-01-01' + to_milliseconds(${below(1e12, 23)})`, 24)} AS zoned`,
    `${orNull(`TIMESTAMP_NS '2001-01-01 00:00:00.123456789' + to_seconds(${below(1e8, 25)})`, 26)} AS nano`,
    `${orNull(`CASE ${below(6, 27)} WHEN 0 THEN '' WHEN 1 THEN 'Grüße' ELSE 'Text ' || ${below(100, 28)} END`, 29)} AS word`,
    `1 AS always`,
  ];
  const groups = ', ROW_GROUP_SIZE 2048';
  const file = await parquetOf(t, `SELECT ${columns.join(', ')} FROM range(5000) t(i)`, groups);
  const select =
    'SELECT [entity-id], small, short, wide, float, single, ratio, price, long, ok, day, moment, zoned, nano, word FROM $ ORDER BY [entity-id]';
  const { rows, bad } = await imported(t, 'types', file, [], select);
  t.equal(bad, 0);
  t.ok(rows.length > 2_000, `${rows.length} entities`);
});

t.test('events, IDs of row numbers, renamed and selected columns, limits', async (t) => {
  const query = `SELECT ${below(300, 1)} AS user, 'Page ' || ${below(40, 2)} AS page, ${orNull(below(90, 5), 6)} AS price,
    TIMESTAMP '2024-01-01' + to_seconds(${below(1e7, 3)}) AS at, ${below(9, 4)} AS level FROM range(6000) t(i)`;
  const file = await parquetOf(t, query, ', ROW_GROUP_SIZE 4096');
  const events = [
    '--event',
    'visit:page:at',
    '--event',
    'paid:price:at',
    '--id',
    'user',
    '--rename',
    'level=stage',
  ];
  const { bad } = await imported(
    t,
    'events',
    file,
    events,
    'SELECT [entity-id], stage, COUNT([visit.value]) AS visits, SUM([paid.value]) AS paid, MIN([visit.date]) AS first FROM $ GROUP BY [entity-id], stage ORDER BY [entity-id]',
  );
  t.equal(bad, 0);
  const numbered = ['--id', ':line', '--columns', 'page,level', '--skip-rows', '1001', '--limit', '3500'];
  const { rows } = await imported(
    t,
    'lines',
    file,
    numbered,
    'SELECT [entity-id], page, level FROM $ ORDER BY [entity-id]',
  );
  t.equal(rows.length, 3_500);
  t.match(rows[0], { 'entity-id': 'rows:1002' });
});

t.test('bad rows are found in parts of parts, and a second import duplicates no event', async (t) => {
  const query = `SELECT CASE i WHEN 77 THEN NULL ELSE 'u' || i % 1000 END AS user, i::INT AS n,
    CASE i WHEN 9000 THEN NULL WHEN 20000 THEN TIMESTAMP '2999-01-01' ELSE TIMESTAMP '2024-01-01' END AS at,
    CASE i WHEN 30000 THEN repeat('x', 2000) ELSE 'ok' END AS note FROM range(40000) t(i)`;
  const file = await parquetOf(t, query);
  const words = ['--event', 'seen:n:at', '--id', 'user'];
  const select = 'SELECT COUNT([seen.value]) AS events, SUM([seen.value]) AS sum FROM $';
  const first = await imported(t, 'bad', file, words, select);
  t.strictSame(first.badRows, [78, 9_001, 20_001, 30_001]);
  const again = await imported(t, 'bad', file, words, select);
  t.strictSame(again, first);
});

t.test('an import that ends in the middle is resumed, also without its state file', async (t) => {
  const query = `SELECT 'u' || i % 700 AS user, i::INT AS n, TIMESTAMP '2024-01-01' AS at FROM range(200000) t(i)`;
  const file = await parquetOf(t, query, ', ROW_GROUP_SIZE 2048');
  const words = ['--dimension', 'resumed', '--event', 'seen:n:at', '--id', 'user', file];
  let runs = 0;
  for (let isWhole = false; !isWhole; runs++) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('interrupted')), 60 * (runs + 1));
    isWhole = await importing(access, words, [], controller.signal).then(
      () => true,
      (error) => {
        t.match(error, { message: 'interrupted' });
        return false;
      },
    );
    if (runs % 2 === 1) fs.rmSync(`${file}.import.json`, { force: true });
  }
  t.ok(runs > 1, `${runs} runs`);
  const sum = (199_999 * 200_000) / 2;
  t.strictSame(
    await selected(server, 'SELECT COUNT([seen.value]) AS events, SUM([seen.value]) AS sum FROM [resumed]'),
    [{ events: 200_000, sum }],
  );
});

t.test('later rows override earlier ones, whichever part they are in', async (t) => {
  const query = `SELECT (hash(i + ${seed}) % 500)::INT AS id, i::INT AS n, 'text' AS word FROM range(50000) t(i)`;
  const file = await parquetOf(t, query, ', ROW_GROUP_SIZE 2048');
  const { rows } = await imported(
    t,
    'latest',
    file,
    ['--connections', '8'],
    'SELECT [entity-id], n FROM $ ORDER BY [entity-id]',
  );
  const last = (
    await connection.runAndReadAll(
      `SELECT id::TEXT AS id, max(n) AS n FROM '${file}' GROUP BY id ORDER BY id`,
    )
  ).getRowObjectsJson();
  t.strictSame(
    rows,
    last.map(({ id, n }) => ({ 'entity-id': id, n })),
  );
});

t.test('a file that is damaged inside names the rows', async (t) => {
  const file = await parquetOf(t, `SELECT i AS id, hash(i) % 1000000 AS n FROM range(100000) t(i)`);
  const bytes = fs.readFileSync(file);
  bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 2_000);
  fs.writeFileSync(file, bytes);
  await t.rejects(importing(access, ['--dimension', 'damaged', file]), {
    message: /rows \d+ to \d+ cannot be read/,
  });
});

t.test(
  'rows of CSV and NDJSON that the server refuses are found, and a second import duplicates no event',
  async (t) => {
    const query = `SELECT CASE i WHEN 77 THEN NULL ELSE 'u' || i % 1000 END AS user, i::INT AS n,
    CASE i WHEN 9000 THEN NULL WHEN 70000 THEN TIMESTAMP '2999-01-01' ELSE TIMESTAMP '2024-01-01' END AS at,
    CASE i WHEN 79999 THEN '1.234567' ELSE '1.5' END AS price, i % 3 = 0 AS ok FROM range(80000) t(i)`;
    for (const [format, options] of [
      ['csv', '(FORMAT csv)'],
      ['ndjson', '(FORMAT json)'],
    ]) {
      const file = path.join(t.testdir(), `rows.${format}`);
      await connection.run(`COPY (${query}) TO '${file}' ${options}`);
      const words = ['--dimension', `refused-${format}`, '--event', 'seen:n:at', '--id', 'user'];
      for (const _ of [1, 2]) {
        const { bad, output } = await importing(access, [...words, '--type', 'price=decimal(2)', file]);
        t.match(output, /MB\/s of Arrow\n/);
        t.equal(bad, 4, output);
        t.strictSame(badRows(file), [78, 9_001, 70_001, 80_000]);
        const select = `SELECT COUNT([seen.value]) AS events, SUM([seen.value]) AS sum FROM [refused-${format}]`;
        const sum = (79_999 * 80_000) / 2 - 77 - 9_000 - 70_000 - 79_999;
        t.strictSame(await selected(server, select), [{ events: 79_996, sum }]);
      }
    }
  },
);
