import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import {
  decodeLogFileHeader,
  encodeLogFileHeader,
  findBitFlip,
  findLaterFrame,
  frameBytes,
  frameBytesAt,
  frameRecord,
  LOG_FILE_HEADER_BYTES,
  preparePayload,
  RECORD_HEADER_BYTES,
  RECORD_PAYLOAD_BYTES_MAX,
  readFrame,
} from '../../src/format/index.js';

const SEED = 4_711;
t.comment(`seed ${SEED}`);
const LOG_ID = 0x1122334455667788n;

function randomBytes(prng: Prng, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => prng.below(256));
}

function frameOf(payload: Uint8Array, lsn = 7, syncedLsn = 5, checkpointLsn = 0): Uint8Array {
  return new Uint8Array(
    Buffer.concat(frameRecord(preparePayload(payload), lsn, LOG_ID, { syncedLsn, checkpointLsn })),
  );
}

/** Rows 'offset size field' of the table under `title` in the header comment of the source. */
function drawnTable(title: string): { offset: number; size: number; field: string }[] {
  const source = readFileSync(new URL('../../../src/format/record.ts', import.meta.url), 'utf8');
  const lines = source.slice(source.indexOf(title)).split('\n');
  const rows: { offset: number; size: number; field: string }[] = [];
  for (const line of lines.slice(lines.findIndex((text) => text.includes('offset size field')) + 1)) {
    const match = /^ \* +(\d+) +(\d+) (\w+) /.exec(line);
    if (match === null) break;
    rows.push({ offset: Number(match[1]), size: Number(match[2]), field: match[3] });
  }
  return rows;
}

t.test('the file header in the comment equals the written one', async (t) => {
  const firstLsn = 2 ** 40 + 9;
  const bytes = Buffer.from(encodeLogFileHeader(LOG_ID, firstLsn));
  const written: Record<string, (offset: number) => unknown> = {
    magic: (at) => bytes.toString('latin1', at, at + 6) === 'QRYLOG',
    version: (at) => bytes.readUInt16LE(at) === 3,
    logId: (at) => bytes.readBigUInt64LE(at) === LOG_ID,
    firstLsn: (at) => bytes.readBigUInt64LE(at) === BigInt(firstLsn),
    reserved: (at) => bytes.readUInt32LE(at) === 0,
    crc32: (at) => bytes.readUInt32LE(at) === crc32(bytes.subarray(0, at)),
  };
  const table = drawnTable('Log file header v3');
  t.strictSame(
    table.map((row) => row.field),
    Object.keys(written),
  );
  let end = 0;
  for (const { offset, size, field } of table) {
    t.equal(offset, end, `${field} follows the field before it`);
    t.ok(written[field](offset), field);
    end += size;
  }
  t.equal(end, LOG_FILE_HEADER_BYTES);
  t.strictSame(decodeLogFileHeader(bytes), { version: 3, logId: LOG_ID, firstLsn });
});

t.test('the record header in the comment equals the written one', async (t) => {
  const payload = Buffer.from('0123456789', 'latin1');
  const bytes = Buffer.from(frameOf(payload, 2 ** 33 + 1, 2 ** 33, 2 ** 33 - 6));
  const written: Record<string, (offset: number) => unknown> = {
    crc32: (at) =>
      bytes.readUInt32LE(at) ===
      crc32(bytes.subarray(4, RECORD_HEADER_BYTES), crc32(bytes.subarray(RECORD_HEADER_BYTES))),
    payloadBytes: (at) => bytes.readUInt32LE(at) === 10,
    lsn: (at) => bytes.readBigUInt64LE(at) === 2n ** 33n + 1n,
    logId: (at) => bytes.readBigUInt64LE(at) === LOG_ID,
    syncedLsn: (at) => bytes.readBigUInt64LE(at) === 2n ** 33n,
    sampleSum: (at) => bytes.readUInt32LE(at) === payload.readUInt32LE(0),
    checkpoint: (at) => bytes.readUInt32LE(at) === 7,
  };
  const table = drawnTable('Log record v1');
  t.strictSame(
    table.map((row) => row.field),
    Object.keys(written),
  );
  let end = 0;
  for (const { offset, size, field } of table) {
    t.equal(offset, end, `${field} follows the field before it`);
    t.ok(written[field](offset), field);
    end += size;
  }
  t.equal(end, RECORD_HEADER_BYTES);
  t.equal(bytes.toString('latin1', 40, 50), '0123456789');
  t.strictSame([...bytes.subarray(50)], [0, 0, 0, 0, 0, 0]);
});

