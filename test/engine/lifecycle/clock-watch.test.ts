import t from 'tap';
import { ManualClock } from '../../../src/base/index.js';
import { ClockWatch } from '../../../src/engine/lifecycle/clock-watch.js';

const NOW_MS = Date.UTC(2024, 1, 28, 23);
const DAY_MS = 86_400_000;

t.test('time that goes by is no jump, over a leap day and however long', async (t) => {
  const clock = new ManualClock(NOW_MS);
  const watch = new ClockWatch(clock, null);
  for (const days of [1, 2, 366, 3_653]) {
    clock.advance(days * DAY_MS);
    t.equal(watch.jumpMs, 0, `${days} days`);
  }
});

t.test('a clock that is set by more than a day has jumped until it is accepted, or set back', async (t) => {
  for (const jump of [DAY_MS + 1, -DAY_MS - 1, 3_653 * DAY_MS, -3_653 * DAY_MS]) {
    const clock = new ManualClock(NOW_MS);
    const watch = new ClockWatch(clock, null);
    clock.jump(jump);
    clock.advance(5_000);
    t.equal(watch.jumpMs, jump);
    clock.jump(-jump);
    t.equal(watch.jumpMs, 0, 'set back');
    clock.jump(jump);
    watch.accept();
    t.equal(watch.jumpMs, 0, 'accepted');
    clock.advance(DAY_MS);
    t.equal(watch.jumpMs, 0);
  }
});

t.test('less than a day is no jump: an hour back, a day forward', async (t) => {
  for (const jump of [-3_600_000, 3_600_000, DAY_MS, -DAY_MS]) {
    const clock = new ManualClock(NOW_MS);
    const watch = new ClockWatch(clock, null);
    clock.jump(jump);
    t.equal(watch.jumpMs, 0);
  }
});

t.test('at a start the time that the store knew last counts', async (t) => {
  const clock = new ManualClock(NOW_MS);
  t.equal(new ClockWatch(clock, NOW_MS - DAY_MS).jumpMs, 0);
  t.equal(new ClockWatch(clock, NOW_MS - 2 * DAY_MS).jumpMs, 2 * DAY_MS);
  t.equal(new ClockWatch(clock, NOW_MS + 2 * DAY_MS).jumpMs, -2 * DAY_MS);
});
