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

t.test('a list too long for cached strings still returns its texts', async (t) => {
  const count = 140_000;
  const long = Texts.ofStrings(Array.from({ length: count }, (_, code) => `text ${code}`));
  const ofBytes = Texts.ofBytes(long.utf8, count, true);
  for (const code of [0, 77_777, count - 1, 77_777]) t.equal(ofBytes.text(code), `text ${code}`);
});

t.test('a part of a list has the texts of its codes', async (t) => {
  const plain = Array.from({ length: 40 }, (_, code) => 'abc'.repeat(code % 5) + code);
  for (const strings of [plain, [...plain, ...STRINGS, ...plain]]) {
    const ofStrings = Texts.ofStrings(strings);
    // The bytes of a list may begin anywhere in a buffer.
    const { offsets, bytes } = ofStrings.utf8;
    const moved = new Uint8Array(bytes.length + 3);
    moved.set(bytes, 3);
    const ofBytes = Texts.ofBytes({ offsets, bytes: moved.subarray(3) }, strings.length, false);
    for (const [from, to] of [
      [0, strings.length],
      [0, 1],
      [7, 33],
      [40, strings.length],
      [3, 3],
    ]) {
      for (const part of [ofStrings.part(from, to), ofBytes.part(from, to)]) {
        t.equal(part.size, to - from);
        const wanted = strings.slice(from, to);
        t.strictSame(
          wanted.map((_, code) => part.text(code)),
          wanted,
        );
        t.strictSame(
          wanted.map((_, code) => part.codePoints(code)),
          wanted.map((text) => Array.from(text).length),
        );
      }
    }
  }
});
