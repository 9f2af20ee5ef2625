/** The period of a date is the last that begins before or with it. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { PeriodFinder } from '../../../src/exec/behaviour/period-finder.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
t.comment(`QUARRY_SEED=${SEED}`);

t.test('periods of any lengths', async (t) => {
  const prng = new Prng(SEED);
  t.equal(new PeriodFinder([]).at(5), -1);
  for (let round = 0; round < 200; round++) {
    const longest = prng.pick([1, 60, 90_000, 40_000_000]);
    let start = prng.below(2_000_000_000);
    const starts = Array.from({ length: 1 + prng.below(prng.pick([2, 50, 10_000])) }, () => {
      start += 1 + prng.below(longest);
      return start;
    });
    const finder = new PeriodFinder(starts);
    for (let question = 0; question < 100; question++) {
      const second = prng.chance(0.5)
        ? prng.pick(starts) + prng.between(-1, 1)
        : starts[0] - 10 + Math.floor(prng.unit() * (start - starts[0] + 20));
      const wanted = starts.filter((own) => own <= second).length - 1;
      if (finder.at(second) !== wanted) t.fail(`${second} in ${starts.length} periods from ${starts[0]}`);
    }
  }
});
