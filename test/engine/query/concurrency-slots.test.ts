import t from 'tap';
import { ConcurrencySlots } from '../../../src/engine/query/concurrency-slots.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test(
  'as many callers enter as there are slots; the others follow in order as slots become free',
  async (t) => {
    const slots = new ConcurrencySlots(2);
    const entered: number[] = [];
    for (const number of [1, 2, 3, 4]) slots.enter().then(() => entered.push(number));
    await turn();
    t.strictSame(entered, [1, 2]);
    slots.leave();
    await turn();
    t.strictSame(entered, [1, 2, 3]);
    slots.leave();
    slots.leave();
    slots.leave();
    await turn();
    t.strictSame(entered, [1, 2, 3, 4]);
    for (const number of [5, 6, 7]) slots.enter().then(() => entered.push(number));
    await turn();
    t.strictSame(entered, [1, 2, 3, 4, 5, 6], 'the number of slots stays the same');
  },
);
