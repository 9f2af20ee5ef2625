import t from 'tap';
import { ReadGate } from '../../../src/engine/query/write-barrier.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('records pass at once while no query of several rounds runs', async (t) => {
  const gate = new ReadGate();
  const passed: number[] = [];
  gate.write(() => passed.push(1));
  gate.write(() => passed.push(2));
  t.strictSame(passed, [1, 2]);
});

t.test('records wait for all queries inside, then pass in their order', async (t) => {
  const gate = new ReadGate();
  const passed: number[] = [];
  await gate.enter();
  await gate.enter();
  for (const number of [1, 2, 3]) gate.write(() => passed.push(number));
  gate.leave();
  t.strictSame(passed, []);
  gate.leave();
  t.strictSame(passed, [1, 2, 3]);
});

t.test('a query does not enter before the records that wait have passed', async (t) => {
  const gate = new ReadGate();
  const order: string[] = [];
  await gate.enter();
  gate.write(() => order.push('record'));
  const entering = gate.enter().then(() => order.push('query'));
  await turn();
  t.strictSame(order, []);
  gate.leave();
  await entering;
  t.strictSame(order, ['record', 'query']);
  gate.write(() => order.push('late record'));
  t.strictSame(order, ['record', 'query']);
  gate.leave();
  t.strictSame(order, ['record', 'query', 'late record']);
});

t.test('`cleared` resolves when no record waits', async (t) => {
  const gate = new ReadGate();
  await gate.cleared();
  await gate.enter();
  await gate.cleared();
  let cleared = false;
  gate.write(() => {});
  const clearing = gate.cleared().then(() => {
    cleared = true;
  });
  await turn();
  t.notOk(cleared);
  gate.leave();
  await clearing;
  t.ok(cleared);
});
