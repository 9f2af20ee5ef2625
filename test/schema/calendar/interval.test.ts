import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import {
  formatDateTime,
  formatInterval,
  intervalLength,
  intervalMonths,
  intervalSeconds,
  packInterval,
  readIntervalText,
} from '../../../src/schema/index.js';
import { openPostgresValues } from '../../support/sql/postgres-values.js';
import { differences } from '../../support/sql/same-as-postgres.js';
import { valueOfSql } from '../../support/sql/sql-value.js';

const SEED = 26_15;
t.comment(`seed ${SEED}`);

const plain = (seconds: number): string => formatDateTime(seconds).slice(0, -1).replace('T', ' ');
const timestamp = (sql: string): [string, string] => [
  `strftime(${sql}, '%Y-%m-%d %H:%M:%S')`,
  `to_char(${sql}, 'YYYY-MM-DD HH24:MI:SS')`,
];
/** PostgreSQL keeps hours beyond a day; here, a day is 24 hours. */
const interval = (sql: string): [string, string] => [
  `CAST(${sql} AS VARCHAR)`,
  `justify_hours(${sql})::text`,
];

t.test('stored intervals are ordered by length and keep months and seconds', async (t) => {
  const random = new Prng(SEED);
  const wrong: string[] = [];
  for (let round = 0; round < 20_000; round++) {
    const [months, seconds] = random.chance(0.5)
      ? [random.between(-131_071, 131_071), random.between(-(2 ** 39), 2 ** 39)]
      : [random.between(-30, 30), random.between(-200_000, 200_000)];
    const packed = packInterval(months, seconds);
    const length = months * 30 * 86_400 + seconds;
    const same =
      intervalMonths(packed) === months &&
      intervalSeconds(packed) === seconds &&
      intervalLength(packed) === length;
    const wide = typeof packed === 'bigint' ? packed : BigInt(packed);
    if (!same || intervalMonths(wide) !== months || intervalSeconds(wide) !== seconds)
      wrong.push(`${months} months ${seconds} s: ${packed}`);
    const longer = packInterval(months === 131_071 ? 0 : months + 1, months === 131_071 ? 2 ** 39 : seconds);
    if (longer <= packed) wrong.push(`${months} months ${seconds} s are not shorter than one month more`);
    const read = readIntervalText(formatInterval(packed));
    if (read?.months !== months || read.seconds !== seconds)
      wrong.push(`${formatInterval(packed)} is read as ${JSON.stringify(read)}`);
  }
  t.strictSame(wrong.slice(0, 5), []);
});

const LITERALS = [
  ...[
    "INTERVAL '1 year 2 months 3 days 04:05:06'",
    "INTERVAL '-1 year +2 days'",
    "INTERVAL '3' day",
    "INTERVAL '5 weeks'",
  ],
  ...[
    "INTERVAL '1 day ago'",
    "INTERVAL '@ 1 hour'",
    "INTERVAL '-04:05'",
    "INTERVAL 'P1Y2M3DT4H5M6S'",
    "INTERVAL '1.5 hours'",
  ],
  ...["INTERVAL '0 days'", "INTERVAL '13 months'", "INTERVAL '-1 day 02:03:04'", "INTERVAL '1 month -1 day'"],
  ...[
    "CAST('2 quarters' AS INTERVAL)".replace('2 quarters', '6 months'),
    "INTERVAL '1 decade'",
    "INTERVAL '100 seconds'",
  ],
];

