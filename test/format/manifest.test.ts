import fs from 'node:fs';
import { crc32 } from 'node:zlib';
import t from 'tap';
import { CorruptionError, NewerFormatError, Prng } from '../../src/base/index.js';
import {
  decodeManifest,
  encodeManifest,
  MANIFEST_MAGIC,
  MANIFEST_VERSION,
  type Manifest,
  type SnapshotFileEntry,
} from '../../src/format/index.js';

const SEED = 99;
const PAGE = new URL('../../../src/format/manifest.ts', import.meta.url);
t.comment(`seed ${SEED}`);

function generateManifest(prng: Prng): Manifest {
  const file = (index: number): SnapshotFileEntry => ({
    path: `snapshot/${index}-ü.arrow`,
    kind: prng.chance(0.5) ? 'entities' : 'events',
    databaseId: prng.below(10),
    dimensionId: prng.below(10),
    columnId: prng.below(100),
    shard: prng.below(8),
    segment: prng.below(1000),
    rowCount: prng.between(0, 65_536),
    bytes: prng.u32() * 3,
    crc32: prng.u32(),
  });
  return {
    storeId: `store-${prng.u32()}`,
    checkpointLsn: prng.u32() * 2 ** 20,
    shardCount: prng.between(1, 64),
    createdMs: 1_785_000_000_000 + prng.u32(),
    catalog: {
      version: prng.u32(),
      databases: [{ id: 1, name: 'quarry', range: ['-9223372036854775808'], none: null }],
    },
    files: Array.from({ length: prng.below(30) }, (_, index) => file(index)),
    usage: [{ databaseId: 1, requestCount: prng.u32() }],
    once: prng.chance(0.5)
      ? { path: `snapshot/once/${prng.u32()}`, entryCount: prng.u32(), bytes: prng.u32() }
      : null,
    ...(prng.chance(0.5) ? { restoredLsn: prng.u32() * 2 ** 20 } : {}),
  };
}

/** Offset of each field in the drawing in manifest.ts. */
function pageOffsets(): Record<string, number> {
  const rows = fs.readFileSync(PAGE, 'utf8').matchAll(/^ \* +(\d+) +[\dn]+ (\w+) {2,}\S/gm);
  return Object.fromEntries([...rows].map((row) => [row[2], Number(row[1])]));
}

/** Recomputes the checksum, so that only the change under test can cause a refusal. */
function sealed(bytes: Uint8Array): Uint8Array {
  const offsets = pageOffsets();
  const crc = crc32(bytes.subarray(offsets.contentBytes), crc32(bytes.subarray(0, offsets.crc32)));
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(offsets.crc32, crc, true);
  return bytes;
}

t.test('a manifest is read back with every name in it', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 50; round++) {
    const manifest = generateManifest(prng);
    t.strictSame(decodeManifest(encodeManifest(manifest), 'MANIFEST'), manifest);
  }
});

t.test('the bytes have the layout drawn in manifest.ts', async (t) => {
  const offsets = pageOffsets();
  t.strictSame(Object.keys(offsets), ['magic', 'version', 'crc32', 'contentBytes', 'content']);
  const bytes = encodeManifest(generateManifest(new Prng(SEED)));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  t.equal(Buffer.from(bytes).toString('latin1', offsets.magic, offsets.version), MANIFEST_MAGIC);
  t.equal(view.getUint16(offsets.version, true), MANIFEST_VERSION);
  t.equal(view.getUint32(offsets.contentBytes, true), bytes.length - offsets.content);
  t.ok(Buffer.from(sealed(bytes.slice())).equals(bytes), 'the checksum spans the documented range');
});

t.test('every single flipped bit is refused', async (t) => {
  const bytes = encodeManifest(generateManifest(new Prng(SEED + 1)));
  const accepted: string[] = [];
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = bytes.slice();
    flipped[bit >> 3] ^= 1 << (bit & 7);
    try {
      decodeManifest(flipped, 'MANIFEST');
      accepted.push(`bit ${bit}: accepted`);
    } catch (error) {
      if (!(error instanceof CorruptionError && error.file === 'MANIFEST'))
        accepted.push(`bit ${bit}: ${error}`);
    }
  }
  t.strictSame(accepted, []);
});

t.test('a manifest that is truncated at any length, or has an extra byte, is refused', async (t) => {
  const bytes = encodeManifest(generateManifest(new Prng(SEED + 2)));
  for (let length = 0; length < bytes.length; length++) {
    t.throws(
      () => decodeManifest(bytes.subarray(0, length), 'MANIFEST'),
      { name: 'CorruptionError' },
      `${length} bytes`,
    );
  }
  const longer = new Uint8Array(bytes.length + 1);
  longer.set(bytes);
  t.throws(() => decodeManifest(longer, 'MANIFEST'), {
    name: 'CorruptionError',
    message: /bytes of content/,
  });
});

t.test('each fault has its own message', async (t) => {
  const bytes = encodeManifest(generateManifest(new Prng(SEED + 3)));
  const altered = (offset: number, value: number): Uint8Array => {
    const copy = bytes.slice();
    copy[offset] = value;
    return copy;
  };
  const { magic, version, content } = pageOffsets();
  const refusal = (damaged: Uint8Array, message: RegExp, offset: number): void => {
    t.throws(() => decodeManifest(damaged, 'MANIFEST'), { name: 'CorruptionError', message, offset });
  };
  refusal(bytes.subarray(0, 3), /ends inside its head/, 3);
  refusal(altered(magic, 0x71), /its magic is not QRYMAN/, 0);
  refusal(altered(content + 5, bytes[content + 5] ^ 1), /fails its checksum/, 8);
  refusal(sealed(altered(version, 0)), /format version 0 is unknown/, version);
  refusal(sealed(altered(content, 0xc1)), /its content is not a manifest/, content);
  refusal(sealed(altered(content, 0xc0)), /its content is not a manifest/, content);
});

t.test('a newer version is reported as unsupported, not as corrupt', async (t) => {
  const bytes = encodeManifest(generateManifest(new Prng(SEED + 4)));
  bytes[pageOffsets().version] = MANIFEST_VERSION + 1;
  t.throws(() => decodeManifest(sealed(bytes), 'MANIFEST'), {
    name: 'NewerFormatError',
    message: /version 2/,
  });
  t.throws(() => decodeManifest(sealed(bytes), 'MANIFEST'), NewerFormatError);
});

t.test('content with a valid checksum but an unknown file kind is refused', async (t) => {
  const [file] = generateManifest(new Prng(SEED + 5)).files;
  for (const wrong of [{ kind: 'pictures' }, { rowCount: -1 }, { bytes: 1.5 }, { path: 7 }]) {
    const manifest = {
      ...generateManifest(new Prng(SEED)),
      files: [{ ...file, ...wrong } as SnapshotFileEntry],
    };
    t.throws(() => decodeManifest(encodeManifest(manifest), 'MANIFEST'), {
      name: 'CorruptionError',
      message: new RegExp(Object.keys(wrong)[0]),
    });
  }
});
