/** Texts put together by their hashes: none is lost, none is changed, and each lies where its hash says. */
import t from 'tap';
import { hashBytes, Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/query-run.js';
import { partitionedTexts } from '../../../src/exec/select/text-partitions.js';
import { TEXT_PARTITIONS } from '../../../src/ir/index.js';

const SEED = 5_077;
t.comment(`seed ${SEED}`);

/** As a dictionary holds them: nothing is known of the empty text's hash. */
function dictionaryOf(strings: readonly string[]) {
  const parts = strings.map((text) => Buffer.from(text, 'utf8'));
  const offsets = new Uint32Array(strings.length + 1);
  parts.forEach((part, text) => {
    offsets[text + 1] = offsets[text] + part.length;
  });
  const bytes = new Uint8Array(Buffer.concat(parts));
  const hashes = Uint32Array.from(parts, (part) => (part.length === 0 ? 0 : hashBytes(part, 0, part.length)));
  return { texts: { offsets, bytes }, hashes };
}

t.test('each text that is asked for lies once in the partition of its hash', async (t) => {
  for (const count of [0, 1, 2, 300, 20_000]) {
    const prng = new Prng(SEED + count);
    const strings = Array.from({ length: count }, (_, text) =>
      text === 7 ? '' : `${prng.pick(['', 'ß', '東京', 'x'.repeat(prng.below(40))])}${text}`,
    );
    const { texts, hashes } = dictionaryOf(strings);
    const chosen = strings.map((_, text) => text).filter(() => prng.chance(0.8));
    const run = new QueryRun(null, 0, 2 ** 26);
    const codes = Uint32Array.from(chosen, (text) => text + 1);
    const found = partitionedTexts(codes, texts, hashes, run);
    const { values, partitions } = found;
    if (values.kind !== 'text') return t.fail('texts are given');
    const foundTexts = Array.from({ length: values.count }, (_, text) =>
      Buffer.from(values.bytes.subarray(values.offsets[text], values.offsets[text + 1])),
    );
    t.strictSame(foundTexts.map(String).sort(), chosen.map((text) => strings[text]).sort());
    t.strictSame(
      Array.from(found.hashes),
      foundTexts.map((text) => hashBytes(text, 0, text.length)),
    );
    t.equal(partitions.length, TEXT_PARTITIONS + 1);
    t.equal(partitions[TEXT_PARTITIONS], values.count);
    for (let partition = 0; partition < TEXT_PARTITIONS; partition++) {
      const own = found.hashes.subarray(partitions[partition], partitions[partition + 1]);
      if (own.some((hash) => hash % TEXT_PARTITIONS !== partition)) t.fail(`partition ${partition}`);
    }
    t.ok(run.takenBytes >= values.bytes.length + values.offsets.length * 4, 'memory is taken');
  }
});

t.test('texts that find no room are refused', async (t) => {
  const { texts, hashes } = dictionaryOf(Array.from({ length: 5_000 }, (_, text) => `text ${text}`));
  const codes = Uint32Array.from({ length: 5_000 }, (_, text) => text + 1);
  t.throws(() => partitionedTexts(codes, texts, hashes, new QueryRun(null, 0, 10_000)), { code: 9006 });
});
