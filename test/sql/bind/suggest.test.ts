import t from 'tap';
import { editDistance, Prng } from '../../../src/base/index.js';
import { suggestion } from '../../../src/sql/bind/suggest.js';

const SEED = 173_205;
t.comment(`seed ${SEED}`);

t.test('the nearest name is suggested, if it is near', async (t) => {
  const names = ['age', 'gender', 'city', 'purchase-values', 'visited-page-events'];
  const cases: readonly (readonly [string, string | null])[] = [
    ['agee', 'age'],
    ['AGE', 'age'],
    ['gneder', 'gender'],
    ['purchasevalues', 'purchase-values'],
    ['visited-pages-event', 'visited-page-events'],
    ['ct', null],
    ['country', null],
    ['x', null],
    ['', null],
  ];
  for (const [written, expected] of cases) t.equal(suggestion(written, names), expected, written);
});

t.test('the same name in other letter case precedes a similar one', async (t) => {
  t.equal(suggestion('AGE', ['ages', 'age']), 'age');
});

t.test('the suggestion has the least distance of all names within a third of the letters', async (t) => {
  const prng = new Prng(SEED);
  const wrong: string[] = [];
  const word = (): string =>
    Array.from({ length: prng.between(1, 10) }, () => prng.pick([...'abc'])).join('');
  for (let round = 0; round < 3_000; round++) {
    const written = word();
    const names = Array.from({ length: 6 }, word);
    const distances = names.map((name) => editDistance(written, name, 10));
    const least = Math.min(...distances);
    const bound = Math.min(3, Math.max(1, Math.floor(written.length / 3)));
    const expected = least <= bound ? names[distances.indexOf(least)] : null;
    if (suggestion(written, names) !== expected) wrong.push(`${written} among ${names.join(' ')}`);
  }
  t.strictSame(wrong, []);
});

t.test('long names and long lists of names are cheap', async (t) => {
  const long = 'a'.repeat(1_000_000);
  t.equal(suggestion(long, [long]), null);
  t.equal(suggestion('abc', [long, `${long}b`, 'abd']), 'abd');
  function* endless(): Generator<string> {
    for (;;) yield 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz';
  }
  t.equal(suggestion('a'.repeat(38), endless()), null);
});
