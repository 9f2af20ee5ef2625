import t from 'tap';
import type { Json } from '../../../src/api/body/json.js';
import { readValue } from '../../../src/api/body/request-body.js';
import { bucketsOf, checkResolution } from '../../../src/api/condition/interval.js';
import { BUCKETS_MAX } from '../../../src/base/index.js';
import { CONDITION_CODES, interval as intervalSchema } from '../../../src/interface/index.js';
import { INTERVALS } from '../../../src/schema/index.js';
import { NOW_MS, NOW_SECONDS } from '../aggregates.js';
import { assertAllRefusals } from '../refusals.js';

const readInterval = (json: Json, name: string): string =>
  readValue(intervalSchema, json, name, CONDITION_CODES);

t.test('an interval is one of six words', async (t) => {
  for (const interval of INTERVALS) t.equal(readInterval(interval, 'here'), interval);
  for (const [value, named] of [
    ['day', '"day"'],
    ['DAYS', '"DAYS"'],
    ['', '""'],
    [null, 'null'],
    [true, 'a boolean'],
  ] as const) {
    assertAllRefusals(t, () => readInterval(value, 'here'), [[4027, named]]);
  }
});

const UTC = { zone: null, weekStart: 'monday' } as const;

t.test('a window is divided into at most a million buckets', async (t) => {
  const window = { from: 100, to: 100 + BUCKETS_MAX - 1 };
  t.strictSame(bucketsOf('seconds', window, 'here', UTC), { by: 'interval', interval: 'seconds' });
  const longer = { from: 100, to: window.to + 1 };
  assertAllRefusals(t, () => bucketsOf('seconds', longer, 'here', UTC), [[4027, '1000001 seconds']]);
  t.strictSame(bucketsOf('minutes', longer, 'here', UTC), { by: 'interval', interval: 'minutes' });
  t.strictSame(bucketsOf('seconds', { from: 1, to: 0 }, 'here', UTC), {
    by: 'interval',
    interval: 'seconds',
  });
});

t.test('days, weeks and months are accepted for windows of any age', async (t) => {
  for (const interval of ['days', 'weeks', 'months'] as const) {
    t.doesNotThrow(() => checkResolution(interval, { from: 0, to: NOW_SECONDS }, NOW_MS, 'here'));
  }
  t.doesNotThrow(() =>
    checkResolution('seconds', { from: NOW_SECONDS + 5, to: NOW_SECONDS + 9 }, NOW_MS, ''),
  );
});
