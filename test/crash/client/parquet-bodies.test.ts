/**
 * Parquet as bodies of a whole server: files of DuckDB, refusals, and damaged files, none of which stops the server or inserts a part of
 * a part. To run again: node dist/test/crash/client/parquet-bodies.test.js --seed 1 --files 1000
 */
import { parseArgs } from 'node:util';
import { tableFromArrays } from 'apache-arrow';
import { Compression } from 'parquet-wasm';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { LineClient, type PartAnswer, partsIn } from '../../http/line-client.js';
import { parquetOf, parquetOfDuckDb } from '../../http/parquet/parquet-files.js';
import { SqlStore, temporaryDir } from './sql-store.js';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    files: { type: 'string', default: '12' },
  },
});
const SEED = Number(options.seed);
const FILES = Number(options.files);
t.comment(`seed ${SEED}`);
t.setTimeout(120_000 + FILES * 2_000);

const TYPE = 'application/vnd.apache.parquet';
let store: SqlStore;
t.before(async () => {
  store = await SqlStore.open(temporaryDir(t));
});
t.teardown(() => store.server.kill());

interface Sent {
  readonly status: number;
  readonly parts: readonly PartAnswer[];
  readonly text: string;
}

async function send(query: string, body: Uint8Array, headers: Record<string, string> = {}): Promise<Sent> {
  const sender = new LineClient({
    ...{ port: store.httpPort, key: store.server.keys().master, path: `/v1/insert?${query}` },
    headers: { 'Content-Type': TYPE, ...headers },
  });
  void sender.write(body);
  sender.end();
  const { status, text } = await sender.answer;
  return { status, text, parts: text.startsWith('{"part"') ? partsIn(text) : [] };
}

const entities = (parts: readonly PartAnswer[]): number =>
  parts.reduce((sum, part) => sum + (part['inserted-entities'] ?? 0), 0);

t.test('a file of DuckDB is inserted with the types of its columns, once', async (t) => {
  const file = await parquetOfDuckDb(
    `SELECT 'u' || i AS user, i AS n, i * 1.25::DECIMAL(9, 2) AS price, i % 2 = 0 AS even, DATE '2024-01-01' + i::INT AS day,
      TIMESTAMP '2024-01-01 00:00:00' + to_seconds(i) AS at, CASE WHEN i % 3 > 0 THEN 'ÄB' || (i % 5) END AS word,
      ['a', 'b' || (i % 2)] AS tags FROM range(3) t(i)`,
    ', COMPRESSION zstd',
  );
  const query = 'id=user&dimension=duck&event=visit:word:at&auto-create=column,dimension';
  for (const key of ['one', 'one', 'two']) {
    const { status, parts, text } = await send(`${query}&dedupe=user`, file, { 'Idempotency-Key': key });
    t.equal(status, 200, text);
    t.equal(entities(parts), key === 'two' ? 0 : 3, 'the key, or the field of `dedupe`, is known');
  }
  t.strictSame(await store.rows('SELECT [entity-id], n, price, even, day, tags FROM duck ORDER BY n'), [
    { 'entity-id': 'u0', n: 0, price: 0, even: true, day: '2024-01-01', tags: ['a', 'b0'] },
    { 'entity-id': 'u1', n: 1, price: 1.25, even: false, day: '2024-01-02', tags: ['a', 'b1'] },
    { 'entity-id': 'u2', n: 2, price: 2.5, even: true, day: '2024-01-03', tags: ['a', 'b0'] },
  ]);
  t.strictSame(
    await store.rows(
      'SELECT [visit.value] AS value, [visit.date] AS date FROM duck WHERE [visit.value] IS NOT NULL ORDER BY 2',
    ),
    [
      { value: 'äb1', date: '2024-01-01T00:00:01Z' },
      { value: 'äb2', date: '2024-01-01T00:00:02Z' },
    ],
  );
});

