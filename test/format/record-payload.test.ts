import { pack, unpack } from 'msgpackr';
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import {
  decodeRecordPayload,
  encodeRecordPayload,
  findBitFlip,
  frameRecord,
  type LogRecord,
  preparePayload,
  readFrame,
} from '../../src/format/index.js';

const SEED = 9_001;
t.comment(`seed ${SEED}`);

function randomInsert(prng: Prng): Extract<LogRecord, { type: 'insert' }> {
  const shared = new SharedArrayBuffer(8 * prng.between(0, 400));
  const bytes = new Uint8Array(shared);
  for (let at = 0; at < bytes.length; at++) bytes[at] = prng.below(256);
  const cut = 8 * prng.below(bytes.length / 8 + 1);
  return {
    type: 'insert',
    timeMs: 1_700_000_000_000 + prng.below(1e9),
    databaseId: prng.between(1, 5),
    changes: prng.chance(0.3)
      ? [{ change: 'column-created', column: { range: null, name: 'ä'.repeat(prng.below(99)) } }]
      : [],
    shardCount: 3,
    entityCount: prng.below(1000),
    valueCount: prng.below(10_000),
    once: prng.chance(0.5) ? { id: `id-${prng.below(99)}`, bodyHash: 'h'.repeat(43) } : null,
    batches: [
      { shard: 0, dimensionId: prng.below(1e5), bytes: bytes.subarray(0, cut) },
      { shard: 2, dimensionId: 1, bytes: bytes.subarray(cut) },
    ],
  };
}

const MUTATION = {
  timeMs: 7,
  databaseId: 1,
  dimensionId: 4,
  condition: { op: 'entity-id', tests: [] },
} as const;

const plain = (record: LogRecord): unknown =>
  'batches' in record
    ? { ...record, batches: record.batches.map((batch) => ({ ...batch, bytes: [...batch.bytes] })) }
    : record;

t.test('a record of any type is read back unchanged', async (t) => {
  const prng = new Prng(SEED);
  const records: LogRecord[] = [
    {
      type: 'catalog',
      timeMs: 1_700_000_000_123,
      changes: [{ change: 'key-created', key: { hash: 'ab', databaseId: null } }],
    },
    {
      type: 'insert',
      timeMs: 0,
      databaseId: 1,
      changes: [],
      shardCount: 1,
      entityCount: 0,
      valueCount: 0,
      once: null,
      batches: [],
    },
    { ...MUTATION, type: 'delete', once: null, batches: [] },
    {
      ...MUTATION,
      type: 'update',
      once: { id: 'a', bodyHash: 'b' },
      batches: [{ shard: 0, dimensionId: 4, bytes: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) }],
    },
    {
      type: 'expire',
      timeMs: 5,
      databaseId: 1,
      dimensionId: 2,
      columnId: 3,
      beforeSeconds: 1_600_000_000,
    },
    ...Array.from({ length: 200 }, () => randomInsert(prng)),
  ];
  for (const record of records)
    t.strictSame(plain(decodeRecordPayload(encodeRecordPayload(record))), plain(record));
});

t.test('an insert of the first stores, which has no counts, is read with counts of zero', async (t) => {
  const payload = pack([
    { type: 'insert', timeMs: 1, databaseId: 1, changes: [], shardCount: 1, batches: [] },
    [],
  ]);
  t.match(decodeRecordPayload(payload), { entityCount: 0, valueCount: 0, once: null, batches: [] });
});

t.test('batches are 8-aligned after decoding: views of an aligned payload, copies of another', async (t) => {
  const prng = new Prng(SEED);
  for (let shift = 0; shift < 8; shift++) {
    const record = randomInsert(prng);
    const payload = encodeRecordPayload(record);
    const moved = new Uint8Array(new ArrayBuffer(payload.length + 8), shift, payload.length);
    moved.set(payload);
    const decoded = decodeRecordPayload(moved);
    if (decoded.type !== 'insert') throw new Error('another type');
    for (const { bytes } of decoded.batches) {
      t.equal(bytes.byteOffset % 8, 0);
      t.equal(bytes.buffer === moved.buffer, shift === 0);
    }
    t.strictSame(plain(decoded), plain(record));
  }
});

t.test('a payload owns its memory and is plain MessagePack', async (t) => {
  const prng = new Prng(SEED);
  const records = Array.from({ length: 20 }, () => randomInsert(prng));
  const payloads = records.map(encodeRecordPayload);
  t.equal(new Set(payloads.map((payload) => payload.buffer)).size, payloads.length);
  for (const payload of payloads) t.equal(payload.buffer.byteLength, payload.byteLength);
  const [meta, items] = unpack(payloads[0]) as [{ type: string }, unknown[]];
  t.equal(meta.type, 'insert');
  t.strictSame(
    items.filter((item) => item !== null).map((item) => [...(item as Uint8Array)]),
    records[0].batches.map((batch) => [...batch.bytes]),
  );
});

t.test('a payload of an unknown type is refused', async (t) => {
  const payload = encodeRecordPayload({ type: 'catalog', timeMs: 1, changes: [] });
  const at = Buffer.from(payload.buffer).indexOf('catalog');
  payload.set(Buffer.from('catalox'), at);
  t.throws(() => decodeRecordPayload(payload), /unknown type "catalox"/);
});

t.test('a record without its first or last sector is not explained by one flipped bit', async (t) => {
  const prng = new Prng(SEED);
  const SECTOR_BYTES = 512;
  const wrong: string[] = [];
  for (let round = 0; round < 300; round++) {
    const record = randomInsert(prng);
    // Columns of few small values differ in one bit, or none, in hundreds of bytes.
    for (const { bytes } of record.batches) {
      bytes.fill(0);
      if (bytes.length > 0 && prng.chance(0.8)) {
        bytes[bytes.length - 1 - prng.below(Math.min(bytes.length, 16))] = 1 << prng.below(8);
      }
    }
    const payload = encodeRecordPayload(prng.chance(0.1) ? { ...record, batches: [] } : record);
    const whole = Buffer.concat(
      frameRecord(preparePayload(payload), 7, 99n, { syncedLsn: 5, checkpointLsn: 0 }),
    );
    for (let lost = 8; lost <= Math.min(SECTOR_BYTES, whole.length); lost += 8) {
      for (const from of [0, whole.length - lost]) {
        const torn = Uint8Array.from(whole).fill(0, from, from + lost);
        if (readFrame(torn, 0, 7, 99n).kind === 'ok' || findBitFlip(torn, 0, 7, 99n) === null) continue;
        wrong.push(`round ${round}: ${lost} of ${whole.length} bytes from ${from}`);
      }
    }
  }
  t.strictSame(wrong, []);
});
