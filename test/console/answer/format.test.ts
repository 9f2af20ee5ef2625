/** Numbers, bytes and times formatted for people. */
import t from 'tap';
import {
  formatBytes,
  formatCount,
  formatMoment,
  formatSecond,
  formatSeconds,
  momentTick,
  plural,
  ticksUpTo,
} from '../../../src/console/answer/format.js';

t.test('numbers, bytes and times are short and keep their meaning', async (t) => {
  t.equal(formatCount(1234567), '1,234,567');
  t.equal(formatCount(9223372036854775807n), '9,223,372,036,854,775,807');
  t.strictSame([0, 999, 1000, 123_456, 88_325_320].map(formatBytes), [
    '0 B',
    '999 B',
    '1.0 kB',
    '123 kB',
    '88.3 MB',
  ]);
  t.strictSame([0.000_02, 0.0123, 0.5, 3, 600, 10_000].map(formatSeconds), [
    '20 µs',
    '12.3 ms',
    '500 ms',
    '3.0 s',
    '10 min',
    '3 h',
  ]);
  t.strictSame(
    ['2001-03-01T00:00:00Z', '2001-03-01T10:30:00Z', '2001-03-01t10:30:07z', '2001-03-01'].map(formatMoment),
    ['2001-03-01', '2001-03-01 10:30', '2001-03-01 10:30:07', '2001-03-01'],
  );
  t.strictSame(
    ['2001-03-01T10:30:07.123Z', '2001-03-01T10:30:00.001Z', '2001-03-01T00:00:00.900Z'].map(formatSecond),
    ['2001-03-01 10:30:07', '2001-03-01 10:30', '2001-03-01'],
  );
  t.strictSame([plural(1, 'row'), plural(0, 'row'), plural(2000, 'row')], ['1 row', '0 rows', '2,000 rows']);
});

t.test('ticks of an axis are round, begin at 0 and reach the largest value', async (t) => {
  t.strictSame(ticksUpTo(370_248, 4), [0, 100_000, 200_000, 300_000, 400_000]);
  t.strictSame(ticksUpTo(0.7, 4), [0, 0.2, 0.4, 0.6, 0.8]);
  t.strictSame(ticksUpTo(0, 4), [0]);
  t.strictSame(ticksUpTo(Number.NaN, 4), [0]);
  for (let most = 1; most < 2_000; most += 7) {
    const ticks = ticksUpTo(most, 4);
    t.ok(ticks[ticks.length - 1] >= most && ticks.length <= 6, `${most}: ${ticks}`);
  }
});

t.test('a time on an axis contains only the parts that distinguish its ticks', async (t) => {
  const second = Date.UTC(2001, 2, 1, 10, 30, 7) / 1000;
  t.strictSame(
    [30 * 86_400, 7 * 86_400, 3_600, 5].map((step) => momentTick(second, step)),
    ['2001-03', '2001-03-01', '10:30', '10:30:07'],
  );
});
