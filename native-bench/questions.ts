/**
 * The questions of the counts line, each in four variants of similar selectivity: as a request, as SQL (the same text for
 * DuckDB and ClickHouse, over the tables of peers/), and as a loop over generated people.
 * Invariant: the three forms agree for every person; each answer is compared with that of the loop.
 */
import { formatDateTime, SECONDS_PER_DAY } from '../src/schema/index.js';
import {
  countryName,
  type EventColumn,
  type PeopleBlock,
  pageName,
  YEAR_START_SECONDS,
} from './data/people.js';

export interface Variant {
  /** Body of POST /v1/query/count/entity; the query is named "q". */
  readonly body: string;
  /** SQL whose result is one number. */
  readonly sql: string;
  /** Whether person `index` of the block is counted. */
  readonly counts: (block: PeopleBlock, index: number) => boolean;
}

export interface Question {
  readonly name: string;
  readonly text: string;
  /** Goal for p50 over the full data, if there is one. */
  readonly wantedMs: number | null;
  /** Bytes per entity that a scan of the attribute columns must read; null where events are read too. */
  readonly scannedBytesPerEntity: number | null;
  readonly variants: readonly Variant[];
}

/** A time range, including both ends. */
interface Window {
  readonly from: number;
  readonly to: number;
}

export const VARIANT_COUNT = 4;
/** Stored size: a byte for a country's code and for an age, and one validity bit each. */
const COUNTRY_BYTES = 1;
const AGE_BYTES = 1 + 1 / 8;
const ACTIVE_BYTES = 2 / 8;
const INCOME_BYTES = 4 + 1 / 8;
const DATE_BYTES = 4 + 1 / 8;
const POINT_BYTES = 16 + 1 / 8;

const days = (first: number, count: number): Window => ({
  from: YEAR_START_SECONDS + first * SECONDS_PER_DAY,
  to: YEAR_START_SECONDS + (first + count) * SECONDS_PER_DAY - 1,
});

const between = ({ from, to }: Window): string[] => [formatDateTime(from), formatDateTime(to)];
const sqlTimestamp = (seconds: number): string =>
  `'${formatDateTime(seconds).replace('T', ' ').replace('Z', '')}'`;
const sqlBetween = ({ from, to }: Window): string =>
  `date BETWEEN ${sqlTimestamp(from)} AND ${sqlTimestamp(to)}`;

/** Number of events of person `index` in the window whose value satisfies the test. */
function eventCount(
  { offsets, values, dates }: EventColumn,
  index: number,
  { from, to }: Window,
  passes: (value: number) => boolean,
): number {
  let count = 0;
  for (let at = offsets[index]; at < offsets[index + 1]; at++) {
    if (dates[at] >= from && dates[at] <= to && passes(values[at])) count++;
  }
  return count;
}

const request = (...query: unknown[]): string =>
  JSON.stringify([{ 'query-name': 'q', query, 'bypass-cache': true }]);
const variants = (of: (variant: number) => Variant): readonly Variant[] =>
  Array.from({ length: VARIANT_COUNT }, (_, variant) => of(variant));

const stringEquality: Question = {
  name: 'string equality',
  text: 'country = c',
  wantedMs: 2,
  scannedBytesPerEntity: COUNTRY_BYTES,
  variants: variants((variant) => {
    const country = 2 + variant;
    return {
      body: request({ country: { equals: countryName(country) } }),
      sql: `SELECT count(*) FROM people WHERE country = '${countryName(country)}'`,
      counts: (block, index) => block.country[index] === country,
    };
  }),
};

const threeConditions: Question = {
  name: 'three conditions',
  text: 'country = c AND age in [a, a + 19] AND active',
  wantedMs: 5,
  scannedBytesPerEntity: COUNTRY_BYTES + AGE_BYTES + ACTIVE_BYTES,
  variants: variants((variant) => {
    const country = 2 + variant;
    const [low, high] = [25 + 5 * variant, 44 + 5 * variant];
    return {
      body: request(
        { country: { equals: countryName(country) } },
        'and',
        { age: { range: [low, high] } },
        'and',
        {
          active: { equals: true },
        },
      ),
      sql: `SELECT count(*) FROM people WHERE country = '${countryName(country)}' AND age BETWEEN ${low} AND ${high} AND active = true`,
      counts: (block, index) =>
        block.country[index] === country &&
        block.age[index] >= low &&
        block.age[index] <= high &&
        block.active[index] === 1,
    };
  }),
};

const eventInWeek: Question = {
  name: 'event in a week',
  text: 'visit = p within 7 days',
  wantedMs: 10,
  scannedBytesPerEntity: null,
  variants: variants((variant) => {
    const page = 4 + variant;
    const week = days(60 + 70 * variant, 7);
    return {
      body: request({ visit: { equals: pageName(page), between: between(week) } }),
      sql: `SELECT count(DISTINCT id) FROM visit WHERE value = '${pageName(page)}' AND ${sqlBetween(week)}`,
      counts: (block, index) => eventCount(block.visit, index, week, (value) => value === page) > 0,
    };
  }),
};

