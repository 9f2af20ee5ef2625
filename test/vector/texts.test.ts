import t from 'tap';
import { Texts } from '../../src/vector/index.js';

const STRINGS = [
  '',
  'plain',
  'naïve',
  '日本語',
  'a😀b',
  '\ufeffbom',
  '\u{10ffff}',
  'x'.repeat(500),
  '\u0000',
];

t.test('texts are equal as strings and as bytes, regardless of their source', async (t) => {
  const ofStrings = Texts.ofStrings([...STRINGS], true);
  const { offsets, bytes } = ofStrings.utf8;
  const ofBytes = Texts.ofBytes({ offsets, bytes }, STRINGS.length, true);
  STRINGS.forEach((text, code) => {
    t.ok(Buffer.from(text).equals(bytes.subarray(offsets[code], offsets[code + 1])), text);
    t.equal(ofStrings.text(code), text);
    t.equal(ofBytes.text(code), text);
    t.equal(ofBytes.text(code), text, 'a second time');
    for (const texts of [ofStrings, ofBytes]) t.equal(texts.codePoints(code), Array.from(text).length);
  });
  t.equal(ofStrings.size, STRINGS.length);
  t.ok(ofBytes.memoryBytes >= bytes.length && ofStrings.memoryBytes >= bytes.length / 3);
});

t.test('beginnings are those of the whole texts, with and without bytes beyond ASCII', async (t) => {
  const strings = [...STRINGS, 'abcdé', 'abcd', 'abcde', 'abce', 'ab'];
  const ofStrings = Texts.ofStrings([...strings], true);
  const ofBytes = Texts.ofBytes(ofStrings.utf8, strings.length, true);
  for (const texts of [ofStrings, ofBytes])
    for (const points of [0, 1, 2, 4, 5, 499, 501, 1e30])
      strings.forEach((text, code) => {
        const [read, whole] = [texts.beginning(code, points), text].map((one) => [...one].slice(0, points));
        t.strictSame(read, whole, `${points} of ${text.slice(0, 10)}`);
      });
});

t.test('a list too long for cached strings still returns its texts', async (t) => {
  const count = 140_000;
  const long = Texts.ofStrings(Array.from({ length: count }, (_, code) => `text ${code}`));
  const ofBytes = Texts.ofBytes(long.utf8, count, true);
  for (const code of [0, 77_777, count - 1, 77_777]) {
    t.equal(ofBytes.text(code), `text ${code}`);
    t.equal(ofBytes.codePoints(code), `text ${code}`.length, 'every byte is a code point');
  }
});
