/** Bodies that are decoded while they arrive in arbitrary pieces. */
import { setImmediate as turn } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { StreamDecoder } from '../../../src/http/transport/stream-decoder.js';

const SEED = 141_421;
t.comment(`seed ${SEED}`);
const random = new Prng(SEED);
const PIECE_BYTES = 64 * 1024;
const MIB = 2 ** 20;

const zstd = await Zstd.load();

const ENCODERS = {
  gzip: (body: Uint8Array) => gzipSync(body),
  br: (body: Uint8Array) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (body: Uint8Array) => zstd.compress(body),
} as const;

/** A running decoder and the calls that it made so far. */
function decoding(encoding: keyof typeof ENCODERS) {
  const delivered: Uint8Array[] = [];
  const calls = { drained: 0, ending: '' };
  let over = (): void => {};
  const isOver = new Promise<void>((resolve) => {
    over = resolve;
  });
  const end = (ending: string) => (): void => {
    calls.ending += ending;
    over();
  };
  const decoder = new StreamDecoder(encoding, {
    bytes: (chunk) => delivered.push(chunk),
    drained: () => {
      calls.drained++;
    },
    end: end('end'),
    fault: end('fault'),
  });
  decoder.flow(true);
  return { decoder, delivered, calls, isOver, bytes: () => Buffer.concat(delivered) };
}

function noise(length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, () => random.below(random.pick([2, 256]))));
}

/** Writes pieces of varying sizes and overwrites each one after the write. */
function writeInPieces(decoder: StreamDecoder, encoded: Uint8Array): void {
  for (let at = 0; at < encoded.length; ) {
    const piece = encoded.slice(at, at + random.pick([1, 10, 5_000, 100_000]));
    decoder.write(piece);
    at += piece.length;
    piece.fill(0xff);
  }
}

for (const encoding of ['gzip', 'br', 'zstd'] as const) {
  t.test(`${encoding}: encoded bytes are decoded into pieces of bounded size`, async (t) => {
    for (const length of [0, 1, 1_000, PIECE_BYTES, 3 * PIECE_BYTES + 7]) {
      const body = noise(length);
      const { decoder, delivered, calls, isOver, bytes } = decoding(encoding);
      decoder.write(new Uint8Array(0));
      writeInPieces(decoder, ENCODERS[encoding](body));
      t.ok(decoder.waitingBytes > 0, 'bytes are not decoded in the turn of the write');
      decoder.end();
      await isOver;
      t.ok(bytes().equals(body), `${length} bytes`);
      t.ok(delivered.every((piece) => piece.length <= PIECE_BYTES));
      t.equal(calls.ending, 'end');
      t.ok(calls.drained > 0);
      t.equal(decoder.waitingBytes, 0);
    }
  });

  t.test(`${encoding}: at most one piece is decoded ahead of the reader`, async (t) => {
    const bomb = ENCODERS[encoding](Buffer.alloc(8 * MIB, 'a'));
    const { decoder, delivered, calls, isOver, bytes } = decoding(encoding);
    decoder.flow(false);
    decoder.write(bomb);
    decoder.end();
    for (let round = 0; round < 200; round++) await turn();
    t.equal(delivered.length, 0);
    t.ok(decoder.waitingBytes > 0, 'the rest is not decoded yet');
    decoder.flow(true);
    while (delivered.length === 0) await turn();
    decoder.flow(false);
    const taken = delivered.length;
    for (let round = 0; round < 200; round++) await turn();
    t.ok(delivered.length <= taken + 1, `${delivered.length} pieces`);
    t.strictSame(calls, { drained: 0, ending: '' });
    decoder.flow(true);
    await isOver;
    t.equal(bytes().length, 8 * MIB);
  });

  t.test(`${encoding}: bytes decoded before a fault are delivered before it`, async (t) => {
    const body = noise(10 * PIECE_BYTES);
    const encoded = ENCODERS[encoding](body);
    const cut = decoding(encoding);
    cut.decoder.write(encoded.subarray(0, encoded.length - 10));
    cut.decoder.end();
    await cut.isOver;
    t.equal(cut.calls.ending, 'fault');
    const delivered = cut.bytes();
    t.ok(delivered.length > 5 * PIECE_BYTES && delivered.equals(body.subarray(0, delivered.length)));
    const plain = decoding(encoding);
    plain.decoder.write(Buffer.from('{"id":"u"}\n'.repeat(20)));
    await plain.isOver;
    t.strictSame([plain.calls.ending, plain.delivered.length], ['fault', 0]);
  });

  t.test(`${encoding}: a closed decoder makes no more calls`, async (t) => {
    const { decoder, delivered, calls } = decoding(encoding);
    decoder.write(ENCODERS[encoding](noise(MIB)));
    while (delivered.length === 0) await turn();
    decoder.close();
    const taken = delivered.length;
    for (let round = 0; round < 200; round++) await turn();
    t.equal(delivered.length, taken);
    t.equal(calls.ending, '');
  });
}
