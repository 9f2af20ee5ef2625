/**
 * The questions of the queries line: requests to all other query endpoints, the same as SQL for the tables of peers/, and
 * the expected answers, computed by loops over the generated people.
 * Invariant: a judge walks the people in blocks and shares no code with the server except the formats of dates.
 */
import { formatDateTime, SECONDS_PER_DAY } from '../src/schema/index.js';
import {
  BLOCK_ENTITIES,
  cityName,
  countryName,
  type EventColumn,
  entityId,
  type PeopleBlock,
  pageName,
  YEAR_START_SECONDS,
} from './data/people.js';

export interface QueryQuestion {
  readonly name: string;
  readonly text: string;
  /** Goal for p50 over 10 million entities, in milliseconds. */
  readonly wantedMs: number | null;
  readonly path: string;
  readonly body: object;
  /** The SQL for the other databases; the first number of its result is `first` of Judge. */
  readonly peerSql: string;
  /** Walks all people once, then describes the error in an answer; null = none. */
  readonly judge: () => Judge;
}

export interface Judge {
  see(block: PeopleBlock): void;
  /** Describes the error in `answer`, the parsed body; null = none. */
  fault(answer: unknown): string | null;
  /** The first number that the other databases answer. */
  first(): number;
}

type Row = Readonly<Record<string, unknown>>;

const WEEK = [60, 67].map((day) => YEAR_START_SECONDS + day * SECONDS_PER_DAY) as [number, number];
const YEAR = [YEAR_START_SECONDS, YEAR_START_SECONDS + 366 * SECONDS_PER_DAY - 1] as const;
const between = ([from, to]: readonly [number, number]): string[] => [
  formatDateTime(from),
  formatDateTime(to),
];
const BYPASS = { 'bypass-cache': true } as const;
const sqlRange = (window: readonly [number, number]): string =>
  between(window)
    .map((timestamp) => `'${timestamp.replace('T', ' ').replace('Z', '')}'`)
    .join(' AND ');

/** A judge that compares the answer's `result` with the result of a walk over the people. */
function wanting<State, Result>(
  state: State,
  see: (state: State, block: PeopleBlock) => void,
  result: (state: State) => Result,
  first: (result: Result, state: State) => number,
): Judge {
  return {
    see: (block) => see(state, block),
    first: () => first(result(state), state),
    fault: (answer) => {
      const found = JSON.stringify((answer as { result: unknown }).result);
      const wanted = JSON.stringify(result(state));
      return found === wanted ? null : `${found.slice(0, 1_000)} instead of ${wanted.slice(0, 1_000)}`;
    },
  };
}

/** Distinct values of person `index` among their events within the window. */
function valuesWithin(
  { offsets, values, dates }: EventColumn,
  index: number,
  [from, to]: readonly number[],
): Set<number> {
  const found = new Set<number>();
  for (let at = offsets[index]; at < offsets[index + 1]; at++) {
    if (dates[at] >= from && dates[at] <= to) found.add(values[at]);
  }
  return found;
}

const add = <Key>(counts: Map<Key, number>, key: Key): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

/** The `limit` values with the most entities, ties by text; values are ASCII. */
function top<Key>(counts: ReadonlyMap<Key, number>, limit: number, textOf: (key: Key) => string) {
  return [...counts]
    .map(([key, quantity]) => ({ key, quantity, value: textOf(key) }))
    .sort((a, b) => b.quantity - a.quantity || (a.value < b.value ? -1 : 1))
    .slice(0, limit);
}

const eventCount: QueryQuestion = {
  name: 'events of a value in a week',
  text: 'count/event: visit = p4 within 7 days',
  wantedMs: 5,
  path: '/v1/query/count/event',
  body: { 'query-name': 'q', query: [{ visit: { equals: pageName(4), between: between(WEEK) } }], ...BYPASS },
  peerSql: `SELECT count(*) FROM visit WHERE value = '${pageName(4)}' AND date BETWEEN ${sqlRange(WEEK)}`,
  judge: () =>
    wanting(
      { count: 0 },
      (state, { visit: { values, dates } }) => {
        for (let at = 0; at < values.length; at++) {
          if (values[at] === 4 && dates[at] >= WEEK[0] && dates[at] <= WEEK[1]) state.count++;
        }
      },
      ({ count }) => ({ q: count }),
      ({ q }) => q,
    ),
};

