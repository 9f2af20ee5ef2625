import t from 'tap';
import { hashBytes, Prng, shardOf } from '../../src/base/index.js';

const SEED = 5;
t.comment(`seed ${SEED}`);

/** MurmurHash3 x86_32 with seed 0x51756172, computed by another implementation. */
const FIXED = [106521836, 830419042, 4048828185, 2310904511, 1733873031, 4205148722, 1148840283];

t.test('the hash never changes: stores and logs depend on its values', async (t) => {
  const hashOf = (text: string): number => hashBytes(Buffer.from(text, 'utf8'), 0, Buffer.byteLength(text));
  t.strictSame(['', 'a', 'ab', 'abc', 'abcd', 'abcde', 'user-12345678'].map(hashOf), FIXED);
});

t.test('a hash depends only on its bytes, not on their offset', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 500; round++) {
    const bytes = Uint8Array.from({ length: prng.below(40) }, () => prng.below(256));
    const from = prng.below(9);
    const around = Uint8Array.from({ length: bytes.length + 20 }, () => prng.below(256));
    around.set(bytes, from);
    const alone = hashBytes(bytes, 0, bytes.length);
    if (hashBytes(around, from, from + bytes.length) !== alone) t.fail(`round ${round}`);
  }
  t.pass('500 rounds');
});

t.test('every hash has a shard, and hashes spread over all of them', async (t) => {
  for (const count of [1, 2, 5, 7, 1024]) {
    t.equal(shardOf(0, count), 0);
    t.equal(shardOf(0xffffffff, count), count - 1);
  }
  const stored = [0, 0, 0, 0, 0];
  for (let id = 0; id < 50_000; id++) {
    const bytes = Buffer.from(`u${id}`);
    stored[shardOf(hashBytes(bytes, 0, bytes.length), 5)]++;
  }
  t.ok(
    stored.every((rows) => rows > 9_500 && rows < 10_500),
    String(stored),
  );
});
