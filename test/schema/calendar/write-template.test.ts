import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { formatDateTime } from '../../../src/schema/index.js';
import { openPostgresValues } from '../../support/sql/postgres-values.js';
import { differences } from '../../support/sql/same-as-postgres.js';
import { quotedSql, valueOfSql } from '../../support/sql/sql-value.js';

const SEED = 26_12;
t.comment(`seed ${SEED}`);

const TEMPLATES = [
  ...[
    'HH24',
    'HH12',
    'HH',
    'MI',
    'SS',
    'MS',
    'US',
    'SSSS',
    'SSSSS',
    'AM',
    'pm',
    'a.m.',
    'P.M.',
    'FF1',
    'FF6',
  ],
  ...['Y,YYY', 'YYYY', 'YYY', 'YY', 'Y', 'IYYY', 'IYY', 'IY', 'I', 'yyyy', 'BC', 'a.d.', 'CC', 'J', 'Q'],
  ...[
    'MONTH',
    'Month',
    'month',
    'MON',
    'Mon',
    'mon',
    'MM',
    'DAY',
    'Day',
    'day',
    'DY',
    'Dy',
    'dy',
    'DDD',
    'IDDD',
  ],
  ...['DD', 'D', 'ID', 'W', 'WW', 'IW', 'RM', 'rm', 'TZ', 'tz', 'TZH', 'TZM', 'OF'],
];
const LITERALS = ['-', ' ', '/', ', ', '"Quarter "', '"a\\"b"', '\\"', '日', 'x', '.', ''];

/** An instant of the years 1 to 9999. */
function instant(random: Prng): number {
  return random.chance(0.7)
    ? random.between(-2_000_000_000, 4_000_000_000)
    : random.between(-62_000_000_000, 253_000_000_000);
}

const literalOf = (seconds: number): string => `TIMESTAMPTZ '${formatDateTime(seconds)}'`;

t.test('TO_CHAR of dates writes what PostgreSQL writes', async (t) => {
  const postgres = await openPostgresValues();
  t.teardown(() => postgres.close());
  const random = new Prng(SEED);
  const template = (): string =>
    Array.from({ length: random.between(1, 5) }, () => {
      const pattern = `${random.chance(0.2) ? 'FM' : ''}${random.pick(TEMPLATES)}`;
      return `${pattern}${random.pick(['', '', '', 'TH', 'th'])}${random.pick(LITERALS)}`;
    }).join('');
  const calls = Array.from(
    { length: 400 },
    () => `to_char(${literalOf(instant(random))}, ${quotedSql(template())})`,
  );
  const alone = TEMPLATES.flatMap((pattern) => [pattern, `FM${pattern}`, `${pattern}TH`, `${pattern}th`]).map(
    (pattern) => `to_char(TIMESTAMPTZ '2024-08-03T00:07:09Z', '${pattern}')`,
  );
  t.strictSame(await differences(postgres, [...alone, ...calls]), []);
});

const READ_TEMPLATES = [
  ...['YYYY-MM-DD', 'DD.MM.YYYY', 'YYYYMMDD', 'FMDD FMMonth YYYY', 'Mon DD, YYYY', 'YYYY-DDD', 'IYYY-IW-ID'],
  ...['YYYY-MM-DD HH24:MI:SS', 'YYYYMMDDHH24MISS', 'MM/DD/YYYY HH12:MI:SS AM', 'YYYY-MM-DD"T"HH24:MI:SS'],
  ...[
    'Y,YYY MM DD',
    'J',
    'DDth Mon YYYY',
    'YYYY-MM-DD SSSSS',
    'YYYY-MM-DD HH:MI:SS P.M.',
    'FMDay, DD MON YYYY',
  ],
];

t.test('TO_TIMESTAMP and TO_DATE read the texts that TO_CHAR writes, as PostgreSQL does', async (t) => {
  const postgres = await openPostgresValues();
  t.teardown(() => postgres.close());
  const random = new Prng(SEED + 1);
  const pairs = Array.from({ length: 300 }, (): [string, string] => {
    const template = quotedSql(random.pick(READ_TEMPLATES));
    const text = quotedSql(String(valueOfSql(`to_char(${literalOf(instant(random))}, ${template})`)));
    const [ours, theirs] = [`to_timestamp(${text}, ${template})`, `to_timestamp(${text}, ${template})`];
    return [`strftime(${ours}, '%Y-%m-%d %H:%M:%S')`, `to_char(${theirs}, 'YYYY-MM-DD HH24:MI:SS')`];
  });
  t.strictSame(await differences(postgres, pairs), []);
  const dates = [
    ["'2026/11/26'", "'YYYY-MM-DD'"],
    ["'26 nov 2026'", "'DD Mon YYYY'"],
    ["'26  NOVEMBER 2026'", "'DD Month YYYY'"],
    ["'26-11-26'", "'YY-MM-DD'"],
    ["'70-01-02'", "'YY-MM-DD'"],
    ["'69-01-02'", "'YY-MM-DD'"],
    ["'2026-02-30'", "'YYYY-MM-DD'"],
    ["'2026-13-01'", "'YYYY-MM-DD'"],
    ["'2023-366'", "'YYYY-DDD'"],
    ["'2024-366'", "'YYYY-DDD'"],
    ["'1st Jan 2024'", "'DDth Mon YYYY'"],
    ['NULL', "'YYYY'"],
  ].map(([text, template]) => `CAST(to_date(${text}, ${template}) AS VARCHAR)`);
  t.strictSame(await differences(postgres, dates), []);
});

