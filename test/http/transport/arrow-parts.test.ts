import { RecordBatchStreamWriter, Table, tableFromIPC, tableToIPC } from 'apache-arrow';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { ARROW_BATCH_BYTES_MAX, ArrowParts } from '../../../src/http/transport/arrow-parts.js';
import { ByteBudget } from '../../../src/http/transport/body.js';
import { ARROW_ROWS_MAX } from '../../../src/ingest/index.js';
import { makeTable } from '../../ingest/columnar/arrow-tables.js';
import { NOW_MS } from '../../support/ingest/ingest-bodies.js';

const SEED = Number(process.env.QUARRY_TEST_SEED ?? 4_711);
const ROUNDS = 60;
const MIB = 2 ** 20;
const FILE_MAGIC = Buffer.from('ARROW1\0\0', 'latin1');

interface Taken {
  readonly firstLine: number;
  readonly lineCount: number;
  readonly rows: readonly unknown[] | null;
}

const rowsOf = (table: Table): unknown[] => JSON.parse(JSON.stringify(table.toArray(), withBigints));

const withBigints = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

/** The parts of a body that arrives in chunks of the lengths that `cut` returns, and what is wrong with its end. */
function divide(body: Uint8Array, cut: () => number): { parts: Taken[]; fault: string | null } {
  const budget = new ByteBudget(256 * MIB);
  const source = new ArrowParts(budget);
  const parts: Taken[] = [];
  const drain = (): void => {
    while (source.hasPart) {
      const { firstLine, lineCount, text, lines } = source.take();
      if (lines.first !== firstLine) throw new Error('a part has two first rows');
      parts.push({ firstLine, lineCount, rows: text === null ? null : rowsOf(tableFromIPC(text.slice())) });
    }
  };
  for (let at = 0; at < body.length; ) {
    const chunk = Uint8Array.from(body.subarray(at, at + cut()));
    if (!source.add(chunk)) throw new Error('no capacity');
    at += chunk.length;
    chunk.fill(0xff);
    drain();
  }
  source.end();
  drain();
  const fault = source.fault?.message ?? null;
  source.release();
  if (budget.reservedBytes !== 0) throw new Error(`${budget.reservedBytes} bytes were not released`);
  return { parts, fault };
}

/** Tables of one schema; with another dictionary in each, if a field has one. */
function tables(random: Prng): Table[] {
  const { table } = makeTable(random, NOW_MS, 40);
  const counts = Array.from({ length: 1 + random.below(5) }, () => random.below(20));
  return counts.map((count) => new Table(table.schema, table.slice(0, count).batches));
}

const streamOf = (all: readonly Table[]): Uint8Array => {
  const batches = all.flatMap(({ batches }) => batches);
  return RecordBatchStreamWriter.writeAll(batches).toUint8Array(true);
};

t.test('each record batch is a part, however its bytes arrive', async (t) => {
  const random = new Prng(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const all = tables(random);
    const isFile = random.below(4) === 0;
    const stream = streamOf(all);
    const body = isFile ? Buffer.concat([FILE_MAGIC, stream, Buffer.from('a footer')]) : stream;
    const size = random.pick([1, 7, 100, 5_000, 1_000_000]);
    const { parts, fault } = divide(body, () => 1 + random.below(size));
    const what = `seed ${SEED}, round ${round}`;
    t.equal(fault, null, what);
    const rows = rowsOf(tableFromIPC(stream));
    t.strictSame(
      parts.flatMap((part) => part.rows ?? []),
      rows,
      what,
    );
    let first = 1;
    for (const { firstLine, lineCount, rows: own } of parts) {
      t.equal(firstLine, first, what);
      t.equal(lineCount, own?.length, what);
      first += lineCount;
    }
  }
});

t.test('a body that is cut has the parts that are whole, and a fault', async (t) => {
  const random = new Prng(SEED);
  const body = streamOf([makeTable(random, NOW_MS, 30).table]);
  for (let round = 0; round < ROUNDS; round++) {
    const cut = random.below(body.length - 8);
    const { parts, fault } = divide(body.subarray(0, cut), () => 500);
    t.strictSame(parts, [], `cut at ${cut}, seed ${SEED}`);
    t.match(fault, /^the body is no Arrow stream/, `cut at ${cut}, seed ${SEED}`);
  }
  t.match(divide(new Uint8Array(0), () => 1).fault, /no schema/);
  t.match(
    divide(Buffer.from('{"id": 1}\n'), () => 1).fault,
    /no message of an Arrow stream begins at byte 0/,
  );
});

/** The message of a stream with another length of its body. */
function withBodyLength(stream: Uint8Array, bytes: number): Uint8Array {
  const view = new DataView(stream.buffer, stream.byteOffset);
  const schemaEnd = 8 + view.getUint32(4, true);
  const changed = Uint8Array.from(stream);
  const metadata = new DataView(changed.buffer, schemaEnd + 8);
  const table = metadata.getUint32(0, true);
  const vtable = table - metadata.getInt32(table, true);
  metadata.setBigInt64(table + metadata.getUint16(vtable + 4 + 2 * 3, true), BigInt(bytes), true);
  return changed;
}

t.test('record batches that are too large are refused', async (t) => {
  const stream = streamOf([new Table(makeTable(new Prng(SEED), NOW_MS, 3).table.select(['level']).batches)]);
  const { parts, fault } = divide(withBodyLength(stream, ARROW_BATCH_BYTES_MAX), () => 1_000);
  t.strictSame(parts, []);
  t.match(fault, /the record batch from row 1 on has more than 33554432 bytes/);
  t.match(divide(withBodyLength(stream, 2 ** 52), () => 1_000).fault, /more than 33554432 bytes/);

  const { vector, rows } = { vector: new Int8Array(ARROW_ROWS_MAX + 1), rows: ARROW_ROWS_MAX + 1 };
  const { tableFromArrays } = await import('apache-arrow');
  const long = divide(tableToIPC(tableFromArrays({ level: vector })), () => 100_000);
  t.match(long, { parts: [{ firstLine: 1, lineCount: rows, rows: null }], fault: null });
});
