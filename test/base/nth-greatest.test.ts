import t from 'tap';
import { nthGreatest, Prng } from '../../src/base/index.js';

const SEED = 314_159;
t.comment(`seed ${SEED}`);

t.test('the result is the nth of the sorted counts, also among equal ones', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 300; round++) {
    const below = prng.pick([2, 10, 2 ** 32]);
    const counts = Uint32Array.from({ length: prng.between(1, 200) }, () => prng.below(below));
    const n = prng.between(1, counts.length);
    const expected = counts.slice().sort().reverse()[n - 1];
    const found = nthGreatest(counts, new Uint32Array(n + prng.below(3)), n);
    if (found !== expected) t.fail(`round ${round}: ${found} instead of ${expected}`);
  }
  t.pass('300 rounds');
});
