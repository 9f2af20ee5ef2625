/** Frames of zstd that libzstd wrote, and others that were damaged or made to do harm. */
import { Zstd } from '@hpcc-js/wasm-zstd';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { BLOCK_BYTES_MAX, decodeZstd, ZstdFault, ZstdReader } from '../../../src/http/transport/zstd.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);
const random = new Prng(SEED);
const zstd = await Zstd.load();
const MIB = 2 ** 20;
/** Damaged frames that are tried. */
const ROUNDS = 400;

function text(length: number): Buffer {
  const words = Array.from({ length: 40 }, (_, at) => `"word-${at}-${random.below(1_000)}": `);
  const pieces: string[] = [];
  for (let size = 0; size < length; size += pieces.at(-1)?.length ?? 0) pieces.push(random.pick(words));
  return Buffer.from(pieces.join('')).subarray(0, length);
}

const noise = (length: number): Buffer => Buffer.from(Uint8Array.from({ length }, () => random.below(256)));

/** A frame of unknown size, as programs write it that compress a stream. */
function streamed(pieces: readonly Uint8Array[], level = 3): Buffer {
  zstd.reset();
  zstd.setCompressionLevel(level);
  return Buffer.concat([...pieces.map((piece) => zstd.compressChunk(piece)), zstd.compressEnd()]);
}

/** What a reader makes of the bytes, added in pieces. Throws ZstdFault. */
function read(encoded: Uint8Array, pieceBytes: () => number): Buffer {
  const reader = new ZstdReader();
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < encoded.length; ) {
    const piece = encoded.slice(at, at + pieceBytes());
    at += piece.length;
    reader.add(piece);
    piece.fill(0xff);
    for (let block = reader.step(); block !== null; block = reader.step()) {
      if (block.length > BLOCK_BYTES_MAX) throw new Error(`a step made ${block.length} bytes`);
      blocks.push(block);
    }
  }
  reader.finish();
  return Buffer.concat(blocks);
}

t.test('frames of every level and size are decoded, whatever pieces they arrive in', async (t) => {
  const bodies = [0, 1, 5, 100, 256, 70_000, BLOCK_BYTES_MAX, BLOCK_BYTES_MAX + 1, 700_000].flatMap(
    (length) => [text(length), noise(length), Buffer.alloc(length, 'a')],
  );
  for (const [index, body] of bodies.entries()) {
    for (const level of [-5, 1, 3, 9]) {
      const encoded = Buffer.from(zstd.compress(body, level));
      const pieces = encoded.length < 2_000 ? () => 1 : () => random.pick([3, 5_000, 200_000]);
      t.ok(read(encoded, pieces).equals(body), `body ${index} of ${body.length} bytes, level ${level}`);
    }
    const halves = [body.subarray(0, body.length / 2), body.subarray(body.length / 2)];
    t.ok(read(streamed(halves), () => 10_000).equals(body), `body ${index}, streamed`);
    t.ok((await decodeZstd(streamed(halves), body.length))?.equals(body), `body ${index}, whole`);
  }
});

t.test('frames follow each other, with frames to be skipped between them', async (t) => {
  const skipped = Buffer.alloc(8 + 300, 0x5a);
  skipped.writeUInt32LE(0x184d2a57, 0);
  skipped.writeUInt32LE(300, 4);
  const bodies = Array.from({ length: 50 }, () => text(random.pick([0, 1, 30, 400_000])));
  const encoded = Buffer.concat(bodies.flatMap((body) => [skipped, Buffer.from(zstd.compress(body))]));
  t.ok(read(encoded, () => random.pick([1_000, 100_000])).equals(Buffer.concat(bodies)));
  t.equal(read(skipped, () => 7).length, 0);
});

t.test('bytes that end too early are a fault at every place but the end of a frame', async (t) => {
  const [first, second] = [Buffer.from(zstd.compress(text(300))), streamed([text(200), noise(100)])];
  const encoded = Buffer.concat([first, second]);
  for (let length = 0; length < encoded.length; length++) {
    if (length === first.length) continue;
    t.throws(() => read(encoded.subarray(0, length), () => 50), ZstdFault, `${length} bytes`);
  }
  t.equal(read(first, () => 50).length, 300);
});

t.test('damaged frames are decoded to bounded bytes or a fault, within bounded steps', async (t) => {
  const sources = [text(50_000), noise(3_000), Buffer.alloc(400_000, 'ab')].flatMap((body) => [
    Buffer.from(zstd.compress(body)),
    streamed([body], 9),
  ]);
  let faults = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = Buffer.from(random.pick(sources));
    const damages = random.between(1, 4);
    for (let damage = 0; damage < damages; damage++)
      bytes[random.below(random.pick([20, bytes.length]))] = random.below(256);
    try {
      read(bytes, () => 100_000);
    } catch (error) {
      if (!(error instanceof ZstdFault)) throw error;
      faults++;
    }
  }
  t.ok(faults > ROUNDS / 4, `${faults} faults`);
});

t.test('frames that would take much memory or time are refused', async (t) => {
  const whole = Buffer.from(zstd.compress(noise(1_000)));
  const refused = (bytes: Uint8Array, message: RegExp): void => {
    t.throws(() => read(bytes, () => MIB), { name: 'ZstdFault', message });
  };
  // A window of 16 MiB; of 2 GiB of one segment; a dictionary; a reserved bit.
  refused(Buffer.from('28b52ffd0070010000', 'hex'), /window/);
  refused(Buffer.from('28b52ffde0000000800000000001', 'hex'), /window/);
  refused(Buffer.from('28b52ffd0100010000', 'hex'), /dictionaries/);
  refused(Buffer.from('28b52ffd0800010000', 'hex'), /reserved/);
  // Blocks: of the reserved type, and one byte repeated more often than a block may have bytes.
  refused(Buffer.from('28b52ffd005807000000', 'hex'), /block/);
  refused(Buffer.from('28b52ffd0058fbff7f61', 'hex'), /block/);
  refused(Buffer.from('hello, this is not compressed'), /not a frame/);
  refused(Buffer.concat([whole, Buffer.from('hello')]), /not a frame/);
  // Empty frames with windows of 8 MiB.
  const empty = Buffer.from('28b52ffd0068010000', 'hex');
  t.equal(read(Buffer.concat(Array.from({ length: 8 }, () => empty)), () => MIB).length, 0);
  refused(Buffer.concat(Array.from({ length: 1_000 }, () => empty)), /windows of the frames/);
  const bomb = Buffer.from(zstd.compress(Buffer.alloc(64 * MIB)));
  t.equal(await decodeZstd(bomb, 5 * MIB), null);
});