const topCities: QueryQuestion = {
  name: 'top 10 of 50,000 strings',
  text: 'top_values: city, the first 10',
  wantedMs: 15,
  path: '/v1/query/top_values',
  body: { q: { city: 10, ...BYPASS } },
  peerSql:
    'SELECT count(*) AS quantity, city FROM people GROUP BY city ORDER BY quantity DESC, city LIMIT 10',
  judge: () =>
    wanting(
      new Map<number, number>(),
      (counts, block) => {
        for (const city of block.city) add(counts, city);
      },
      (counts) => ({
        q: { city: top(counts, 10, cityName).map(({ quantity, value }) => ({ quantity, value })) },
      }),
      ({ q }) => q.city[0].quantity,
    ),
};

const [AGE_LOW, AGE_HIGH] = [30, 49];
const twoLevels: QueryQuestion = {
  name: 'top 10 x 10 over events of a week',
  text: `aggregation: visit 10, purchase 10, both within 7 days, of people aged ${AGE_LOW} to ${AGE_HIGH}`,
  wantedMs: 40,
  path: '/v1/query/aggregation',
  body: {
    filter: [{ age: { range: [AGE_LOW, AGE_HIGH] } }],
    query: [
      { visit: 10, between: between(WEEK) },
      { purchase: 10, between: between(WEEK) },
    ],
    ...BYPASS,
  },
  peerSql: `WITH chosen AS (SELECT id FROM people WHERE age BETWEEN ${AGE_LOW} AND ${AGE_HIGH}),
    visits AS (SELECT DISTINCT id, value AS page FROM visit
      WHERE date BETWEEN ${sqlRange(WEEK)} AND id IN (SELECT id FROM chosen)),
    purchases AS (SELECT DISTINCT id, value AS amount FROM purchase WHERE date BETWEEN ${sqlRange(WEEK)}),
    pages AS (SELECT page, count(*) AS quantity FROM visits GROUP BY page ORDER BY quantity DESC, page LIMIT 10),
    pairs AS (SELECT page, amount, count(*) AS bought FROM visits JOIN purchases ON visits.id = purchases.id
      WHERE page IN (SELECT page FROM pages) GROUP BY page, amount),
    ranked AS (SELECT page, amount, bought,
      row_number() OVER (PARTITION BY page ORDER BY bought DESC, amount) AS place FROM pairs)
    SELECT pages.quantity, pages.page, ranked.amount, ranked.bought
      FROM pages LEFT JOIN ranked ON ranked.page = pages.page AND ranked.place <= 10
      ORDER BY pages.quantity DESC, pages.page, ranked.bought DESC`,
  judge: () =>
    wanting(
      { pages: new Map<number, number>(), amounts: new Map<number, Map<number, number>>() },
      ({ pages, amounts }, block) => {
        for (let index = 0; index < BLOCK_ENTITIES; index++) {
          if (block.age[index] < AGE_LOW || block.age[index] > AGE_HIGH) continue;
          const bought = valuesWithin(block.purchase, index, WEEK);
          for (const page of valuesWithin(block.visit, index, WEEK)) {
            add(pages, page);
            const of = amounts.get(page) ?? new Map<number, number>();
            amounts.set(page, of);
            for (const amount of bought) add(of, amount);
          }
        }
      },
      ({ pages, amounts }) => ({
        visit: top(pages, 10, pageName).map(({ key, quantity, value }) => {
          const next = top(amounts.get(key) ?? new Map<number, number>(), 10, String);
          const purchase = next.map((row) => ({ quantity: row.quantity, value: row.value }));
          return { quantity, value, ...(purchase.length === 0 ? {} : { purchase }) };
        }),
      }),
      ({ visit }) => visit[0].quantity,
    ),
};

const dailySum: QueryQuestion = {
  name: 'daily sum over a year',
  text: 'aggregation: sum of rating (decimal) by days',
  wantedMs: 30,
  path: '/v1/query/aggregation',
  body: { query: [{ rating: 'sum', between: between(YEAR), interval: 'days' }], ...BYPASS },
  peerSql: `SELECT CAST(sum(value) * 10 AS BIGINT), CAST(date AS DATE) AS day, sum(value) FROM rating
    WHERE date BETWEEN ${sqlRange(YEAR)} GROUP BY day ORDER BY day`,
  judge: () =>
    wanting(
      Array.from({ length: 366 }, () => ({ count: 0, tenths: 0 })),
      (days, { rating: { values, dates } }) => {
        for (let at = 0; at < values.length; at++) {
          const day = days[Math.floor((dates[at] - YEAR_START_SECONDS) / SECONDS_PER_DAY)];
          day.count++;
          day.tenths += values[at];
        }
      },
      (days) => ({
        rating: days.flatMap(({ count, tenths }, day) => {
          if (count === 0) return [];
          const from = YEAR_START_SECONDS + day * SECONDS_PER_DAY;
          return [{ sum: tenths / 10, between: between([from, from + SECONDS_PER_DAY]) }];
        }),
      }),
      (_, days) => days.find(({ count }) => count > 0)?.tenths ?? 0,
    ),
};

