import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { Zstd } from '@hpcc-js/wasm-zstd';
import {
  Bool,
  DateDay,
  Float64,
  Int64,
  Table,
  TimestampMillisecond,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { parquetWriteBuffer } from 'hyparquet-writer';
import t, { type Test } from 'tap';
import { Prng } from '../../../src/base/index.js';
import { startServer } from '../../demo/server.js';
import { accessOf, importing, selected } from './importing.js';

interface Row {
  readonly id: string;
  readonly name: string | null;
  readonly count: bigint | null;
  readonly price: number | null;
  readonly open: boolean | null;
  readonly day: string | null;
  readonly at: string | null;
}

const COUNT = 3_000;
const WORDS = ['plain', 'with, comma', 'with "quotes"', 'two\nlines', 'Ünïcödé ✓', '007', "it's"];
const random = new Prng(7);
const some = <T>(make: () => T): T | null => (random.chance(0.1) ? null : make());
const pad = (value: number): string => String(value).padStart(2, '0');
const dayText = (): string =>
  `20${pad(random.between(0, 25))}-${pad(random.between(1, 12))}-${pad(random.between(1, 28))}`;

const ROWS: readonly Row[] = Array.from({ length: COUNT }, (_, index) => ({
  id: `e${index}`,
  name: some(() => random.pick(WORDS)),
  count: some(() => random.pick([0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), BigInt(random.u32())])),
  price: some(() => random.between(-99_999, 99_999) / 100),
  open: some(() => random.chance(0.5)),
  day: some(dayText),
  at: some(() => `${dayText()}T${pad(random.below(24))}:${pad(random.below(60))}:00Z`),
}));
const NAMES = ['id', 'name', 'count', 'price', 'open', 'day', 'at'] as const;

function separated(delimiter: string): Buffer {
  const field = (value: Row[keyof Row]): string => {
    const text = value === null ? '' : String(value);
    return /["\n\r]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = ROWS.map((row) => NAMES.map((name) => field(row[name])).join(delimiter));
  return Buffer.from(`\uFEFF${[NAMES.join(delimiter), ...lines].join('\r\n')}\r\n`);
}

function ndjson(): Buffer {
  const quoted = (row: Row): string =>
    JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `#${value}` : value)).replace(
      /"#(-?\d+)"/g,
      '$1',
    );
  return Buffer.from(ROWS.map((row) => `${quoted(row)}\n`).join(''));
}

const column = <K extends keyof Row>(name: K): Row[K][] => ROWS.map((row) => row[name]);
const asDates = (name: 'day' | 'at'): (Date | null)[] =>
  column(name).map((text) => (text === null ? null : new Date(text)));

function arrow(form: 'file' | 'stream'): Buffer {
  const table = new Table({
    id: vectorFromArray(column('id'), new Utf8()),
    name: vectorFromArray(column('name')),
    count: vectorFromArray(column('count'), new Int64()),
    price: vectorFromArray(column('price'), new Float64()),
    open: vectorFromArray(column('open'), new Bool()),
    day: vectorFromArray(asDates('day'), new DateDay()),
    at: vectorFromArray(asDates('at'), new TimestampMillisecond()),
  });
  return Buffer.from(tableToIPC(table, form));
}

function parquet(): Buffer {
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'id', data: column('id'), type: 'STRING' },
      { name: 'name', data: column('name'), type: 'STRING' },
      { name: 'count', data: column('count'), type: 'INT64' },
      { name: 'price', data: column('price'), type: 'DOUBLE' },
      { name: 'open', data: column('open'), type: 'BOOLEAN' },
      { name: 'day', data: column('day'), type: 'STRING' },
      { name: 'at', data: asDates('at').map((date) => date ?? undefined), type: 'TIMESTAMP' },
    ],
    rowGroupSize: 1_000,
  });
  return Buffer.from(bytes);
}

const WANTED = ROWS.map(({ id, name, count, price, open, day, at }) => ({
  'entity-id': id,
  name: name?.toLowerCase() ?? null,
  count: count === null ? null : String(count),
  price,
  open,
  day,
  at,
})).sort((a, b) => (a['entity-id'] < b['entity-id'] ? -1 : 1));

