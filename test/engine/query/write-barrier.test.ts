import t from 'tap';
import { WriteBarrier } from '../../../src/engine/query/write-barrier.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('records pass at once if no query of several rounds runs', async (t) => {
  const barrier = new WriteBarrier();
  const passed: number[] = [];
  barrier.write(() => passed.push(1));
  barrier.write(() => passed.push(2));
  t.strictSame(passed, [1, 2]);
});

t.test('records wait for all queries inside, then pass in their order', async (t) => {
  const barrier = new WriteBarrier();
  const passed: number[] = [];
  await barrier.enter();
  await barrier.enter();
  for (const number of [1, 2, 3]) barrier.write(() => passed.push(number));
  barrier.leave();
  t.strictSame(passed, []);
  barrier.leave();
  t.strictSame(passed, [1, 2, 3]);
});

t.test('a query does not enter before the records that wait have passed', async (t) => {
  const barrier = new WriteBarrier();
  const order: string[] = [];
  await barrier.enter();
  barrier.write(() => order.push('record'));
  const entering = barrier.enter().then(() => order.push('query'));
  await turn();
  t.strictSame(order, []);
  barrier.leave();
  await entering;
  t.strictSame(order, ['record', 'query']);
  barrier.write(() => order.push('late record'));
  t.strictSame(order, ['record', 'query']);
  barrier.leave();
  t.strictSame(order, ['record', 'query', 'late record']);
});

t.test('`cleared` resolves when no record waits', async (t) => {
  const barrier = new WriteBarrier();
  await barrier.cleared();
  await barrier.enter();
  await barrier.cleared();
  let cleared = false;
  barrier.write(() => {});
  const clearing = barrier.cleared().then(() => {
    cleared = true;
  });
  await turn();
  t.notOk(cleared);
  barrier.leave();
  await clearing;
  t.ok(cleared);
});