t.test('intervals and their arithmetic are those of PostgreSQL', async (t) => {
  const postgres = await openPostgresValues();
  t.teardown(() => postgres.close());
  const random = new Prng(SEED + 1);
  const instant = (): string =>
    `TIMESTAMP '${plain(random.chance(0.8) ? random.between(-2_000_000_000, 4_000_000_000) : random.between(-60_000_000_000, 250_000_000_000))}'`;
  const literal = (): string => random.pick(LITERALS);
  const parts = ['year', 'month', 'day', 'quarter', 'decade', 'century'];
  const calls: [string, string][] = LITERALS.map((one) => interval(one));
  for (let round = 0; round < 60; round++) {
    calls.push(
      interval(`${literal()} ${random.pick(['+', '-'])} ${literal()}`),
      interval(`${literal()} * ${random.pick(['2', '3', '-1', '7', '0'])}`),
      interval(`-(${literal()})`),
      timestamp(
        `${instant()} ${random.pick(['+', '-'])} (${literal()} ${random.pick(['+', '-'])} ${literal()})`,
      ),
      timestamp(`${instant()} + ${literal()} * 2`),
      interval(`age(${instant()}, ${instant()})`),
      interval(`${instant()} - ${instant()}`),
      [`(${literal()}) ${random.pick(['<', '=', '>='])} (${literal()})`, ''],
      [`extract(${random.pick(parts)} FROM (${literal()} + ${literal()}))`, ''],
      [`extract(epoch FROM ${instant()} - ${instant()})`, ''],
    );
  }
  const same = calls.map(([ours, theirs]): [string, string] => {
    if (theirs !== '') return [ours, theirs];
    return ours.startsWith('extract') ? [ours, `(${ours})::int8`] : [ours, ours];
  });
  same.push(
    ["INTERVAL '1 month' = INTERVAL '30 days'", "INTERVAL '1 month' = INTERVAL '30 days'"],
    ["INTERVAL '1 month' IN (INTERVAL '30 days')", "INTERVAL '1 month' IN (INTERVAL '30 days')"],
    ["CAST('x' AS INTERVAL)", "CAST('x' AS INTERVAL)"],
    interval("age(TIMESTAMP '2024-03-31', TIMESTAMP '2024-02-29')"),
    interval("age(TIMESTAMP '2024-02-29', TIMESTAMP '2024-03-31')"),
    interval("age(TIMESTAMP '2023-03-01 00:00:00', TIMESTAMP '2023-01-31 00:00:01')"),
    interval('make_interval(1, 2, 3, 4, 5, 6, 7)'),
    interval("INTERVAL '1 month' / 2"),
    interval("INTERVAL '3 months' * 1.5"),
    interval("INTERVAL '49 months' / 49"),
    timestamp(
      "date_bin(INTERVAL '15 minutes', TIMESTAMP '2024-02-11 15:44:17', TIMESTAMP '2001-01-01 00:02:30')",
    ),
    timestamp("date_bin(INTERVAL '7 days', TIMESTAMP '1999-02-11 15:44:17', TIMESTAMP '2001-01-01')"),
    timestamp("TIMESTAMP '2024-01-31' + CAST('1 month' AS INTERVAL)"),
    timestamp("'7 days'::interval + TIMESTAMP '2024-01-31'"),
  );
  t.strictSame(await differences(postgres, same), []);
});

t.test('intervals are refused where PostgreSQL would give them no meaning', async (t) => {
  for (const [sql, message] of [
    ["INTERVAL '1 day' - DATE '2024-01-01'", 'date cannot be subtracted from an interval'],
    ["2 / INTERVAL '1 day'", 'a number cannot be divided by an interval'],
    ["INTERVAL '1 day' * 'x'", '"x" cannot be read as'],
    ["INTERVAL '1 day' + 1", 'no common type'],
    ["INTERVAL '1.5 seconds'", 'in whole seconds'],
    ["INTERVAL '20000 years'", 'longer than 10,922 years'],
    ["extract(week FROM INTERVAL '1 day')", 'an interval has no week'],
    ["DATE '9999-12-31' + (INTERVAL '1 day' + INTERVAL '1 day')", 'outside the years'],
    ["date_bin(INTERVAL '0 days', now(), now())", 'the width of a bin is greater than 0'],
    ["ABS(INTERVAL '1 day')", 'ABS(number) takes a number here, not interval'],
    ["to_char(INTERVAL '1 day', 'HH24')", 'TO_CHAR takes a date or a number, not interval'],
  ]) {
    const value = JSON.stringify(valueOfSql(sql), (_, part) =>
      typeof part === 'bigint' ? String(part) : part,
    );
    t.ok(value?.includes(JSON.stringify(message).slice(1, -1)), `${sql}: ${value}`);
  }
});
