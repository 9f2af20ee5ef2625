/** Partitioning texts by hash loses and changes no text, and assigns each to the partition of its hash. */
import t from 'tap';
import { hashBytes, Prng } from '../../../../src/base/index.js';
import { allocateFresh, partitionedTexts } from '../../../../src/exec/aggregate/groups/text-partitions.js';
import { QueryRun } from '../../../../src/exec/query-run.js';
import { TEXT_PARTITIONS } from '../../../../src/ir/index.js';
import { dictionaryOf, partitionsRead } from '../../../support/partitioned.js';

const SEED = 5_077;
t.comment(`seed ${SEED}`);

/** Memory with earlier content. */
const usedMemory = (byteCount: number): Uint8Array =>
  new Uint8Array(new SharedArrayBuffer(byteCount + 64), 0, byteCount).fill(0xa5);

t.test('each requested text occurs once, in the partition of its hash', async (t) => {
  for (const [count, allocator] of [
    [0, allocateFresh],
    [1, usedMemory],
    [2, usedMemory],
    [300, allocateFresh],
    [20_000, usedMemory],
  ] as const) {
    const prng = new Prng(SEED + count);
    const strings = Array.from({ length: count }, (_, text) =>
      text === 7 ? '' : `${prng.pick(['', 'ß', '東京', 'x'.repeat(prng.below(40))])}${text}`,
    );
    const { texts, hashes } = dictionaryOf(strings.map((text) => Buffer.from(text)));
    const chosen = strings.map((_, text) => text).filter(() => prng.chance(0.8));
    const run = new QueryRun(null, 0, 2 ** 26);
    const codes = Uint32Array.from(chosen, (text) => text + 1);
    const found = partitionedTexts(codes, texts, hashes, run, allocator);
    t.equal(found.count, chosen.length);
    t.equal(found.starts[TEXT_PARTITIONS], found.words.length, 'every word belongs to a text');
    const partitions = partitionsRead(found);
    t.strictSame(
      partitions.flatMap((partition) => partition.found.map(({ text }) => text)).sort(),
      chosen.map((text) => strings[text]).sort(),
    );
    for (const [partition, { found: own, count: notified }] of partitions.entries()) {
      const isRight = own.every(({ text, hash }) => {
        const bytes = Buffer.from(text);
        return hash === hashBytes(bytes, 0, bytes.length) && hash % TEXT_PARTITIONS === partition;
      });
      if (!isRight || notified !== own.length) t.fail(`partition ${partition}`);
    }
    t.equal(run.reservedBytes, found.words.byteLength, 'memory is reserved');
  }
});

t.test('the last block is padded with zeros after the bytes of a text', async (t) => {
  const { texts, hashes } = dictionaryOf(
    ['a', 'abcde', '', 'abcdefgh', 'abcdefghijk'].map((text) => Buffer.from(text)),
  );
  const codes = Uint32Array.of(1, 2, 3, 4, 5);
  const of = (allocator: typeof allocateFresh) =>
    partitionedTexts(codes, texts, hashes, new QueryRun(null, 0, 2 ** 20), allocator);
  t.strictSame([...of(usedMemory).words], [...of(allocateFresh).words]);
});

t.test('texts that exceed the memory are refused', async (t) => {
  const { texts, hashes } = dictionaryOf(
    Array.from({ length: 5_000 }, (_, text) => Buffer.from(`text ${text}`)),
  );
  const codes = Uint32Array.from({ length: 5_000 }, (_, text) => text + 1);
  t.throws(() => partitionedTexts(codes, texts, hashes, new QueryRun(null, 0, 10_000), allocateFresh), {
    code: 9006,
  });
});
