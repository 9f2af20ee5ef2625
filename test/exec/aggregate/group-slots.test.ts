/** Slots of few and of many group keys. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { GroupSlots } from '../../../src/exec/aggregate/group-slots.js';
import { boundedRun } from '../bounded.js';

const SEED = 299_792;
t.comment(`seed ${SEED}`);

for (const groupKeyCount of [1, 100, 65_536, 65_537, 2 ** 32]) {
  t.test(`each of ${groupKeyCount} group keys keeps its first slot`, async (t) => {
    const prng = new Prng(SEED);
    const slots = new GroupSlots(groupKeyCount, boundedRun().child());
    const wanted = new Map<number, number>();
    let wrong = 0;
    for (let step = 0; step < 5_000; step++) {
      const groupKey = prng.pick([
        prng.below(Math.min(groupKeyCount, 300)),
        groupKeyCount - 1,
        prng.below(groupKeyCount),
      ]);
      if (!wanted.has(groupKey)) wanted.set(groupKey, wanted.size);
      if (slots.slotOf(groupKey) !== wanted.get(groupKey)) wrong++;
    }
    t.equal(wrong, 0);
    t.equal(slots.count, wanted.size);
    t.strictSame([...slots.groupKeys()], [...wanted.keys()]);
  });
}

t.test('memory grows with the group keys that occur, not with all possible ones', async (t) => {
  const memory = boundedRun(100_000).child();
  const slots = new GroupSlots(2 ** 32, memory);
  for (let groupKey = 0; groupKey < 1_000; groupKey++) slots.slotOf(groupKey * 4_000_000);
  t.equal(slots.count, 1_000);
  t.throws(
    () => {
      for (let groupKey = 0; groupKey < 10_000; groupKey++) slots.slotOf(groupKey);
    },
    { code: 9006 },
  );
});
