/** Arrow streams as apache-arrow and ClickHouse (chdb) read them: exactly the rows written. */
import fs from 'node:fs';
import path from 'node:path';
import { type Table, tableFromIPC } from 'apache-arrow';
import { query } from 'chdb';
import t from 'tap';
import { allocateFresh } from '../../src/answer/allocator.js';
import { arrowEncoder } from '../../src/answer/arrow-rows.js';
import { type RowEncoder, rowEncoder } from '../../src/answer/index.js';
import { Prng } from '../../src/base/index.js';
import { type Field, type Value, vectorOf } from '../../src/vector/index.js';
import { cuts, type GeneratedRows, generateRows, tokenOf } from './generated-rows.js';

const SEED = 47;
t.comment(`seed ${SEED}`);

const TYPES = {
  integer: 'Int64',
  float: 'Float64',
  boolean: 'Bool',
  date: 'Date32<DAY>',
  datetime: 'Timestamp<SECOND, UTC>',
  text: 'Utf8',
  interval: 'Utf8',
  json: 'Utf8',
};

function streamOf(encoder: RowEncoder, generated: GeneratedRows, prng: Prng): Uint8Array {
  const { columns, rowCount } = generated;
  const parts = cuts(prng, rowCount).map(([from, to]) => encoder.rows(columns, from, to, from === 0));
  return Buffer.concat([encoder.head(), ...parts, encoder.tail(rowCount)]);
}

/** A value returned by apache-arrow, as a token of an answer. */
function arrowToken(field: Field, value: unknown): string | null {
  if (value === null) return null;
  switch (field.type.type) {
    case 'decimal':
      return tokenOf(field, wideOf(value as Uint32Array));
    case 'date':
      return tokenOf(field, BigInt(Number(value) / 86_400_000));
    case 'datetime':
      return tokenOf(field, BigInt(Number(value) / 1_000));
    case 'integer':
      return String(value);
    default:
      return tokenOf(field, value as Exclude<Value, null>);
  }
}

/** The integer of four 32-bit words, lowest first. */
function wideOf(words: Uint32Array): bigint {
  return BigInt.asIntN(
    128,
    words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n),
  );
}

const tokensOf = ({ fields, rows }: GeneratedRows): (string | null)[][] =>
  rows.map((row) => row.map((value, column) => (value === null ? null : tokenOf(fields[column], value))));

function readBack(table: Table, fields: readonly Field[]): (string | null)[][] {
  const columns = fields.map((_, column) => table.getChildAt(column));
  return Array.from({ length: table.numRows }, (_, row) =>
    columns.map((column, index) => arrowToken(fields[index], column?.get(row) ?? null)),
  );
}

for (const rowCount of [0, 1, 7, 500]) {
  t.test(`apache-arrow reads ${rowCount} rows back`, async (t) => {
    const prng = new Prng(SEED + rowCount);
    const generated = generateRows(prng, rowCount);
    const table = tableFromIPC(streamOf(rowEncoder('arrow', generated.fields), generated, prng));
    t.strictSame(
      table.schema.fields.map(({ name, type, nullable }) => [name, String(type), nullable]),
      generated.fields.map(({ name, type }) => [
        name,
        type.type === 'decimal'
          ? `Decimal[38e${type.scale === 0 ? '' : '+'}${type.scale}]`
          : TYPES[type.type],
        true,
      ]),
    );
    t.strictSame(readBack(table, generated.fields), tokensOf(generated));
  });
}

