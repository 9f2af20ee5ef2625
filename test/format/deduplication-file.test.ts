import t from 'tap';
import { Prng } from '../../src/base/index.js';
import {
  type DeduplicationEntry,
  decodeDeduplicationFile,
  deduplicationFileHead,
  encodeDeduplicationPart,
} from '../../src/format/index.js';

const SEED = 4_711;
t.comment(`seed ${SEED}`);
const FILE = '/store/once';

function fileOf(prng: Prng, partCount: number): { bytes: Uint8Array; entries: DeduplicationEntry[][] } {
  const entries = Array.from({ length: partCount }, () =>
    Array.from({ length: prng.between(1, 20) }, (_, index) => ({
      id: `id-${index}-${'x'.repeat(prng.below(40))}`,
      bodyHash: `hash-${prng.below(1e6)}`,
      timeMs: 1_700_000_000_000 + prng.below(1e9),
      lsn: prng.below(1e9),
      answer: Array.from({ length: prng.between(1, 2) }, () => prng.below(1e6)),
    })),
  );
  return {
    bytes: Buffer.concat([deduplicationFileHead(), ...entries.map(encodeDeduplicationPart)]),
    entries,
  };
}

t.test('a written file is read back part by part', async (t) => {
  const prng = new Prng(SEED);
  for (let partCount = 0; partCount < 8; partCount++) {
    const { bytes, entries } = fileOf(prng, partCount);
    t.strictSame([...decodeDeduplicationFile(bytes, FILE)], entries);
  }
});

t.test('any flipped bit and any cut inside a part is found and named', async (t) => {
  const { bytes, entries } = fileOf(new Prng(SEED + 1), 2);
  const read = (damaged: Uint8Array): unknown => [...decodeDeduplicationFile(damaged, FILE)];
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Uint8Array.from(bytes);
    flipped[bit >> 3] ^= 1 << (bit & 7);
    t.throws(() => read(flipped), { name: 'CorruptionError', file: FILE });
  }
  const firstEnd = deduplicationFileHead().length + encodeDeduplicationPart(entries[0]).length;
  for (let length = 0; length < bytes.length; length++) {
    // A cut between two parts is detected by the number of entries, which is in the manifest.
    if (length === firstEnd || length === deduplicationFileHead().length) continue;
    t.throws(() => read(bytes.subarray(0, length)), { name: 'CorruptionError', file: FILE });
  }
});
