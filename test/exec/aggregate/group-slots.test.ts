/** Slots of few and of many cells. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { GroupSlots } from '../../../src/exec/aggregate/group-slots.js';
import { boundedRun } from '../bounded.js';

const SEED = 299_792;
t.comment(`seed ${SEED}`);

for (const cellCount of [1, 100, 65_536, 65_537, 2 ** 32]) {
  t.test(`each of ${cellCount} cells keeps its first slot`, async (t) => {
    const prng = new Prng(SEED);
    const slots = new GroupSlots(cellCount, boundedRun().child());
    const wanted = new Map<number, number>();
    let wrong = 0;
    for (let step = 0; step < 5_000; step++) {
      const cell = prng.pick([prng.below(Math.min(cellCount, 300)), cellCount - 1, prng.below(cellCount)]);
      if (!wanted.has(cell)) wanted.set(cell, wanted.size);
      if (slots.slotOf(cell) !== wanted.get(cell)) wrong++;
    }
    t.equal(wrong, 0);
    t.equal(slots.count, wanted.size);
    t.strictSame([...slots.cells()], [...wanted.keys()]);
  });
}

t.test('memory grows with the nonempty cells, not with all possible cells', async (t) => {
  const memory = boundedRun(100_000).child();
  const slots = new GroupSlots(2 ** 32, memory);
  for (let cell = 0; cell < 1_000; cell++) slots.slotOf(cell * 4_000_000);
  t.equal(slots.count, 1_000);
  t.throws(
    () => {
      for (let cell = 0; cell < 10_000; cell++) slots.slotOf(cell);
    },
    { code: 9006 },
  );
});
