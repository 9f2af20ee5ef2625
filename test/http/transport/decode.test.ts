import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';
import t from 'tap';
import { BODY_BYTES_MAX } from '../../../src/base/index.js';
import { decodeBody } from '../../../src/http/transport/decode.js';

interface Outcome {
  readonly code: number | null;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function decode(
  encoding: keyof typeof ENCODERS,
  bytes: Uint8Array,
  bytesMax = BODY_BYTES_MAX,
): Promise<Outcome> {
  return new Promise((resolve) => {
    decodeBody(encoding, bytes, bytesMax, (error, decoded) =>
      resolve({ code: error?.code ?? null, bytes: decoded }),
    );
  });
}

const zstd = await Zstd.load();

const ENCODERS = {
  gzip: (bytes: Uint8Array) => gzipSync(bytes),
  br: (bytes: Uint8Array) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }),
  zstd: (body: Uint8Array) => zstd.compress(body),
} as const;

for (const encoding of ['gzip', 'br', 'zstd'] as const) {
  t.test(`${encoding} is decoded into a buffer of its own`, async (t) => {
    for (const length of [0, 1, 100, 50_000, BODY_BYTES_MAX]) {
      const plain = Buffer.alloc(length, 'abcdefg');
      const { code, bytes } = await decode(encoding, ENCODERS[encoding](plain));
      t.equal(code, null);
      t.ok(plain.equals(bytes), `${length} bytes`);
      t.equal(bytes.buffer.byteLength, length, 'the buffer has no other content');
    }
  });

  t.test(`${encoding} that decodes to one byte too many is 1507, and so is a bomb`, async (t) => {
    for (const length of [BODY_BYTES_MAX + 1, 50 * 2 ** 20]) {
      t.equal(
        (await decode(encoding, ENCODERS[encoding](Buffer.alloc(length)))).code,
        1507,
        `${length} bytes`,
      );
    }
  });

  t.test(`decoding of ${encoding} respects its bound`, async (t) => {
    t.equal((await decode(encoding, ENCODERS[encoding](Buffer.alloc(100)), 100)).code, null);
    t.equal((await decode(encoding, ENCODERS[encoding](Buffer.alloc(101)), 100)).code, 1507);
  });

  t.test(`invalid or truncated ${encoding} is 1503`, async (t) => {
    const whole = ENCODERS[encoding](Buffer.from('{"a":1}'));
    t.equal((await decode(encoding, Buffer.from('{"a":1}'))).code, 1503);
    t.equal((await decode(encoding, whole.subarray(0, whole.length - 3))).code, 1503);
    t.equal((await decode(encoding, new Uint8Array(0))).code, 1503);
  });
}
