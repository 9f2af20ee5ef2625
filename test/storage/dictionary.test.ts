/** The dictionary against a Map from string to code. */
import t, { type Test } from 'tap';
import { hashBytes, Prng } from '../../src/base/index.js';
import { Dictionary } from '../../src/storage/index.js';

const SEED = 99;
t.comment(`seed ${SEED}`);

function stringOf(dictionary: Dictionary, code: number): string {
  const { offsets, bytes } = dictionary;
  return Buffer.from(bytes.subarray(offsets[code], offsets[code + 1])).toString('utf8');
}

/** Interns strings with repetitions and compares every code with a Map's. */
function compareWithMap(t: Test, strings: readonly string[], hash: (bytes: Uint8Array) => number): void {
  const dictionary = new Dictionary();
  const codes = new Map<string, number>();
  let wrong = 0;
  for (const text of strings) {
    const padded = Buffer.from(`<<${text}>>`, 'utf8');
    const [from, to] = [2, padded.length - 2];
    const own = hash(padded.subarray(from, to));
    if (dictionary.find(own, padded, from, to) !== (codes.get(text) ?? 0)) wrong++;
    if (!codes.has(text)) codes.set(text, codes.size + 1);
    if (dictionary.intern(own, padded, from, to) !== codes.get(text)) wrong++;
  }
  t.equal(wrong, 0, `${strings.length} strings`);
  t.equal(dictionary.codeCount, codes.size + 1);
  t.strictSame(
    [...codes].filter(([text, code]) => stringOf(dictionary, code) !== text),
    [],
  );
}

const hash = (bytes: Uint8Array): number => hashBytes(bytes, 0, bytes.length);

t.test(
  'codes ascend from 1 in order of first occurrence and do not change when the dictionary grows',
  async (t) => {
    const prng = new Prng(SEED);
    const strings = Array.from(
      { length: 60_000 },
      () => `text ${prng.below(20_000)} ${'ß'.repeat(prng.below(4))}`,
    );
    compareWithMap(t, strings, hash);
  },
);

t.test('strings whose hashes collide get different codes', async (t) => {
  const prng = new Prng(SEED + 1);
  const strings = Array.from({ length: 3000 }, () => `s${prng.below(300)}`);
  compareWithMap(t, strings, () => 0xffffffff);
  compareWithMap(t, strings, (bytes) => (hash(bytes) & 0x80000003) >>> 0);
});

t.test('a prefix, a longer string and a long one are distinct', async (t) => {
  compareWithMap(
    t,
    ['a', 'ab', 'abc', 'ab', 'a', 'z'.repeat(4000), 'z'.repeat(4000), 'z'.repeat(3999)],
    () => 7,
  );
});

t.test('an absent string has code 0 and is not added by a lookup', async (t) => {
  const dictionary = new Dictionary();
  t.equal(dictionary.find(5, Buffer.from('x'), 0, 1), 0);
  t.equal(dictionary.codeCount, 1);
});

t.test(
  'a dictionary reduced to some strings has only those, in the same order, and accepts new ones',
  async (t) => {
    const prng = new Prng(SEED + 2);
    for (const count of [0, 1, 10, 11, 12, 14, 15, 16, 17, 1_000, 5_000]) {
      for (const part of [0, 0.1, 0.5, 1]) {
        const dictionary = new Dictionary();
        const intern = (dictionary: Dictionary, text: string): number => {
          const bytes = Buffer.from(text, 'utf8');
          return dictionary.intern(hash(bytes), bytes, 0, bytes.length);
        };
        const texts = Array.from({ length: count }, (_, index) => `${index} ${'ß'.repeat(prng.below(5))}`);
        for (const text of texts) intern(dictionary, text);
        const used = Uint8Array.from({ length: count + 1 }, (_, code) =>
          code > 0 && prng.chance(part) ? 1 : 0,
        );
        const { dictionary: retained, codes } = dictionary.keeping(used);
        const left = texts.filter((_, index) => used[index + 1] === 1);
        t.equal(retained.codeCount, left.length + 1);
        t.equal(retained.byteCount, Buffer.byteLength(left.join('')));
        if (part <= 0.5) t.ok(retained.memoryBytes <= dictionary.memoryBytes);
        const codeOf = new Map(left.map((text, index) => [text, index + 1]));
        t.strictSame([...codes], [0, ...texts.map((text) => codeOf.get(text) ?? 0)]);
        const wrong = [...left, ...texts].filter((text) => {
          const code = intern(retained, text);
          return stringOf(retained, code) !== text;
        });
        t.strictSame(wrong, []);
        t.equal(retained.codeCount, count + 1, 'every string has one code, besides code 0');
      }
    }
  },
);

for (const [what, ownHash] of [
  ['spread', hash],
  ['equal for many strings', (bytes: Uint8Array) => hash(bytes) & 7],
] as const) {
  t.test(
    `strings interned in bulk get the same codes as strings interned one by one, hashes ${what}`,
    async (t) => {
      const prng = new Prng(SEED + 2);
      const [many, single] = [new Dictionary(), new Dictionary()];
      let wrong = 0;
      for (let round = 0; round < 60; round++) {
        const parts = Array.from({ length: prng.below(200) }, () =>
          Buffer.from(`s${prng.below(3_000)}ß`, 'utf8'),
        );
        const offsets = new Uint32Array(parts.length + 1);
        parts.forEach((part, index) => {
          offsets[index + 1] = offsets[index] + part.length;
        });
        const bytes = Buffer.concat(parts);
        const hashes = Uint32Array.from(parts, ownHash);
        const codes = many.internAll(hashes, bytes, offsets, parts.length);
        for (const [index, code] of codes.entries()) {
          const wanted = single.intern(hashes[index], bytes, offsets[index], offsets[index + 1]);
          if (code !== wanted || stringOf(many, code) !== parts[index].toString('utf8')) wrong++;
        }
      }
      t.equal(wrong, 0);
      t.equal(many.codeCount, single.codeCount);
    },
  );
}