t.test('ClickHouse reads the same rows', async (t) => {
  const prng = new Prng(SEED);
  const all = generateRows(prng, 400);
  // ClickHouse supports only dates from 1900 to 2299.
  const retained = all.fields.map(({ type }) => !['date', 'datetime'].includes(type.type));
  const generated: GeneratedRows = {
    rowCount: 400,
    fields: all.fields.filter((_, column) => retained[column]),
    columns: all.columns.filter((_, column) => retained[column]),
    rows: all.rows.map((row) => row.filter((_, column) => retained[column])),
  };
  const days = Array.from({ length: 400 }, () =>
    prng.chance(0.2) ? null : BigInt(prng.between(-20_000, 100_000)),
  );
  const seconds = days.map((value) => (value === null ? null : value * 86_400n + 3_661n));
  const dated: GeneratedRows = {
    rowCount: 400,
    fields: [
      ...generated.fields,
      { name: 'day', type: { type: 'date' } },
      { name: 'second', type: { type: 'datetime' } },
    ],
    columns: [
      ...generated.columns,
      vectorOf({ type: 'date' }, days),
      vectorOf({ type: 'datetime' }, seconds),
    ],
    rows: generated.rows.map((row, index) => [...row, days[index], seconds[index]]),
  };
  const file = path.join(t.testdir(), 'rows.arrows');
  fs.writeFileSync(file, streamOf(rowEncoder('arrow', dated.fields), dated, prng));
  // One thread, because several threads do not keep the order of the batches.
  const settings =
    'max_threads=1, output_format_json_quote_64bit_integers=1, output_format_json_quote_decimals=1';
  const text = query(`SELECT * FROM file('${file}', ArrowStream) SETTINGS ${settings}`, 'JSONCompactEachRow');
  const found = text.split('\n').filter((line) => line !== '');
  t.equal(found.length, 400);
  const wanted = dated.rows.map((row) =>
    row.map((value, column) => clickHouseToken(dated.fields[column], value)),
  );
  t.strictSame(
    found.map((line) => JSON.parse(line)),
    wanted,
  );
});

/** A value as ClickHouse writes it in JSON. */
function clickHouseToken(field: Field, value: Value): unknown {
  if (value === null) return null;
  switch (field.type.type) {
    case 'integer':
      return String(value);
    case 'decimal':
      return tokenOf(field, value).replace(/\.0$/, '');
    case 'datetime':
      return tokenOf(field, value).replace('T', ' ').replace('Z', '');
    case 'date':
      return tokenOf(field, value);
    default:
      return value;
  }
}

t.test('more texts than one batch can hold are split into several batches', async (t) => {
  const prng = new Prng(SEED);
  const generated = generateRows(prng, 300);
  const encoder = arrowEncoder(generated.fields, allocateFresh, 500);
  const bytes = Buffer.concat([
    encoder.head(),
    encoder.rows(generated.columns, 0, 300, true),
    encoder.tail(300),
  ]);
  const table = tableFromIPC(bytes);
  t.ok(table.batches.length > 5, `${table.batches.length} batches`);
  t.strictSame(readBack(table, generated.fields), tokensOf(generated));
});

t.test('every message and buffer begins at a multiple of 8 bytes', async (t) => {
  const generated = generateRows(new Prng(SEED), 13);
  const encoder = rowEncoder('arrow', generated.fields);
  for (const bytes of [encoder.head(), encoder.rows(generated.columns, 0, 13, true), encoder.tail(13)]) {
    t.equal(bytes.length % 8, 0);
    t.strictSame([...bytes.subarray(0, 4)], [255, 255, 255, 255]);
  }
  t.equal(
    encoder.rows(generated.columns, 5, 5, false).length,
    0,
    'an answer without rows has no record batch message',
  );
});

t.test('an integer of more than 64 bits is refused with a remedy; one of 64 bits is not', async (t) => {
  const fields: Field[] = [{ name: 'sum', type: { type: 'integer' } }];
  const encoder = rowEncoder('arrow', fields);
  const of = (...values: Value[]) => [vectorOf({ type: 'integer' }, values)];
  const edges = [2n ** 63n - 1n, -(2n ** 63n), null];
  const table = tableFromIPC(
    Buffer.concat([encoder.head(), encoder.rows(of(...edges), 0, 3, true), encoder.tail(3)]),
  );
  t.strictSame(
    edges.map((_, row) => table.getChildAt(0)?.get(row)),
    edges,
  );
  for (const value of [2n ** 63n, -(2n ** 63n) - 1n]) {
    t.throws(() => encoder.rows(of(value), 0, 1, true), { code: 6000, message: /"sum".*CAST it to text/ });
  }
});