const server = await startServer('--workers', '1');
t.teardown(() => server.stop());
const dir = t.testdir();
let dimensions = 0;

/** Imports the file into a new dimension and checks that the dimension then holds all rows. */
async function arrives(t: Test, file: string): Promise<void> {
  const dimension = `d${dimensions++}`;
  const { bad } = await importing(accessOf(server), ['--dimension', dimension, file]);
  t.equal(bad, 0, file);
  const rows = (await selected(
    server,
    `SELECT [entity-id], name, CAST(count AS VARCHAR) AS count, price, [open], day, at FROM [${dimension}] ORDER BY [entity-id]`,
  )) as Record<string, unknown>[];
  t.strictSame(rows.length, WANTED.length, `${file}: rows`);
  const differ = rows.filter(
    (row, index) => JSON.stringify(Object.values(row)) !== JSON.stringify(Object.values(WANTED[index])),
  );
  t.strictSame(differ.slice(0, 3), [], file);
}

t.test('every format and compression gives the same rows with the same types', async (t) => {
  const zstd = await Zstd.load();
  const files: [string, Buffer][] = [
    ['a.csv', separated(',')],
    ['b.tsv', separated('\t')],
    ['c.ndjson', ndjson()],
    ['d.arrow', arrow('file')],
    ['e.arrows', arrow('stream')],
    ['f.parquet', parquet()],
  ];
  for (const [name, plain] of files) {
    for (const packed of name.endsWith('parquet') ? [''] : ['', '.gz', '.zst']) {
      const bytes =
        packed === '' ? plain : packed === '.gz' ? gzipSync(plain) : Buffer.from(zstd.compress(plain));
      const file = path.join(dir, `${name}${packed}`);
      fs.writeFileSync(file, bytes);
      await arrives(t, file);
    }
  }
});

t.test(
  'Parquet files of another writer give the same rows, with dates and decimals, in every codec',
  async (t) => {
    const csv = path.join(dir, 'for-duckdb.csv');
    fs.writeFileSync(csv, separated(','));
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    t.teardown(() => connection.closeSync());
    const types = `{id: 'VARCHAR', name: 'VARCHAR', count: 'BIGINT', price: 'DECIMAL(9,2)', open: 'BOOLEAN', day: 'DATE', "at": 'TIMESTAMP'}`;
    await connection.run(
      `CREATE TABLE it AS SELECT * FROM read_csv('${csv}', header = true, columns = ${types})`,
    );
    for (const codec of ['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw']) {
      const file = path.join(dir, `${codec}.parquet`);
      await connection.run(`COPY it TO '${file}' (FORMAT parquet, CODEC '${codec}', ROW_GROUP_SIZE 2048)`);
      const codecs = await connection.runAndReadAll(
        `SELECT DISTINCT compression FROM parquet_metadata('${file}')`,
      );
      t.strictSame(codecs.getRowsJson(), [[codec.toUpperCase()]]);
      await arrives(t, file);
    }
  },
);

t.test('--case preserve keeps the case of texts and IDs, also of IDs that differ only in case', async (t) => {
  const file = path.join(dir, 'pages.csv');
  fs.writeFileSync(file, 'id,url,hits\nAb,https://Example.com/A,1\nab,https://example.com/a,2\nAB,X,3\n');
  const words = [file, '--dimension', 'case-pages', '--case', 'preserve'];
  t.equal((await importing(accessOf(server), words)).bad, 0);
  const rows = await selected(server, 'SELECT [entity-id], url, hits FROM [case-pages] ORDER BY hits');
  const expected = [
    { 'entity-id': 'Ab', url: 'https://Example.com/A', hits: 1 },
    { 'entity-id': 'ab', url: 'https://example.com/a', hits: 2 },
    { 'entity-id': 'AB', url: 'X', hits: 3 },
  ];
  t.strictSame(rows, expected);
  fs.appendFileSync(file, 'aB,y,4\n');
  t.equal(
    (await importing(accessOf(server), [file, '--dimension', 'case-pages'])).bad,
    0,
    'into what exists',
  );
  t.equal((await selected(server, 'SELECT url FROM [case-pages]')).length, 4);
});