t.test('a body that is no plain Parquet file is refused by name', async (t) => {
  const file = await parquetOfDuckDb("SELECT 'x' AS user, {'a': 1} AS struct FROM range(9)");
  const nested = await send('id=user&dimension=odd&auto-create=column,dimension', file);
  t.match(nested, { status: 400, text: /"struct\\": no column takes struct/ });
  t.match(await send('id=user&dimension=odd&auto-create=dimension&unknown=ignore', file), {
    status: 400,
    text: /"code":2017/,
  });
  const changed = (at: number, text: string): Uint8Array => {
    const copy = Buffer.from(file);
    copy.write(text, at < 0 ? copy.length + at : at, 'latin1');
    return copy;
  };
  for (const [body, message] of [
    [changed(0, 'PARE'), /it is encrypted/],
    [changed(-4, 'PARE'), /it is encrypted/],
    [changed(0, 'ORC1'), /does not begin with PAR1/],
    [file.subarray(0, -5), /does not end with PAR1/],
    [Buffer.from('PAR1'), /does not end with PAR1/],
    [Buffer.alloc(0), /does not begin with PAR1/],
    [changed(-8, '\xff\xff\xff\x7f'), /footer is longer than the file/],
    [changed(-8, '\0\0\0\0'), /cannot be read as a Parquet file/],
  ] as const) {
    const { status, text } = await send('id=user', body);
    t.match({ status, text }, { status: 400, text: message }, text);
  }
  const large = new Uint8Array(64 * 2 ** 20 + 1);
  large.set(Buffer.from('PAR1'));
  t.match(await send('id=user', large), { status: 413, text: /67108864 bytes/ });
  const quarantine = await send('id=user&on-error=quarantine', file);
  t.match(quarantine, { status: 400, text: /needs a body of lines/ });
});

t.test('damaged files insert whole parts or nothing, and the server goes on', async (t) => {
  const random = new Prng(SEED);
  const rowCount = 900;
  const table = tableFromArrays({
    user: Array.from({ length: rowCount }, (_, at) => `user ${at}`),
    city: Array.from({ length: rowCount }, (_, at) => `city ${at % 20}`),
    n: Int32Array.from({ length: rowCount }, (_, at) => at),
  });
  const files = [
    Compression.UNCOMPRESSED,
    Compression.SNAPPY,
    Compression.GZIP,
    Compression.ZSTD,
    Compression.LZ4_RAW,
  ].map((compression) => parquetOf(table, 300, compression));
  let refusedCount = 0;
  for (let at = 0; at < FILES; at++) {
    const file = damaged(random, random.pick(files));
    const dimension = `d${at}`;
    const query = `id=user&dimension=${dimension}&auto-create=dimension,column`;
    const { status, parts, text } = await send(query, file);
    const what = `seed ${SEED}, file ${at}: ${status} ${text.slice(0, 300)}`;
    if (!t.ok([200, 400, 413].includes(status), what)) break;
    if (status !== 200) refusedCount++;
    if (entities(parts) === 0) continue;
    const whole = parts.filter((part) => part.status === 'success');
    const [{ count }] = await store.rows<{ count: number }>(`SELECT COUNT(*) AS [count] FROM [${dimension}]`);
    // Rows of one ID are one entity, which a flipped bit of an ID can make.
    const inserted = whole.reduce((sum, part) => sum + part.lines, 0);
    t.equal(entities(parts), inserted, what);
    t.ok(count <= inserted && count > inserted - 10 * whole.length, `${count} entities: ${what}`);
  }
  t.ok(refusedCount > FILES / 4, `${refusedCount} files were refused`);
  const { status, parts } = await send('id=user&dimension=good&auto-create=dimension,column', files[1]);
  t.strictSame([status, entities(parts)], [200, rowCount]);
});

/** Cuts a file but for its tail, or changes some of its bytes, most often in the footer. */
function damaged(random: Prng, file: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(file);
  const footerBytes = new DataView(copy.buffer).getUint32(copy.length - 8, true);
  if (random.chance(0.2)) {
    const from = 4 + random.below(copy.length - 12);
    const bytes = random.between(1, Math.max(1, copy.length - 12 - from));
    return Buffer.concat([copy.subarray(0, from), copy.subarray(from + bytes)]);
  }
  const inFooter = random.chance(0.6);
  for (let count = random.between(1, 8); count > 0; count--) {
    const at = inFooter
      ? copy.length - 8 - 1 - random.below(footerBytes)
      : 4 + random.below(copy.length - 12);
    copy[at] = random.chance(0.5) ? copy[at] ^ (1 << random.below(8)) : random.pick([0, 0x7f, 0x80, 0xff]);
  }
  return copy;
}