const ageMetric = (metric: 'avg' | 'min' | 'max'): QueryQuestion => ({
  name: `${metric} of an integer`,
  text: `aggregation: ${metric} of age`,
  wantedMs: 3,
  path: '/v1/query/aggregation',
  body: { query: [{ age: metric }], ...BYPASS },
  peerSql:
    metric === 'avg'
      ? 'SELECT CAST(floor(avg(age) * 1000) AS BIGINT) FROM people'
      : `SELECT ${metric}(age) FROM people`,
  judge: () =>
    wanting(
      { count: 0, sum: 0, min: 999, max: 0 },
      (state, { age }) => {
        state.count += age.length;
        for (const years of age) {
          state.sum += years;
          if (years < state.min) state.min = years;
          if (years > state.max) state.max = years;
        }
      },
      (state) => ({ age: { [metric]: metric === 'avg' ? state.sum / state.count : state[metric] } }),
      (_, { sum, count, ...extremes }) =>
        metric === 'avg' ? Math.floor((sum / count) * 1000) : extremes[metric],
    ),
});

const CENTRE = { longitude: 13.4, latitude: 52.5 };
const RADIUS_KM = 500;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

function isNear(longitude: number, latitude: number): boolean {
  const [a, b] = [radians(latitude), radians(CENTRE.latitude)];
  const across = Math.sin((a - b) / 2) ** 2;
  const along = Math.cos(a) * Math.cos(b) * Math.sin(radians(longitude - CENTRE.longitude) / 2) ** 2;
  return 2 * 6371.0088 * Math.asin(Math.sqrt(across + along)) <= RADIUS_KM;
}

const radius: QueryQuestion = {
  name: 'radius over points',
  text: `count/entity: home within ${RADIUS_KM} km`,
  wantedMs: 30,
  path: '/v1/query/count/entity',
  body: {
    'query-name': 'q',
    query: [{ home: { geo_radius: { ...CENTRE, radius: RADIUS_KM, unit: 'km' } } }],
    ...BYPASS,
  },
  peerSql: `SELECT count(*) FROM people WHERE 2 * 6371.0088 * asin(sqrt(
      pow(sin((radians(latitude) - radians(${CENTRE.latitude})) / 2), 2) + cos(radians(latitude)) *
      cos(radians(${CENTRE.latitude})) * pow(sin(radians(longitude - ${CENTRE.longitude}) / 2), 2))) <= ${RADIUS_KM}`,
  judge: () =>
    wanting(
      { count: 0 },
      (state, block) => {
        for (let index = 0; index < BLOCK_ENTITIES; index++) {
          if (isNear(block.longitude[index] / 10_000, block.latitude[index] / 10_000)) state.count++;
        }
      },
      ({ count }) => ({ q: count }),
      ({ q }) => q,
    ),
};

const ATTRIBUTES = ['country', 'city', 'age', 'income', 'active', 'born', 'joined', 'home'];
const [COUNTRY, ROWS] = [3, 100];