t.test('a framed payload of any size is read back, and the next frame begins 8-aligned', async (t) => {
  const prng = new Prng(SEED);
  for (const length of [...Array(40).keys(), 127, 128, 129, 5_000]) {
    const payload = randomBytes(prng, length);
    const bytes = Buffer.concat([frameOf(payload), frameOf(payload, 8, 7)]);
    const frame = readFrame(bytes, 0, 7, LOG_ID);
    if (frame.kind !== 'ok') throw new Error(`length ${length}: ${JSON.stringify(frame)}`);
    t.same(Buffer.from(frame.payload), Buffer.from(payload));
    t.strictSame([frame.syncedLsn, frame.next % 8, frame.next], [5, 0, frameBytes(length)]);
    t.equal(frameBytesAt(bytes, 0), frame.next);
    t.equal(readFrame(bytes, frame.next, 8, LOG_ID).kind, 'ok');
  }
});

t.test('a record names a checkpoint below its own LSN, unless it is 2^32 records or more back', async (t) => {
  const payload = new Uint8Array(9);
  const noted = (lsn: number, checkpointLsn: number): number => {
    const frame = readFrame(frameOf(payload, lsn, 5, checkpointLsn), 0, lsn, LOG_ID);
    if (frame.kind !== 'ok') throw new Error(`LSN ${lsn}: ${JSON.stringify(frame)}`);
    return frame.checkpointLsn;
  };
  for (const [lsn, checkpointLsn, found] of [
    [7, 0, 0],
    [7, 1, 1],
    [7, 6, 6],
    [2 ** 40, 2 ** 40 - 1, 2 ** 40 - 1],
    [2 ** 40, 2 ** 40 - 2 ** 32 + 1, 2 ** 40 - 2 ** 32 + 1],
    [2 ** 40, 2 ** 40 - 2 ** 32, 0],
    [2 ** 40, 1, 0],
  ]) {
    t.equal(noted(lsn, checkpointLsn), found, `record ${lsn} after a checkpoint at ${checkpointLsn}`);
  }
  t.throws(() => frameOf(payload, 7, 5, 7), /record 7 cannot note a checkpoint at LSN 7/);
});

t.test(
  'zeros and the end of the bytes are the end; any other invalid bytes are bad, with a reason',
  async (t) => {
    const bytes = frameOf(new Uint8Array(20).fill(9));
    t.strictSame(readFrame(new Uint8Array(100), 8, 1, LOG_ID), { kind: 'end' });
    t.strictSame(readFrame(bytes, bytes.length, 8, LOG_ID), { kind: 'end' });
    t.match(readFrame(bytes, 0, 8, LOG_ID), { kind: 'bad', reason: 'it has LSN 7 instead of 8' });
    t.match(readFrame(bytes, 0, 7, LOG_ID + 1n), { kind: 'bad', reason: /another log file/ });
    t.match(readFrame(new Uint8Array(100).fill(255), 0, 7, LOG_ID), {
      kind: 'bad',
      reason: /more than a record/,
    });
    for (let length = 1; length < bytes.length; length++) {
      t.equal(readFrame(bytes.subarray(0, length), 0, 7, LOG_ID).kind, 'bad', `cut at ${length}`);
    }
  },
);

t.test('a payload larger than the maximum is refused', async (t) => {
  t.throws(() => preparePayload(new Uint8Array(RECORD_PAYLOAD_BYTES_MAX + 1)), /more than 67108864/);
});

