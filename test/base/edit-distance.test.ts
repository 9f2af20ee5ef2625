import t from 'tap';
import { editDistance, Prng } from '../../src/base/index.js';

const SEED = 173_207;
t.comment(`seed ${SEED}`);

/** Optimal string alignment, computed over the whole table. */
function distanceOf(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, row) => {
    return Array.from({ length: b.length + 1 }, (_, index) => (row === 0 ? index : index === 0 ? row : 0));
  });
  for (let row = 1; row <= a.length; row++) {
    for (let index = 1; index <= b.length; index++) {
      const changed = table[row - 1][index - 1] + (a[row - 1] === b[index - 1] ? 0 : 1);
      table[row][index] = Math.min(changed, table[row - 1][index] + 1, table[row][index - 1] + 1);
      const swapped = row > 1 && index > 1 && a[row - 1] === b[index - 2] && a[row - 2] === b[index - 1];
      if (swapped) table[row][index] = Math.min(table[row][index], table[row - 2][index - 2] + 1);
    }
  }
  return table[a.length][b.length];
}

t.test('the result is the distance, or a number above the bound', async (t) => {
  const prng = new Prng(SEED);
  const word = (): string => Array.from({ length: prng.between(0, 9) }, () => prng.pick([...'abc'])).join('');
  for (let round = 0; round < 5_000; round++) {
    const [a, b, bound] = [word(), word(), prng.between(0, 9)];
    const expected = distanceOf(a, b);
    const found = editDistance(a, b, bound);
    const fits = expected <= bound ? found === expected : found > bound;
    if (!fits) t.fail(`${a} to ${b} within ${bound}: ${found}, not ${expected}`);
  }
  t.pass('5,000 pairs');
});
