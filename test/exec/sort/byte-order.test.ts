/** The byte order of strings compared with Buffer.compare. */
import t from 'tap';
import { hashBytes, Prng } from '../../../src/base/index.js';
import { compareBytes, countBefore, prefixOf, sortedCodes } from '../../../src/exec/sort/byte-order.js';
import { Dictionary } from '../../../src/storage/index.js';

const SEED = 1_618;
t.comment(`seed ${SEED}`);

const PIECES = ['\u0000', 'a', 'b', '0', '1', 'ß', '\uffff', '\u{10000}', 'abcde', 'abcdef', '     '];

/** Many texts share long prefixes, and some texts are prefixes of others. */
function generateText(prng: Prng): string {
  const length = prng.between(1, 7);
  const start = prng.chance(0.3) ? 'a beginning of some length ' : '';
  return start + Array.from({ length }, () => prng.pick(PIECES)).join('');
}

function dictionaryOf(texts: Iterable<string>): Dictionary {
  const dictionary = new Dictionary();
  for (const text of texts) {
    const bytes = Buffer.from(text, 'utf8');
    dictionary.intern(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length);
  }
  return dictionary;
}

t.test('codes are sorted by the bytes of their strings, for few and for many codes', async (t) => {
  const prng = new Prng(SEED);
  for (const count of [0, 1, 2, 24, 26, 500, 8_000]) {
    const texts = [...new Set(Array.from({ length: count }, () => generateText(prng)))];
    const wanted = [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const dictionary = dictionaryOf(texts);
    const sorted = sortedCodes(dictionary);
    t.equal(sorted[0], 0);
    t.strictSame(
      [...sorted.subarray(1)].map((code) => texts[code - 1]),
      wanted,
    );
    for (let query = 0; query < 50; query++) {
      const text = Buffer.from(generateText(prng));
      const before = texts.filter((one) => Buffer.compare(Buffer.from(one), text) < 0).length;
      t.equal(countBefore(dictionary, sorted, text), before);
    }
  }
});

t.test('numbers of prefixes never contradict the order of the strings', async (t) => {
  const prng = new Prng(SEED + 1);
  const faults: string[] = [];
  for (let pair = 0; pair < 20_000; pair++) {
    const [a, b] = [Buffer.from(generateText(prng)), Buffer.from(generateText(prng))];
    const wanted = Math.sign(Buffer.compare(a, b));
    const [numberA, numberB] = [prefixOf(a, 0, a.length), prefixOf(b, 0, b.length)];
    if (numberA !== numberB && Math.sign(numberA - numberB) !== wanted)
      faults.push(`${a} and ${b} by number`);
    if (Math.sign(compareBytes(a, 0, a.length, b, 0, b.length)) !== wanted) faults.push(`${a} and ${b}`);
  }
  t.strictSame(faults.slice(0, 3), []);
});
