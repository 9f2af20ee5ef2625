import t from 'tap';
import { rememberLast } from '../../src/base/index.js';

t.test(
  'a result is computed once while the argument stays the same, and not remembered if it fails',
  async (t) => {
    const computed: string[] = [];
    const length = rememberLast((text) => {
      computed.push(text);
      if (text === 'bad') throw new Error('refused');
      return text.length;
    });
    t.strictSame([length(''), length(''), length('ab'), length('ab'), length('')], [0, 0, 2, 2, 0]);
    t.throws(() => length('bad'), /refused/);
    t.throws(() => length('bad'), /refused/);
    t.equal(length(''), 0, 'the result before a failure is still known');
    t.strictSame(computed, ['', 'ab', '', 'bad', 'bad']);
  },
);