const atLeastThree: Question = {
  name: 'at least 3 times',
  text: 'purchase >= 5 at least 3 times within half a year',
  wantedMs: null,
  scannedBytesPerEntity: null,
  variants: variants((variant) => {
    const half = days(30 * variant, 183);
    return {
      body: request({ purchase: { gte: 5, between: between(half), minfreq: 3 } }),
      sql: `SELECT count(*) FROM (SELECT id FROM purchase WHERE value >= 5 AND ${sqlBetween(half)} GROUP BY id HAVING count(*) >= 3) AS often`,
      counts: (block, index) => eventCount(block.purchase, index, half, (value) => value >= 5) >= 3,
    };
  }),
};

/** `not` of an event condition is false for people without events; in SQL the column has_visit expresses that. */
const segment: Question = {
  name: 'attribute AND event AND NOT',
  text: 'country = c AND purchase > 10 within 30 days AND NOT visit = p0 within 90 days',
  wantedMs: null,
  scannedBytesPerEntity: null,
  variants: variants((variant) => {
    const country = variant;
    const [month, quarter] = [days(50 + 60 * variant, 30), days(30 + 60 * variant, 90)];
    return {
      body: request(
        { country: { equals: countryName(country) } },
        'and',
        { purchase: { gt: 10, between: between(month) } },
        'and',
        ['not', { visit: { equals: pageName(0), between: between(quarter) } }],
      ),
      sql: `SELECT count(*) FROM people WHERE country = '${countryName(country)}' AND has_visit = true
        AND id IN (SELECT id FROM purchase WHERE value > 10 AND ${sqlBetween(month)})
        AND id NOT IN (SELECT id FROM visit WHERE value = '${pageName(0)}' AND ${sqlBetween(quarter)})`,
      counts: (block, index) =>
        block.country[index] === country &&
        eventCount(block.purchase, index, month, (value) => value > 10) > 0 &&
        block.visit.offsets[index + 1] > block.visit.offsets[index] &&
        eventCount(block.visit, index, quarter, (value) => value === 0) === 0,
    };
  }),
};

const integerRange: Question = {
  name: 'integer range',
  text: 'age in [a, a + 19]',
  wantedMs: null,
  scannedBytesPerEntity: AGE_BYTES,
  variants: variants((variant) => {
    const [low, high] = [25 + 5 * variant, 44 + 5 * variant];
    return {
      body: request({ age: { range: [low, high] } }),
      sql: `SELECT count(*) FROM people WHERE age BETWEEN ${low} AND ${high}`,
      counts: ({ age }, index) => age[index] >= low && age[index] <= high,
    };
  }),
};

const decimalAbove: Question = {
  name: 'decimal above',
  text: 'income > x',
  wantedMs: null,
  scannedBytesPerEntity: INCOME_BYTES,
  variants: variants((variant) => {
    const least = 7_000 + 500 * variant;
    return {
      body: request({ income: { gt: least } }),
      sql: `SELECT count(*) FROM people WHERE income > ${least}`,
      counts: ({ income }, index) => income[index] > least * 100,
    };
  }),
};

const dateRange: Question = {
  name: 'date range',
  text: 'born within ten years',
  wantedMs: null,
  scannedBytesPerEntity: DATE_BYTES,
  variants: variants((variant) => {
    const [from, to] = [`${1950 + 10 * variant}-01-01`, `${1959 + 10 * variant}-12-31`];
    const [first, last] = [from, to].map((date) => Date.parse(date) / 1000 / SECONDS_PER_DAY);
    return {
      body: request({ born: { gte: from, lte: to } }),
      sql: `SELECT count(*) FROM people WHERE born BETWEEN '${from}' AND '${to}'`,
      counts: ({ born }, index) => born[index] >= first && born[index] <= last,
    };
  }),
};

const truth: Question = {
  name: 'boolean and string',
  text: 'active AND country = c',
  wantedMs: null,
  scannedBytesPerEntity: COUNTRY_BYTES + ACTIVE_BYTES,
  variants: variants((variant) => {
    const country = variant;
    return {
      body: request({ active: { equals: true } }, 'and', { country: { equals: countryName(country) } }),
      sql: `SELECT count(*) FROM people WHERE active = true AND country = '${countryName(country)}'`,
      counts: (block, index) => block.active[index] === 1 && block.country[index] === country,
    };
  }),
};

const box: Question = {
  name: 'box over points',
  text: 'home in a box of 45 by 30 degrees',
  wantedMs: null,
  scannedBytesPerEntity: POINT_BYTES,
  variants: variants((variant) => {
    const [west, south] = [-10 + 20 * variant, 20 + 5 * variant];
    const [east, north] = [west + 45, south + 30];
    const corner = (longitude: number, latitude: number): object => ({ longitude, latitude });
    const sides = { 'lower-left': corner(west, south), 'upper-right': corner(east, north) };
    return {
      body: request({ home: { geo_bounding_box: sides } }),
      sql: `SELECT count(*) FROM people WHERE longitude BETWEEN ${west} AND ${east} AND latitude BETWEEN ${south} AND ${north}`,
      counts: ({ longitude, latitude }, index) =>
        longitude[index] >= west * 10_000 &&
        longitude[index] <= east * 10_000 &&
        latitude[index] >= south * 10_000 &&
        latitude[index] <= north * 10_000,
    };
  }),
};

export const QUESTIONS: readonly Question[] = [
  stringEquality,
  integerRange,
  decimalAbove,
  dateRange,
  truth,
  box,
  threeConditions,
  eventInWeek,
  atLeastThree,
  segment,
];