t.test('texts that do not match a template, and templates without a date, are refused', async (t) => {
  const refusals: readonly (readonly [string, string])[] = [
    ["to_date('2026-11-26 x', 'YYYY-MM-DD')", '"2026-11-26 x" does not match the format "YYYY-MM-DD"'],
    ["to_date('x', 'YYYY-MM-DD')", '"x" does not match the format "YYYY-MM-DD"'],
    [
      "to_timestamp('2026-11-26 24:00', 'YYYY-MM-DD HH24:MI')",
      '"2026-11-26 24:00" is not a date of the years 0000 to 9999 in the format "YYYY-MM-DD HH24:MI"',
    ],
    ["to_date('11', 'MM')", 'the format "MM" must contain exactly one year: YYYY, YY, IYYY or J'],
    ["to_date('1 1', 'MM MM')", 'the format "MM MM" reads the month twice'],
    ["to_date('2026 1', 'YYYY IW')", 'the format "YYYY IW" has ISO weeks without their year IYYY'],
    ["strptime('2026', '%Q')", 'there is no specifier "%Q" here'],
    ["strptime('26.11.2026', '%Y-%m-%d')", '"26.11.2026" does not match the format "%Y-%m-%d"'],
    ["to_char(DATE '2026-01-01' AT TIME ZONE 'UTC', 'YYYY TZ')", 'the format "YYYY TZ" writes a zone'],
  ];
  for (const [sql, message] of refusals) {
    const value = valueOfSql(sql);
    t.ok(
      JSON.stringify(value)?.includes(JSON.stringify(message).slice(1, -1)),
      `${sql}: ${JSON.stringify(value)}`,
    );
  }
  t.equal(valueOfSql("try_strptime('26.11.2026', '%Y-%m-%d')"), null);
});

async function duckValues(connection: DuckDBConnection, expressions: readonly string[]): Promise<unknown[]> {
  const columns = expressions.map((expression, index) => `CAST(${expression} AS VARCHAR) AS c${index}`);
  const reader = await connection.runAndReadAll(`SELECT ${columns.join(', ')}`);
  return reader.getColumnsJson().map(([value]) => value);
}

const SPECIFIERS = [...'aAwudbBmyYHIpMSjUWcxXVG%'].map((letter) => `%${letter}`);
SPECIFIERS.push('%-d', '%-m', '%-y', '%-H', '%-I', '%-M', '%-S', '%-j', '%f', '%g', '日', ' ', '-');

t.test('STRFTIME and STRPTIME work as in DuckDB', async (t) => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  t.teardown(() => connection.closeSync());
  const random = new Prng(SEED + 2);
  const calls = Array.from({ length: 200 }, () => {
    const format = Array.from({ length: random.between(1, 5) }, () => random.pick(SPECIFIERS)).join('');
    return `strftime(TIMESTAMP '${formatDateTime(instant(random)).slice(0, -1)}', ${quotedSql(format)})`;
  });
  const formats = [
    '%Y-%m-%d %H:%M:%S',
    '%d.%m.%y',
    '%d %B %Y %I:%M %p',
    '%a %b %-d %Y',
    '%Y%m%d',
    '%Y-%j',
    '%c',
    '%x %X',
  ];
  const read = Array.from({ length: 200 }, () => {
    const format = quotedSql(random.pick(formats));
    const text = quotedSql(
      String(valueOfSql(`strftime(${literalOf(random.between(0, 1_600_000_000))}, ${format})`)),
    );
    return `strftime(strptime(${text}, ${format}), '%Y-%m-%d %H:%M:%S')`;
  });
  const names = ['dayname', 'monthname', 'yearweek', 'isoyear', 'isodow', 'decade', 'epoch_ms'].map(
    (name) => `CAST(${name}(TIMESTAMP '2027-01-03 10:11:12') AS VARCHAR)`,
  );
  const all = [...calls, ...read, ...names];
  const expected = await duckValues(connection, all);
  const wrong = all.flatMap((sql, index) => {
    const value = valueOfSql(sql);
    return value === expected[index] ? [] : [`${sql}: ${JSON.stringify(value)}, DuckDB: ${expected[index]}`];
  });
  t.strictSame(wrong.slice(0, 10), []);
});
