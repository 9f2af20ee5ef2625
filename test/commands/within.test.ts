import t from 'tap';
import { isWithin } from '../../src/commands/within.js';

t.test('a folder is within itself and the folders above it, and within no other', (t) => {
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
