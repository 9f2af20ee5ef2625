import t from 'tap';
import { durationMs, durationText } from '../../../src/pg/session/settings.js';

t.test('durations are parsed and formatted like in Postgres', async (t) => {
  for (const [text, ms, expected] of [
    ['0', 0, '0'],
    [' 1500 ', 1_500, '1500ms'],
    ['2 s', 2_000, '2s'],
    ['90s', 90_000, '90s'],
    ['2min', 120_000, '2min'],
    ['1.5h', 5_400_000, '90min'],
    ['400us', 0, '0'],
    ['1d', 86_400_000, '1d'],
  ] as const) {
    t.equal(durationMs(text), ms, text);
    t.equal(durationText(ms), expected, text);
  }
  for (const text of ['', 'x', '-1', '5 S', '1e3', '25d', '2147483648'])
    t.equal(durationMs(text), null, text);
});
