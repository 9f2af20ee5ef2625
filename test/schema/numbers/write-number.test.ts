import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { openPostgresValues } from '../../support/sql/postgres-values.js';
import { differences } from '../../support/sql/same-as-postgres.js';

const SEED = 26_14;
t.comment(`seed ${SEED}`);

/** The examples of PostgreSQL's documentation, and other edges. */
const EXAMPLES: readonly (readonly [string, string])[] = [
  ...([
    ['-0.1', '99.99'],
    ['-0.1', 'FM9.99'],
    ['-0.1', 'FM90.99'],
    ['0.1', '0.9'],
    ['12', '9990999.9'],
  ] as const),
  ...([
    ['12', 'FM9990999.9'],
    ['485', '999'],
    ['-485', '999'],
    ['485', '9 9 9'],
    ['1485', '9,999'],
  ] as const),
  ...([
    ['1485', '9G999'],
    ['148.5', '999.999'],
    ['148.5', 'FM999.999'],
    ['148.5', 'FM999.990'],
  ] as const),
  ...([
    ['148.5', '999D999'],
    ['3148.5', '9G999D999'],
    ['-485', '999S'],
    ['-485', '999MI'],
    ['485', '999MI'],
  ] as const),
  ...([
    ['485', 'FM999MI'],
    ['485', 'PL999'],
    ['485', 'SG999'],
    ['-485', 'SG999'],
    ['-485', '9SG99'],
  ] as const),
  ...([
    ['-485', '999PR'],
    ['485', '999PR'],
    ['485', 'L999'],
    ['485', 'RN'],
    ['485', 'FMRN'],
    ['5.2', 'FMRN'],
  ] as const),
  ...([
    ['482', '999th'],
    ['485', '"Good number:"999'],
    ['12', '99V999'],
    ['12.4', '99V999'],
  ] as const),
  ...([
    ['12.45', '99V9'],
    ['485.8', '"Pre:"999" Post:" .999'],
    ['0', '9.9'],
    ['0', 'FM9.9'],
    ['0', '999'],
  ] as const),
  ...([
    ['12345', '999'],
    ['0', 'FM999'],
    ['1', 'S9'],
    ['-1', 'S9'],
    ['4000', 'RN'],
    ['0', 'RN'],
    ['0.5', '9.9'],
  ] as const),
  ...([
    ['1234567.891', 'FM9,999,999.00'],
    ['1000', '9.9.9'],
    ['1', 'SMI9'],
    ['-7', 'PL9'],
  ] as const),
];
const PARTS = ['9', '9', '99', '999', '0', '00', '9,', '0,', '9G', ' ', '"a"', '-'];

t.test('TO_CHAR of numbers writes what PostgreSQL writes', async (t) => {
  const postgres = await openPostgresValues();
  t.teardown(() => postgres.close());
  const random = new Prng(SEED);
  const template = (): string => {
    const parts = (most: number): string =>
      Array.from({ length: random.between(1, most) }, () => random.pick(PARTS)).join('');
    const whole = `9${parts(4)}${random.chance(0.5) ? `${random.pick(['.9', 'D0', '.'])}${parts(2).replace(/[,G]/g, '')}` : ''}`;
    const sign = random.pick(['', '', '', 'S', 'MI', 'PL', 'SG', 'PR']);
    const signed = sign !== 'PR' && random.chance(0.4) ? sign + whole : whole + sign;
    return `${random.chance(0.4) ? 'FM' : ''}${signed}${random.chance(0.1) ? 'th' : ''}`;
  };
  /** A point with other text but no digit after it is refused here; PostgreSQL cuts the result. */
  const isCut = (call: string): boolean => /[.D][^09']+'/.test(call);
  const number = (): string => {
    const digits = String(random.between(0, 10 ** random.between(0, 9)));
    const fraction = random.chance(0.6) ? `.${random.between(0, 9_999)}` : '';
    return `${random.chance(0.4) ? '-' : ''}${digits}${fraction}`;
  };
  const calls = [
    ...EXAMPLES.map(([value, pattern]) => `to_char(${value}, '${pattern}')`),
    ...Array.from({ length: 600 }, () => `to_char(${number()}, '${template()}')`),
    ...Array.from({ length: 200 }, () => `to_char(CAST(${number()} AS DOUBLE PRECISION), '${template()}')`),
  ];
  t.strictSame(
    await differences(
      postgres,
      calls.filter((call) => !isCut(call)),
    ),
    [],
  );
});

t.test('TO_NUMBER reads what TO_CHAR writes', async (t) => {
  const postgres = await openPostgresValues();
  t.teardown(() => postgres.close());
  const cases = [
    ...([
      ["'12,454.8-'", '99G999D9S'],
      ["'1,234'", '9,999'],
      ["'-34,338,492'", '99G999G999'],
    ] as const),
    ...([
      ["'<564646.654564>'", '999999.999999PR'],
      ["' 42'", '999'],
      ["'0.5'", '9.9'],
      ["'.5'", '9.9'],
    ] as const),
    ...([
      ["'-0001'", 'S0000'],
      ["'5.01-'", 'FM9.999999MI'],
      ["'$1,234.56'", 'L9,999.99'],
    ] as const),
  ];
  const calls = cases.map(([text, template]): [string, string] => [
    `TO_NUMBER(${text}, '${template}') = TO_NUMBER(${text}, '${template}')`,
    `TO_NUMBER(${text}, '${template}') = TO_NUMBER(${text}, '${template}')`,
  ]);
  t.strictSame(await differences(postgres, calls), []);
  const values = cases.map(([text, template]): [string, string] => [
    `CAST(CAST(TO_NUMBER(${text}, '${template}') AS DOUBLE) AS VARCHAR)`,
    `CASE WHEN CAST(TO_NUMBER(${text}, '${template}') AS float8)::text LIKE '%.%' THEN CAST(TO_NUMBER(${text}, '${template}') AS float8)::text ELSE CAST(TO_NUMBER(${text}, '${template}') AS float8)::text || '.0' END`,
  ]);
  t.strictSame(await differences(postgres, values), []);
});
