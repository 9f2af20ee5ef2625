import t from 'tap';
import { randomOf } from '../../../src/expression/functions/random.js';

t.test('numbers are in [0, 1), evenly distributed over rows and over seeds, and repeatable', async (t) => {
  const series: readonly (readonly [string, (index: number) => number])[] = [
    ['rows', (index) => randomOf(7, `u${index}`)],
    ['seeds', (index) => randomOf(1_795_255_200_900 * 1_024 + index, 'u1')],
    ['times', (index) => randomOf((1_795_255_200_900 + index) * 1_024, '')],
  ];
  for (const [name, numberOf] of series) {
    const buckets = new Array<number>(20).fill(0);
    const count = 20_000;
    let repeats = 0;
    let before = 0;
    let above = 0;
    for (let index = 0; index < count; index++) {
      const number = numberOf(index);
      if (!(number >= 0 && number < 1)) t.fail(`${name}: ${number}`);
      if (number !== numberOf(index)) repeats++;
      if (number > before) above++;
      before = number;
      buckets[Math.floor(number * 20)]++;
    }
    t.equal(repeats, 0, `${name} are repeatable`);
    // Chi-square with 19 degrees of freedom: above 50 in fewer than one of 10,000 cases.
    const expected = count / 20;
    const deviation = buckets.reduce((sum, found) => sum + (found - expected) ** 2 / expected, 0);
    t.ok(deviation < 50, `${name}: chi-square ${deviation}`);
    t.ok(Math.abs(above - count / 2) < 400, `${name}: ${above} of ${count} are above the one before`);
  }
});
