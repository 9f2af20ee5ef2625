/** Periods of time zones equal those of PostgreSQL, which has zone data of its own. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import {
  formatDateTime,
  PERIODS,
  type Period,
  PeriodCalendar,
  periodIndex,
  ZoneOffsets,
} from '../../../src/schema/index.js';
import { openPostgresValues } from '../../support/sql/postgres-values.js';

const SEED = 26_14;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

const seconds = (text: string): number => Date.parse(text) / 1_000;
const plain = (instant: number): string => formatDateTime(instant).slice(0, -1).replace('T', ' ');
const calendar = (zone: string, period: Period, weekStart = 0): PeriodCalendar =>
  new PeriodCalendar(new ZoneOffsets(zone, false), period, weekStart);

/** Zones and instants near which a clock changes, a midnight is missing, or the offset is not a whole hour. */
const CHANGES = [
  ...[
    ['Europe/Berlin', '2020-03-29T01:00:00Z'],
    ['Europe/Berlin', '2020-10-25T01:00:00Z'],
  ],
  ...[
    ['America/New_York', '2019-11-03T06:00:00Z'],
    ['America/Sao_Paulo', '2018-11-04T03:00:00Z'],
  ],
  ...[
    ['Africa/Cairo', '2014-07-31T22:00:00Z'],
    ['Asia/Beirut', '2019-03-30T22:00:00Z'],
  ],
  ...[
    ['Asia/Kolkata', '2019-12-31T18:30:00Z'],
    ['Asia/Kathmandu', '2018-12-31T18:15:00Z'],
  ],
  ...[
    ['America/St_Johns', '2019-03-10T05:30:00Z'],
    ['Pacific/Kiritimati', '2019-12-31T10:00:00Z'],
  ],
] as const;

t.test('each period begins where PostgreSQL truncates to', async (t) => {
  const postgres = await openPostgresValues();
  t.teardown(() => postgres.close());
  const random = new Prng(SEED);
  const wrong: string[] = [];
  const instants = CHANGES.flatMap(([zone, change]) => [
    ...Array.from({ length: 18 }, () => [zone, seconds(change) + random.between(-90_000, 90_000)] as const),
    ...Array.from({ length: 6 }, () => [zone, random.between(0, 1_600_000_000)] as const),
  ]);
  for (const [zone, instant] of instants) {
    const period = random.pick(PERIODS);
    const date = `TIMESTAMPTZ '${plain(instant)}Z'`;
    const text = await postgres.valueOf(
      `extract(epoch FROM date_trunc('${period.slice(0, -1)}', ${date}, '${zone}'))::bigint`,
    );
    const found = calendar(zone, period).startOf(instant);
    if (String(found) !== text)
      wrong.push(`${zone} ${period} of ${plain(instant)}: ${plain(found)}, not ${text}`);
  }
  t.strictSame(wrong, []);
});

t.test('periods follow each other without a gap, and days may have 23 to 25 hours', async (t) => {
  const lengths = (zone: string, from: string, to: string): number[] => {
    const starts = calendar(zone, 'days').starts(seconds(from), seconds(to), 100) ?? [];
    return starts.slice(1).map((start, index) => (start - starts[index]) / 3_600);
  };
  t.strictSame(lengths('Europe/Berlin', '2020-03-28T12:00:00Z', '2020-03-30T12:00:00Z'), [24, 23, 24]);
  t.strictSame(lengths('Europe/Berlin', '2020-10-24T12:00:00Z', '2020-10-26T12:00:00Z'), [24, 25, 24]);
  t.strictSame(lengths('America/Sao_Paulo', '2018-11-03T12:00:00Z', '2018-11-05T12:00:00Z'), [24, 23, 24]);
  t.strictSame(lengths('Australia/Lord_Howe', '2019-10-05T12:00:00Z', '2019-10-06T12:00:00Z'), [24, 23.5]);
  const [from, to] = [seconds('2020-10-25T00:00:00Z'), seconds('2020-10-25T02:59:59Z')];
  const hours = calendar('Europe/Berlin', 'hours').starts(from, to, 10);
  t.strictSame(hours, [from, from + 3_600, from + 7_200, from + 10_800], 'a repeated hour is two periods');
  t.equal(calendar('UTC', 'days').starts(0, 86_400 * 10, 10), null, 'eleven days are too many');
  t.strictSame(calendar('UTC', 'days').starts(1, 0, 10), []);
});

t.test('weeks begin on the given day', async (t) => {
  const sunday = calendar('America/New_York', 'weeks', 6).startOf(seconds('2020-03-11T12:00:00Z'));
  t.equal(formatDateTime(sunday), '2020-03-08T05:00:00Z');
  const year = calendar('Asia/Kolkata', 'years').startOf(seconds('2019-12-31T20:00:00Z'));
  t.equal(formatDateTime(year), '2019-12-31T18:30:00Z', 'a year that begins before that of UTC');
});

t.test('the period of an instant is found by the starts', async (t) => {
  const starts = [-5, 0, 7, 8, 20];
  for (let instant = -5; instant < 20; instant++) {
    const wanted = starts.findIndex((start) => start > instant) - 1;
    t.equal(periodIndex(starts, instant), wanted, String(instant));
  }
});
