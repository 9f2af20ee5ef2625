import t from 'tap';
import { inColumns } from '../../src/commands/columns.js';
import { printable } from '../../src/commands/printable.js';

t.test('control characters are escaped, and all other text is unchanged', (t) => {
  for (const [text, shown] of [
    ['plain-name_1', 'plain-name_1'],
    ['Ünïcode 名前 🙂', 'Ünïcode 名前 🙂'],
    ['a\nb\r\tc', 'a\\u{a}b\\u{d}\\u{9}c'],
    ['\x1b[2J\x07', '\\u{1b}[2J\\u{7}'],
    ['\x7f\x9b31m', '\\u{7f}\\u{9b}31m'],
    ['\u202egnp.exe\u2028', '\\u{202e}gnp.exe\\u{2028}'],
    ['back\\slash', 'back\\\\slash'],
    ['\ud800', '\\u{d800}'],
  ] as const) {
    t.equal(printable(text), shown);
  }
  t.end();
});

t.test('columns are as wide as their widest text', (t) => {
  t.strictSame(
    inColumns(
      [
        ['a', '1', 'x'],
        ['bbb', '100', ''],
      ],
      [1],
    ),
    ['a      1  x', 'bbb  100'],
  );
  t.strictSame(inColumns([]), []);
  t.end();
});
