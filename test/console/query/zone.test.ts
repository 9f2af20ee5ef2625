/** Times of time zones, also on days when clocks change. */
import t from 'tap';
import { instantsOf } from '../../../src/console/query/conditions.js';
import {
  instantOf,
  instantText,
  inZone,
  isZone,
  localOf,
  localText,
} from '../../../src/console/query/zone.js';

t.test('a window has the whole days of the zone', async (t) => {
  const window = { from: '2026-03-29', to: '2026-03-29' };
  t.strictSame(instantsOf(window, ''), ['2026-03-29', '2026-03-29T23:59:59Z']);
  t.strictSame(
    instantsOf(window, 'Europe/Berlin'),
    ['2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z'],
    '23 hours',
  );
  t.strictSame(instantsOf(window, 'America/New_York'), ['2026-03-29T04:00:00Z', '2026-03-30T03:59:59Z']);
});

t.test('periods of an answer are shown in the zone, and numbers stay', async (t) => {
  const answer = {
    result: { a: { series: [{ between: ['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'], count: 3 }] } },
  };
  t.strictSame(inZone(answer, 'Europe/Berlin'), {
    result: { a: { series: [{ between: ['2026-03-29T00:00:00Z', '2026-03-30T00:00:00Z'], count: 3 }] } },
  });
  t.equal(inZone(answer, ''), answer);
  t.equal(localText('2026-01-01', ''), '2026-01-01');
  t.equal(instantText('2026-03-29T00:00:00Z', 'Europe/Berlin'), '2026-03-28T23:00:00Z');
});

t.test('an instant comes back from its time in the zone, unless clocks show the time twice', async (t) => {
  for (const zone of ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']) {
    for (let day = 0; day < 366; day++) {
      const instant = Date.UTC(2026, 0, 1 + day, 12);
      t.equal(instantOf(localOf(instant, zone), zone), instant, zone);
    }
  }
  t.equal(isZone('Europe/Berlin'), true);
  t.equal(isZone('Europe/Nowhere'), false);
});
