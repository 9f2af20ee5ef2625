import t from 'tap';
import { codePointCount, lowerCase, lowerCodePoint } from '../../src/schema/index.js';

t.test(
  'every code point has its simple lower-case mapping: one code point that maps to itself',
  async (t) => {
    let wrong = 0;
    for (let point = 0; point <= 0x10ffff; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const lower = lowerCodePoint(point);
      const full = String.fromCodePoint(point).toLowerCase();
      const expected = point === 0x130 ? 0x69 : full.codePointAt(0);
      if (lower !== expected || lowerCodePoint(lower) !== lower) wrong++;
      if (point !== 0x130 && [...full].length !== 1) wrong++;
    }
    t.equal(wrong, 0);
  },
);

t.test('text is lower-cased by code point, without context', async (t) => {
  t.equal(lowerCase('ΟΔΟΣ'), 'οδοσ', 'no final sigma');
  t.equal(lowerCase('İstanbul'), 'istanbul');
  t.equal(lowerCase('𐐀x'), '𐐨x', 'beyond the basic plane');
  t.equal(lowerCase('plain'), 'plain');
});

t.test('length counts code points, and each lone surrogate as one', async (t) => {
  for (const text of ['', 'abc', 'ä𐐀b', '\ud800', '\udc00\ud800', '😀😀', 'a\ud800b']) {
    t.equal(codePointCount(text), [...text].length, JSON.stringify(text));
  }
});
