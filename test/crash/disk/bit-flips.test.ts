import t from 'tap';
import { flipBits } from './bit-flips.js';

const FLIPS = 500;
const seed = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
t.setTimeout(240_000);
t.comment(`seed ${seed}`);

t.test(
  'a start on a store with one flipped bit fails and names the file, or the store is unchanged',
  async (t) => {
    const { refused, harmless, faults } = await flipBits(FLIPS, seed);
    t.strictSame(faults, []);
    t.equal(refused + harmless, FLIPS);
    t.ok(refused > FLIPS / 4, `${refused} refused, ${harmless} harmless`);
  },
);