/** The people that the extraction may return, by ID, with some of their texts. */
const extraction: QueryQuestion = {
  name: '100 rows of 8 columns',
  text: `data_extraction/result: country = c3 AND age in [${AGE_LOW}, ${AGE_HIGH}] AND active`,
  wantedMs: 5,
  path: '/v1/data_extraction/result',
  body: {
    query: [
      { country: { equals: countryName(COUNTRY) } },
      'and',
      { age: { range: [AGE_LOW, AGE_HIGH] } },
      'and',
      { active: { equals: true } },
    ],
    columns: ATTRIBUTES,
    limit: ROWS,
    ...BYPASS,
  },
  // The rows have no order, as in the request; the first number shows only that there are rows.
  peerSql: `SELECT 1, id, country, city, age, income, active, born, joined, longitude, latitude FROM people
    WHERE country = '${countryName(COUNTRY)}' AND age BETWEEN ${AGE_LOW} AND ${AGE_HIGH} AND active = true LIMIT ${ROWS}`,
  judge: () => {
    const people = new Map<string, Row>();
    return {
      first: () => 1,
      see: (block) => {
        for (let index = 0; index < BLOCK_ENTITIES; index++) {
          if (block.country[index] !== COUNTRY || block.active[index] !== 1) continue;
          if (block.age[index] < AGE_LOW || block.age[index] > AGE_HIGH) continue;
          people.set(entityId(block.from + index), {
            country: countryName(COUNTRY),
            city: cityName(block.city[index]),
            age: String(block.age[index]),
            income: String(block.income[index] / 100),
            active: 'true',
            joined: formatDateTime(block.joined[index]).toLowerCase(),
          });
        }
      },
      fault: (answer) => {
        const { data } = answer as { data: Readonly<Record<string, Row>> };
        const rows = Object.entries(data);
        const wantedRows = Math.min(ROWS, people.size);
        if (rows.length !== wantedRows) return `${rows.length} rows instead of ${wantedRows}`;
        for (const [id, row] of rows) {
          const wanted = people.get(id);
          if (wanted === undefined) return `${id} does not satisfy the query`;
          if (Object.keys(row).length !== ATTRIBUTES.length) return `${id} has ${Object.keys(row)}`;
          for (const [column, text] of Object.entries(wanted)) {
            if (row[column] !== text) return `${column} of ${id}: ${row[column]} instead of ${text}`;
          }
        }
        return null;
      },
    };
  },
};

const KNOWN = 90;
const UNKNOWN = 10;
/** Every 97th person, and some IDs that do not exist. */
const exists: QueryQuestion = {
  name: 'which of 100 IDs exist',
  text: `exists/entity: ${KNOWN} IDs that exist and ${UNKNOWN} that do not`,
  wantedMs: null,
  path: '/v1/query/exists/entity',
  body: { ids: requestedIds().map((index) => entityId(index)) },
  peerSql: `SELECT count(*) FROM people WHERE id IN (${requestedIds().join()})`,
  judge: () => {
    const found = new Set<number>();
    return {
      first: () => found.size,
      see: ({ from }) => {
        for (const index of requestedIds())
          if (index >= from && index < from + BLOCK_ENTITIES) found.add(index);
      },
      fault: (answer) => {
        const listed = answer as { exists: string[]; 'not-exists': string[] };
        const [wanted, others] = [true, false].map((is) =>
          requestedIds()
            .filter((index) => found.has(index) === is)
            .map(entityId)
            .sort(),
        );
        const same =
          JSON.stringify([listed.exists.sort(), listed['not-exists'].sort()]) ===
          JSON.stringify([wanted, others]);
        return same ? null : JSON.stringify(answer).slice(0, 1_000);
      },
    };
  },
};

function requestedIds(): number[] {
  const known = Array.from({ length: KNOWN }, (_, index) => index * 31);
  return [...known, ...Array.from({ length: UNKNOWN }, (_, index) => 90_000_000 + index)];
}

