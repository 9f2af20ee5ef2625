/** Formulas of series. */
import t from 'tap';
import { formulaOf } from '../../../src/console/query/formula.js';

const value = (text: string, values: readonly (number | null)[]): unknown => {
  const formula = formulaOf(text, values.length);
  return typeof formula === 'function' ? formula(values) : formula;
};

t.test('operators have their ranks, and run from left to right', async (t) => {
  t.equal(value('A - B - 2', [10, 3]), 5);
  t.equal(value('a + b * 2', [1, 3]), 7);
  t.equal(value('-(A + B) / 0.5', [1, 3]), -8);
  t.equal(value('  ', [1]), null, 'no formula');
});

t.test('a period without a value, or a division by zero, has none', async (t) => {
  t.equal(value('B / A', [0, 3]), null);
  t.equal(value('A + B', [null, 3]), null);
});

t.test('what is no formula says why', async (t) => {
  for (const text of ['A +', 'C', 'A B', '(A', 'A ** B', 'A; B', '1.2.3', ')']) {
    t.match(value(text, [1, 2]), /^Formula: .*such as B \/ A/, text);
  }
  t.type(value('('.repeat(100_000), [1]), 'string', 'too long');
});
