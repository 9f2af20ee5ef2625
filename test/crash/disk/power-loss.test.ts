/** Power loss at random steps of random runs (power-loss.ts). `npm run torture -- --what power` tries any number. */
import t from 'tap';
import { losePower } from './power-loss.js';

const LOSSES = 300;
const SEED = 5_150;
t.setTimeout(240_000);
t.comment(`seed ${SEED}`);

t.test(
  `after ${LOSSES} power losses every acknowledged write is complete and applied once, and no other write is partial`,
  async (t) => {
    const { losses, lives, faults } = await losePower(LOSSES, SEED);
    t.strictSame(faults, []);
    t.equal(losses, LOSSES);
    t.comment(`${lives} lives`);
  },
);

t.test(
  'a small insert may overtake a large one that waits for its log file, without losing it',
  async (t) => {
    const { losses, faults } = await losePower(40, 9_300_214);
    t.strictSame(faults, []);
    t.equal(losses, 40);
  },
);
