/** ClickHouse (chdb) and apache-arrow read snapshot files from disk and find exactly the written rows. */
import fs from 'node:fs';
import path from 'node:path';
import { CompressionType, compressionRegistry, tableFromIPC } from 'apache-arrow';
import { query } from 'chdb';
import { decompressFrameSync } from 'lz4-napi';
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { type ArrowValues, encodeArrowFile, encodeArrowFileSync } from '../../src/column/index.js';
import { createLz4 } from '../../src/format/index.js';
import { formatDate, formatDateTime, formatDecimal } from '../../src/schema/index.js';
import {
  DECIMAL_PLACES,
  type GeneratedTable,
  generateTable,
  type Plain,
  utf8Of,
} from '../support/arrow-table.js';

const SEED = 1789;
const lz4 = createLz4();
t.comment(`seed ${SEED}`);

type Json = string | number | boolean | null | readonly Json[];

/** A present value, or an item of a list, in the JSON that ClickHouse writes. */
function clickHouseItem(kind: ArrowValues['kind'], value: Plain): Json {
  switch (kind) {
    case 'int64':
      return String(value);
    case 'decimal':
      return formatDecimal(value as bigint, DECIMAL_PLACES);
    case 'date32':
      return formatDate(value as number);
    case 'timestamp':
      return formatDateTime(Number(value)).replace('T', ' ').replace('Z', '');
    default:
      return value as Json;
  }
}

/**
 * ClickHouse has no missing arrays: it reads a missing list as an empty one, and a missing point as two NaN (JSON
 * null).
 */
function clickHouseValue(values: ArrowValues, value: Plain): Json {
  if (values.kind === 'list') {
    return ((value ?? []) as Plain[]).map((item) => clickHouseItem(values.items.kind, item));
  }
  if (value === null) return values.kind === 'point' ? [null, null] : null;
  return clickHouseItem(values.kind, value);
}

const SETTINGS = 'output_format_json_quote_64bit_integers=1, output_format_json_quote_decimals=1';

function clickHouseRows(file: string): string[] {
  const text = query(`SELECT * FROM file('${file}', Arrow) SETTINGS ${SETTINGS}`, 'JSONCompactEachRow');
  return text.split('\n').filter((line) => line !== '');
}

/** The first row that differs from the generated values, or null. */
function firstDifference(rows: readonly string[], { table, values }: GeneratedTable): string | null {
  if (rows.length !== table.rowCount) return `${rows.length} rows instead of ${table.rowCount}`;
  for (const [row, line] of rows.entries()) {
    const expected = table.columns.map((column, index) => clickHouseValue(column, values[index][row]));
    const found = JSON.parse(line) as Json[];
    for (const [index, column] of table.columns.entries()) {
      if (JSON.stringify(found[index]) === JSON.stringify(expected[index])) continue;
      return `${column.name}, row ${row}: ${JSON.stringify(found[index])} instead of ${JSON.stringify(expected[index])}`;
    }
  }
  return null;
}

/** The largest number of rows needs several LZ4 blocks per buffer. */
for (const rowCount of [0, 1, 2000, 40_000]) {
  t.test(`ClickHouse reads a file of ${rowCount} rows directly from disk`, async (t) => {
    const generated = generateTable(new Prng(SEED + rowCount), rowCount);
    const file = path.join(t.testdir(), 'segment.arrow');
    fs.writeFileSync(file, await encodeArrowFile(generated.table, lz4));
    t.equal(firstDifference(clickHouseRows(file), generated), null);
  });
}

t.test(
  'ClickHouse reads dictionary-coded strings of every code width, dictionary and codes compressed',
  async (t) => {
    const strings = Array.from({ length: 256 }, (_, code) =>
      code === 0 ? '' : `a rather common beginning ${code}`,
    );
    const dictionary = utf8Of(strings);
    const codes = Array.from({ length: 5000 }, (_, row) => Math.floor(row / 25));
    const columns = [Uint8Array, Uint16Array, Uint32Array].map(
      (type) =>
        ({
          kind: 'dictionary',
          name: type.name,
          validity: null,
          codes: type.from(codes),
          dictionary,
        }) as const,
    );
    const file = path.join(t.testdir(), 'codes.arrow');
    const bytes = encodeArrowFileSync({ columns, rowCount: codes.length, metadata: new Map() }, lz4);
    fs.writeFileSync(file, bytes);
    t.ok(bytes.length < dictionary.bytes.length * 3, 'the dictionaries were compressed');
    const expected = codes.map((code) => JSON.stringify([strings[code], strings[code], strings[code]]));
    t.strictSame(
      clickHouseRows(file).map((line) => JSON.stringify(JSON.parse(line))),
      expected,
    );
    const description = query(`DESCRIBE TABLE file('${file}', Arrow)`, 'TSV').trim().split('\n');
    const types = description.map((line) => line.split('\t')[1]);
    t.strictSame(types, Array(3).fill('LowCardinality(Nullable(String))'));
  },
);

/** A value from apache-arrow in the form of the generated values. */
function fromArrow(values: ArrowValues, value: unknown): Plain {
  if (value === null) return null;
  switch (values.kind) {
    case 'list':
      return Array.from(value as Iterable<unknown>, (item) => fromArrow(values.items, item));
    case 'point':
      return Array.from(value as Iterable<number>);
    case 'decimal': {
      const [low, high] = value as Uint32Array;
      return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
    }
    case 'date32':
      return (value as number) / 86_400_000;
    case 'timestamp':
      return BigInt((value as number) / 1000);
    default:
      return value as Plain;
  }
}

t.test('apache-arrow reads a file with a plain LZ4 frame decoder', async (t) => {
  compressionRegistry.set(CompressionType.LZ4_FRAME, {
    decode: (frame) => decompressFrameSync(Buffer.from(frame)),
  });
  const { table, values } = generateTable(new Prng(SEED), 1000);
  const read = tableFromIPC(encodeArrowFileSync(table, lz4));
  t.equal(read.numRows, table.rowCount);
  t.strictSame(read.schema.metadata, table.metadata);
  for (const [index, column] of table.columns.entries()) {
    const found = Array.from({ length: table.rowCount }, (_, row) =>
      fromArrow(column, read.getChildAt(index)?.get(row)),
    );
    t.strictSame(found, values[index], column.name);
  }
});
