/** Matches of the model of sequences, computed by hand. */
import t from 'tap';
import { letter, lettersHistory } from './letters.js';
import { answerSequence } from './sequence.js';

const conditions = ['a', 'b', 'c'].map(letter);
const found = (text: string, pattern: string): unknown =>
  answerSequence({ conditions, pattern }, lettersHistory(text));

t.test('events that satisfy no condition are not in the string', async (t) => {
  t.strictSame(found('a0 x1 b2', '(?1)(?2)'), { entities: 1, matches: 1 });
  t.strictSame(found('a0 c1 b2', '(?1)(?2)'), { entities: 0, matches: 0 });
});

t.test('matches do not overlap and are as short as can be', async (t) => {
  t.strictSame(found('a0 b1 a2 b3', '(?1).*(?2)'), { entities: 1, matches: 2 });
  t.strictSame(found('a0 a1 a2', '(?1)(?1)'), { entities: 1, matches: 1 });
  t.strictSame(found('a0 c1 b2', '(?1)(?!1)(?2)'), { entities: 1, matches: 1 });
  t.strictSame(found('a0 c1 b2', '(?1).(?2)'), { entities: 1, matches: 1 });
});

t.test('a time compares with the event matched last, and lets others lie between', async (t) => {
  t.strictSame(found('a0 c1 b2', '(?1)(?t<=2)(?2)'), { entities: 1, matches: 1 });
  t.strictSame(found('a0 c1 b2', '(?1)(?t<2)(?2)'), { entities: 0, matches: 0 });
  t.strictSame(found('a0 b1 b5', '(?1)(?t>=4)(?t<6)(?2)'), { entities: 1, matches: 1 });
  t.strictSame(found('a0 c9 b10', '(?1).*(?t==10)(?2)'), { entities: 1, matches: 1 });
});
