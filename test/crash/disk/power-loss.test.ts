/** Loss of power at random steps of random lives (power-loss.ts). `npm run torture -- --what power` tries any number. */
import t from 'tap';
import { losePower } from './power-loss.js';

const LOSSES = 300;
const SEED = 5_150;
t.setTimeout(240_000);
t.comment(`seed ${SEED}`);

t.test(
  `${LOSSES} losses of power leave every acknowledged write, whole and once, and no part of another one`,
  async (t) => {
    const { losses, lives, faults } = await losePower(LOSSES, SEED);
    t.strictSame(faults, []);
    t.equal(losses, LOSSES);
    t.comment(`${lives} lives`);
  },
);

t.test(
  'a small insert may pass a large one that waits for its log file, and takes nothing with it',
  async (t) => {
    const { losses, faults } = await losePower(40, 9_300_214);
    t.strictSame(faults, []);
    t.equal(losses, 40);
  },
);
