import t from 'tap';
import { cutTo, padTo, widthOf } from '../../../src/commands/sql/text-width.js';

t.test('the width of a text is the number of its columns on a terminal', (t) => {
  const widths: Record<string, number> = {
    '': 0,
    plain: 5,
    é: 1,
    'e\u0301': 1,
    שָׁלוֹם: 4,
    東京: 4,
    ｆｕｌｌ: 8,
    한국: 4,
    '🚀': 2,
    '❤\ufe0f': 2,
    '🇩🇪': 2,
    a東b: 4,
  };
  for (const [text, width] of Object.entries(widths)) t.equal(widthOf(text), width, JSON.stringify(text));
  t.end();
});

t.test('a cut text ends with a mark and never exceeds its width', (t) => {
  t.equal(cutTo('short', 5), 'short');
  t.equal(cutTo('longer', 5), 'long…');
  t.equal(cutTo('東京都', 5), '東京…');
  t.equal(cutTo('東京都', 4), '東…');
  t.equal(cutTo('e\u0301e\u0301e\u0301', 2), 'e\u0301…');
  for (const text of ['abc東京🚀def', 'שָׁלוֹם עולם', '🇩🇪🇫🇷🇮🇹']) {
    for (let width = 1; width < 12; width++)
      t.ok(widthOf(cutTo(text, width)) <= width, `${text} in ${width}`);
  }
  t.end();
});

t.test('padding fills a text up to the width on either side', (t) => {
  t.equal(padTo('東', 4, 'right'), '東  ');
  t.equal(padTo('12', 4, 'left'), '  12');
  t.equal(padTo('longer', 4, 'left'), 'longer');
  t.end();
});
