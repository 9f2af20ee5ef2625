import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { formatDateTime, ZoneOffsets } from '../../../src/schema/index.js';
import { openPostgresValues } from '../../support/sql/postgres-values.js';
import { differences } from '../../support/sql/same-as-postgres.js';
import { valueOfSql } from '../../support/sql/sql-value.js';

const SEED = 26_13;
t.comment(`seed ${SEED}`);

const ZONES = [
  ...[
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'Asia/Tehran',
  ],
  ...[
    'America/Sao_Paulo',
    'Pacific/Apia',
    'Asia/Kathmandu',
    'Europe/Dublin',
    'Europe/Moscow',
    'Antarctica/Troll',
  ],
  ...[
    'UTC',
    'Etc/GMT+5',
    'America/St_Johns',
    'Pacific/Kiritimati',
    'Africa/Cairo',
    'Asia/Gaza',
    'europe/berlin',
  ],
];

const written = (sql: string): [string, string] => [
  `strftime(${sql}, '%Y-%m-%d %H:%M:%S')`,
  `to_char(${sql}, 'YYYY-MM-DD HH24:MI:SS')`,
];
const plain = (seconds: number): string => formatDateTime(seconds).slice(0, -1).replace('T', ' ');

t.test('AT TIME ZONE gives local times and instants as in PostgreSQL', async (t) => {
  const postgres = await openPostgresValues();
  t.teardown(() => postgres.close());
  const random = new Prng(SEED);
  const instants = Array.from({ length: 700 }, () => {
    // PostgreSQL's build here and the runtime may have rules of different years: no dates in the near past and the future.
    const seconds = random.between(-2_000_000_000, 1_600_000_000);
    const zone = random.pick(ZONES);
    return random.chance(0.5)
      ? written(`TIMESTAMPTZ '${plain(seconds)}Z' AT TIME ZONE '${zone}'`)
      : written(`TIMESTAMP '${plain(seconds)}' AT TIME ZONE '${zone}'`);
  });
  // Hours around the transitions of several years.
  const transitions = [
    ...['2019-03-31 01:00:00', '2019-10-27 01:00:00', '2020-03-08 07:00:00', '2020-11-01 06:00:00'],
    ...['2011-12-30 10:00:00', '2018-10-06 15:30:00', '2014-10-25 22:00:00', '1945-04-02 01:00:00'],
  ];
  const around = transitions.flatMap((text) =>
    ['Europe/Berlin', 'America/New_York', 'Pacific/Apia', 'Australia/Lord_Howe', 'Europe/Moscow'].flatMap(
      (zone) =>
        Array.from({ length: 13 }, (_, step) => {
          const seconds = Date.parse(`${text.replace(' ', 'T')}Z`) / 1_000 + (step - 6) * 1_799;
          return [
            written(`TIMESTAMPTZ '${plain(seconds)}Z' AT TIME ZONE '${zone}'`),
            written(`TIMESTAMP '${plain(seconds + 3_600)}' AT TIME ZONE '${zone}'`),
          ];
        }).flat(),
    ),
  );
  const forms = [
    written("TIMESTAMPTZ '2020-07-01 12:00:00Z' AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin'"),
    written("timezone('Europe/Berlin', TIMESTAMP '2020-07-01 12:00:00')"),
    written("timezone('Europe/Berlin', TIMESTAMPTZ '2020-07-01 12:00:00Z')"),
    written("(TIMESTAMP '2020-07-01 12:00:00' + INTERVAL '1 day') AT TIME ZONE 'Europe/Berlin'"),
    written("make_timestamp(2020, 7, 1, 12, 0, 0) AT TIME ZONE 'Europe/Berlin'"),
    written("make_timestamptz(2020, 7, 1, 12, 0, 0, 'Europe/Berlin')"),
    written("date_trunc('day', TIMESTAMPTZ '2020-07-01 23:00:00Z', 'Europe/Berlin')"),
    written("date_trunc('month', TIMESTAMPTZ '2020-03-31 23:00:00Z', 'Asia/Kolkata')"),
    written("TIMESTAMPTZ '2020-07-01 12:00:00Z' AT TIME ZONE 'nowhere'"),
    written("TIMESTAMPTZ '2020-07-01 12:00:00Z' AT TIME ZONE NULL"),
  ];
  t.strictSame(await differences(postgres, [...instants, ...around, ...forms]), []);
});

t.test('offsets equal those of the runtime at every hour of several years', async (t) => {
  const wrong: string[] = [];
  for (const zone of ['Europe/Berlin', 'Africa/Casablanca', 'Australia/Lord_Howe', 'Asia/Pyongyang']) {
    const format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    const offsets = new ZoneOffsets(zone);
    for (const year of [1_900, 2_018, 2_037, 2_090]) {
      const begin = Date.UTC(year, 0, 1) / 1_000;
      for (let seconds = begin; seconds < begin + 366 * 86_400; seconds += 3_600) {
        const shown = format.format(seconds * 1_000);
        const found = formatDateTime(offsets.localOf(seconds)).slice(0, -1).replace('T', ' ');
        if (shown !== found) wrong.push(`${zone} ${seconds}: ${found}, Intl: ${shown}`);
      }
    }
  }
  t.strictSame(wrong.slice(0, 5), []);
});

t.test('offsets exist for all years, and rules repeat after 400 years', async (t) => {
  const offsets = new ZoneOffsets('Europe/Berlin');
  const at = (text: string): number => offsets.at(Date.parse(text) / 1_000);
  t.equal(at('0000-01-01T00:00:00Z'), 3_208, 'the local mean time of Berlin');
  t.equal(at('1700-07-01T00:00:00Z'), 3_208);
  t.equal(at('9999-07-01T00:00:00Z'), 7_200);
  t.equal(at('9999-12-31T23:59:59Z'), 3_600);
  t.match(valueOfSql("TIMESTAMPTZ '9999-12-31 23:30:00Z' AT TIME ZONE 'Asia/Tokyo'"), {
    refused: 'a date is outside the years 0000 to 9999',
  });
});

t.test('zones that are not names are refused', async (t) => {
  for (const [zone, message] of [
    ['+02:00', "is not a time zone; write its name, such as 'Europe/Berlin'"],
    ['CET', 'can be a fixed offset or a zone with summer time'],
    ['Europe/Atlantis', 'is not a time zone that is known here'],
  ]) {
    const value = valueOfSql(`now() AT TIME ZONE '${zone}'`);
    t.ok(JSON.stringify(value).includes(message), JSON.stringify(value));
  }
});