/** Top values of three attributes, in nested levels. */
const threeLevels: QueryQuestion = {
  name: 'top 5 x 5 x 5 of attributes',
  text: `aggregation: country 5, city 5, age 5, of people aged ${AGE_LOW} to ${AGE_HIGH}`,
  wantedMs: null,
  path: '/v1/query/aggregation',
  body: {
    filter: [{ age: { range: [AGE_LOW, AGE_HIGH] } }],
    query: [{ country: 5 }, { city: 5 }, { age: 5 }],
    ...BYPASS,
  },
  peerSql: `WITH chosen AS (SELECT country, city, age FROM people WHERE age BETWEEN ${AGE_LOW} AND ${AGE_HIGH}),
    firsts AS (SELECT country, count(*) AS quantity FROM chosen GROUP BY country ORDER BY quantity DESC, country LIMIT 5),
    seconds AS (SELECT country, city, count(*) AS quantity FROM chosen
      WHERE country IN (SELECT country FROM firsts) GROUP BY country, city),
    cities AS (SELECT country, city, quantity,
      row_number() OVER (PARTITION BY country ORDER BY quantity DESC, city) AS place FROM seconds),
    thirds AS (SELECT chosen.country AS country, chosen.city AS city, age, count(*) AS quantity FROM chosen
      JOIN cities ON cities.country = chosen.country AND cities.city = chosen.city WHERE cities.place <= 5
      GROUP BY chosen.country, chosen.city, age),
    ranked AS (SELECT country, city, age, quantity,
      row_number() OVER (PARTITION BY country, city ORDER BY quantity DESC, age) AS place FROM thirds)
    SELECT firsts.quantity, firsts.country, cities.city, cities.quantity, ranked.age, ranked.quantity FROM firsts
      JOIN cities ON cities.country = firsts.country AND cities.place <= 5
      JOIN ranked ON ranked.country = cities.country AND ranked.city = cities.city AND ranked.place <= 5
      ORDER BY firsts.quantity DESC, firsts.country, cities.place, ranked.place`,
  judge: () =>
    wanting(
      new Map<string, number>(),
      (counts, block) => {
        for (let index = 0; index < BLOCK_ENTITIES; index++) {
          const age = block.age[index];
          if (age < AGE_LOW || age > AGE_HIGH) continue;
          const [country, city] = [countryName(block.country[index]), cityName(block.city[index])];
          for (const key of [country, `${country} ${city}`, `${country} ${city} ${age}`]) add(counts, key);
        }
      },
      (counts) => ({ country: levelsBelow(counts, ['country', 'city', 'age'], '') }),
      ({ country }) => country[0].quantity as number,
    ),
};

/** The five keys with the most people one level below `prefix`, each with its own next levels. */
function levelsBelow(
  counts: ReadonlyMap<string, number>,
  [, ...below]: readonly string[],
  prefix: string,
): Row[] {
  const depth = prefix === '' ? 1 : prefix.split(' ').length + 1;
  const own = new Map(
    [...counts].filter(
      ([key]) => key.split(' ').length === depth && (prefix === '' || key.startsWith(`${prefix} `)),
    ),
  );
  const last = (key: string): string => key.slice(key.lastIndexOf(' ') + 1);
  return top(own, 5, last).map(({ key, quantity, value }) => ({
    quantity,
    value,
    ...(below.length === 0 ? {} : { [below[0]]: levelsBelow(counts, below, key) }),
  }));
}

const histogram: QueryQuestion = {
  name: 'events of a value by day',
  text: 'count/event by days: visit = p4 within a year',
  wantedMs: null,
  path: '/v1/query/count/event',
  body: {
    'query-name': 'q',
    query: [{ visit: { equals: pageName(4), between: between(YEAR) } }],
    interval: 'days',
    ...BYPASS,
  },
  peerSql: `SELECT count(*), CAST(date AS DATE) AS day FROM visit
    WHERE value = '${pageName(4)}' AND date BETWEEN ${sqlRange(YEAR)} GROUP BY day ORDER BY day`,
  judge: () =>
    wanting(
      new Uint32Array(366),
      (days, { visit: { values, dates } }) => {
        for (let at = 0; at < values.length; at++) {
          if (values[at] === 4) days[Math.floor((dates[at] - YEAR_START_SECONDS) / SECONDS_PER_DAY)]++;
        }
      },
      (days) => ({
        q: [...days].flatMap((count, day) => {
          const from = YEAR_START_SECONDS + day * SECONDS_PER_DAY;
          return count === 0 ? [] : [{ count, between: between([from, from + SECONDS_PER_DAY]) }];
        }),
      }),
      ({ q }) => q[0].count,
    ),
};

const distinctCities: QueryQuestion = {
  name: 'distinct values of 50,000 strings',
  text: 'aggregation: count-distinct of city',
  wantedMs: null,
  path: '/v1/query/aggregation',
  body: { query: [{ city: 'count-distinct' }], ...BYPASS },
  peerSql: 'SELECT count(DISTINCT city) FROM people',
  judge: () =>
    wanting(
      new Set<number>(),
      (cities, { city }) => {
        for (const one of city) cities.add(one);
      },
      (cities) => ({ city: { 'count-distinct': cities.size } }),
      ({ city }) => city['count-distinct'],
    ),
};

export const QUERY_QUESTIONS: readonly QueryQuestion[] = [
  eventCount,
  histogram,
  topCities,
  distinctCities,
  twoLevels,
  threeLevels,
  dailySum,
  ageMetric('avg'),
  ageMetric('min'),
  ageMetric('max'),
  radius,
  extraction,
  exists,
];
