import t from 'tap';
import { nearestOf, suggestionOf } from '../../src/commands/nearest.js';

const WORDS = ['serve', 'demo', 'verify', 'restore', 'inspect'];

t.test('the word with the fewest edits is suggested, unless it needs many', (t) => {
  for (const [value, meant] of [
    ['verfy', 'verify'],
    ['server', 'serve'],
    ['inspekt', 'inspect'],
    ['dmeo', 'demo'],
    ['demo', 'demo'],
    ['xyzzyxyzzy', null],
    ['', null],
    ['v'.repeat(100_000), null],
  ] as const) {
    t.equal(nearestOf(value, WORDS), meant, value.slice(0, 20));
  }
  t.equal(suggestionOf('sreve', WORDS), '; did you mean serve?');
  t.equal(suggestionOf('sreve', WORDS, '--'), '; did you mean --serve?');
  t.equal(suggestionOf('other values', WORDS), '');
  t.end();
});
