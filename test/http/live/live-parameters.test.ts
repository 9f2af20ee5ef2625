import t from 'tap';
import { liveParametersOf } from '../../../src/http/live/live-parameters.js';

t.test('the interval has a default, units and bounds', async (t) => {
  for (const [query, minIntervalMs] of [
    ['', 250],
    ['min-interval=10', 10],
    ['min-interval=500ms', 500],
    ['min-interval=2sec', 2_000],
    ['min-interval=60min', 3_600_000],
    ['min-interval=1hr', 3_600_000],
  ] as const) {
    t.strictSame(liveParametersOf(query, ''), { minIntervalMs, lastEventId: null }, query);
  }
  for (const text of ['9', '0', '-1', '1.5', '3600001', '2hr', '1d', 'x', '', '1e3', '99999999999', '10 ']) {
    const query = `min-interval=${encodeURIComponent(text)}`;
    t.throws(() => liveParametersOf(query, ''), { code: 9101 }, JSON.stringify(text));
  }
  t.throws(() => liveParametersOf('interval=10', ''), { code: 4049, message: /"interval" is unknown/ });
  t.throws(() => liveParametersOf('min-interval=10&min-interval=20', ''), { code: 4049 });
});

t.test('only an LSN is taken as the ID of the last event', async (t) => {
  t.equal(liveParametersOf('', '17').lastEventId, 17);
  for (const text of ['', 'x', '-1', '1.5', '1e3', ' 1', '0x10', '9'.repeat(16), '\u0661']) {
    t.equal(liveParametersOf('', text).lastEventId, null, JSON.stringify(text));
  }
});
