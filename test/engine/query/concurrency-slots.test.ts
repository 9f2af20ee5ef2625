import t from 'tap';
import { QuerySeats } from '../../../src/engine/query/concurrency-slots.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('as many enter as there are seats; the others in their order, as seats come free', async (t) => {
  const seats = new QuerySeats(2);
  const entered: number[] = [];
  for (const number of [1, 2, 3, 4]) seats.enter().then(() => entered.push(number));
  await turn();
  t.strictSame(entered, [1, 2]);
  seats.leave();
  await turn();
  t.strictSame(entered, [1, 2, 3]);
  seats.leave();
  seats.leave();
  seats.leave();
  await turn();
  t.strictSame(entered, [1, 2, 3, 4]);
  for (const number of [5, 6, 7]) seats.enter().then(() => entered.push(number));
  await turn();
  t.strictSame(entered, [1, 2, 3, 4, 5, 6], 'no seat is lost and none is made');
});