t.test('every single flipped bit of a frame is found and named, and the bytes are not changed', async (t) => {
  const prng = new Prng(SEED);
  for (const length of [0, 1, 8, 200]) {
    const bytes = Buffer.concat([new Uint8Array(16), frameOf(randomBytes(prng, length)), new Uint8Array(8)]);
    for (let bit = 0; bit < frameBytes(length) * 8; bit++) {
      const offset = 16 + (bit >> 3);
      bytes[offset] ^= 1 << (bit & 7);
      const before = Buffer.from(bytes);
      t.equal(readFrame(bytes, 16, 7, LOG_ID).kind, 'bad');
      const flip = findBitFlip(bytes, 16, 7, LOG_ID);
      if (flip?.offset !== offset || flip.bit !== (bit & 7))
        t.fail(`length ${length}, bit ${bit}: ${JSON.stringify(flip)}`);
      if (!bytes.equals(before)) t.fail('the bytes were changed');
      bytes[offset] ^= 1 << (bit & 7);
    }
    t.pass(`${length} bytes`);
  }
});

t.test(
  'two flipped bits, a lost sector and foreign bytes are not explained by one flipped bit',
  async (t) => {
    const prng = new Prng(SEED);
    const whole = frameOf(randomBytes(prng, 3_000));
    for (let round = 0; round < 200; round++) {
      const bytes = whole.slice();
      const kind = round % 3;
      if (kind === 0) {
        const first = prng.below(bytes.length * 8);
        const second = (first + 1 + prng.below(bytes.length * 8 - 1)) % (bytes.length * 8);
        for (const bit of [first, second]) bytes[bit >> 3] ^= 1 << (bit & 7);
      } else if (kind === 1) {
        const from = prng.below(bytes.length - 8);
        bytes.fill(0, from, from + 512);
      } else bytes.set(randomBytes(prng, bytes.length));
      t.equal(findBitFlip(bytes, 0, 7, LOG_ID), null, `round ${round}`);
    }
  },
);

t.test('a torn write whose checksum happens to match one flipped bit is still a torn write', async (t) => {
  const bytes = frameOf(new Uint8Array(1_024).fill(3));
  bytes.fill(0, 512, 1_024);
  // This checksum makes the frame look like one with bit 0 of its last byte flipped.
  const pretended = bytes.slice();
  pretended[pretended.length - 1] ^= 1;
  new DataView(bytes.buffer).setUint32(
    0,
    crc32(pretended.subarray(4, 40), crc32(pretended.subarray(40))),
    true,
  );
  t.equal(readFrame(bytes, 0, 7, LOG_ID).kind, 'bad');
  t.equal(findBitFlip(bytes, 0, 7, LOG_ID), null);
});

t.test(
  'a later frame is found after any invalid bytes, but only a valid, later frame of the same file',
  async (t) => {
    const prng = new Prng(SEED);
    const rubbish = randomBytes(prng, 800);
    const broken = frameOf(randomBytes(prng, 64), 9);
    broken[50] ^= 4;
    const good = frameOf(randomBytes(prng, 64), 10, 8);
    const bytes = Buffer.concat([frameOf(new Uint8Array(8), 7), rubbish, broken, good]);
    const offset = bytes.length - good.length;
    t.strictSame(findLaterFrame(bytes, 0, 7, LOG_ID), { offset, lsn: 10, syncedLsn: 8, next: bytes.length });
    t.equal(findLaterFrame(bytes, 0, 10, LOG_ID), null);
    t.equal(findLaterFrame(bytes, 0, 7, LOG_ID + 1n), null);
    t.equal(findLaterFrame(bytes.subarray(0, bytes.length - 8), 0, 7, LOG_ID), null);
  },
);

t.test('an invalid file header is refused with the reason', async (t) => {
  const bytes = encodeLogFileHeader(LOG_ID, 1);
  t.match(decodeLogFileHeader(bytes.subarray(0, 31)), /ends inside its header/);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = bytes.slice();
    flipped[bit >> 3] ^= 1 << (bit & 7);
    t.type(decodeLogFileHeader(flipped), 'string');
  }
});
