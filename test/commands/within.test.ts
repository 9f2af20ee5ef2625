import t from 'tap';
import { isWithin } from '../../src/commands/within.js';

t.test('a folder lies in itself and in those above it, and nowhere else', (t) => {
  for (const [folder, other, wanted] of [
    ['/a', '/a', true],
    ['/a', '/a/b/c', true],
    ['/a', '/a/..b', true],
    ['/a/', '/a/b/../b', true],
    ['/', '/a', true],
    ['a', 'a/b', true],
    ['/a', '/', false],
    ['/a', '/ab', false],
    ['/a/b', '/a', false],
    ['/a/b', '/a/c', false],
  ] as const) {
    t.equal(isWithin(folder, other), wanted, `${other} in ${folder}`);
  }
  t.end();
});
