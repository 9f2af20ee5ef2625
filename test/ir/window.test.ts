import t from 'tap';
import { ALL_EVENTS, eventWindow } from '../../src/ir/index.js';

t.test('a window is clipped to the range of event dates; outside that range it is empty', async (t) => {
  t.strictSame(eventWindow({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }), ALL_EVENTS);
  t.strictSame(eventWindow({ from: 5, to: 5 }), { from: 5, to: 5 });
  t.strictSame(eventWindow({ from: -5, to: 2 ** 33 }), ALL_EVENTS);
  for (const window of [
    { from: -9, to: -1 },
    { from: 2 ** 32, to: 2 ** 33 },
    { from: 6, to: 5 },
  ]) {
    const { from, to } = eventWindow(window);
    t.ok(from > to);
  }
});
