import { decompressFrameSync } from 'lz4-napi';
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { createLz4 } from '../../src/format/index.js';

const SEED = 4711;
const BLOCK_BYTES = 256 * 1024;
const lz4 = createLz4();
t.comment(`seed ${SEED}`);

/** Runs of repeated and of random bytes, a few KB each: some blocks shrink, some do not. */
function content(prng: Prng, byteCount: number, randomShare: number): Uint8Array {
  const bytes = new Uint8Array(byteCount);
  for (let at = 0; at < byteCount; ) {
    const end = Math.min(byteCount, at + prng.between(1, 100_000));
    const isRandom = prng.chance(randomShare);
    for (; at < end; at++) bytes[at] = isRandom ? prng.u32() : at % 11;
  }
  return bytes;
}

t.test('frames decompress to their content, here and in a library that supports only frames', async (t) => {
  const prng = new Prng(SEED);
  let framed = 0;
  for (const byteCount of [
    64,
    65,
    1000,
    BLOCK_BYTES - 1,
    BLOCK_BYTES,
    BLOCK_BYTES + 1,
    3 * BLOCK_BYTES + 777,
  ]) {
    for (const randomShare of [0, 0.3, 0.6]) {
      const bytes = content(prng, byteCount, randomShare);
      const parts = await lz4.compress(bytes);
      const sync = lz4.compressSync(bytes);
      t.strictSame(parts === null, sync === null);
      if (parts === null || sync === null) continue;
      framed++;
      const frame = Buffer.concat(parts);
      t.ok(frame.equals(Buffer.concat(sync)));
      const into = new Uint8Array(byteCount);
      lz4.decompress(frame, into);
      t.ok(Buffer.from(into).equals(bytes), `${byteCount} bytes`);
      t.ok(Buffer.from(decompressFrameSync(frame)).equals(bytes), `${byteCount} bytes by the library`);
    }
  }
  t.ok(framed >= 7, `${framed} frames`);
});

t.test('incompressible bytes get no frame', async (t) => {
  const bytes = content(new Prng(SEED), 300_000, 1);
  t.equal(await lz4.compress(bytes), null);
  t.equal(lz4.compressSync(new Uint8Array(0)), null);
  t.equal(lz4.compressSync(new Uint8Array(63)), null);
});

t.test('a damaged frame throws or gives other bytes, and never goes past its content', async (t) => {
  const prng = new Prng(SEED);
  const bytes = content(prng, 2 * BLOCK_BYTES + 100, 0.2);
  const frame = Buffer.concat((await lz4.compress(bytes)) ?? []);
  const memory = new Uint8Array(bytes.length + 16).fill(0xee);
  const into = memory.subarray(8, 8 + bytes.length);
  for (let round = 0; round < 400; round++) {
    const damaged = Buffer.from(frame);
    damaged[prng.chance(0.5) ? prng.below(64) : prng.below(frame.length)] ^= 1 << prng.below(8);
    try {
      lz4.decompress(prng.chance(0.2) ? damaged.subarray(0, prng.below(damaged.length)) : damaged, into);
    } catch (error) {
      if (!(error instanceof Error)) t.fail('the thrown value is not an Error');
    }
  }
  t.ok(
    memory.subarray(0, 8).every((byte) => byte === 0xee) &&
      memory.subarray(-8).every((byte) => byte === 0xee),
  );
  t.throws(() => lz4.decompress(frame, new Uint8Array(bytes.length - 1)), Error);
  t.throws(() => lz4.decompress(frame, new Uint8Array(bytes.length + 1)), Error);
});
