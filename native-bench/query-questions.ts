/**
 * The questions of the queries line: requests to every other query endpoint, and what each must answer, worked out by
 * loops over the generated people.
 * Invariant: `expected` walks the people in blocks and shares no code with the server but the forms of dates.
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
  /** At most this long at p50 over 10 million entities. */
  readonly wantedMs: number;
  readonly path: string;
  readonly body: object;
  /** Looks at all people once and then tells what is wrong with an answer; null = nothing. */
  readonly judge: () => Judge;
}

export interface Judge {
  see(block: PeopleBlock): void;
  /** `answer`: the parsed body. */
  fault(answer: unknown): string | null;
}

type Row = Readonly<Record<string, unknown>>;

const WEEK = [60, 67].map((day) => YEAR_START_SECONDS + day * SECONDS_PER_DAY) as [number, number];
const YEAR = [YEAR_START_SECONDS, YEAR_START_SECONDS + 366 * SECONDS_PER_DAY - 1] as const;
const between = ([from, to]: readonly [number, number]): string[] => [
  formatDateTime(from),
  formatDateTime(to),
];
const BYPASS = { 'bypass-cache': true } as const;

/** A judge that compares the answer's `result` with what a walk gave. */
function wanting<State>(
  state: State,
  see: (state: State, block: PeopleBlock) => void,
  result: (state: State) => unknown,
): Judge {
  return {
    see: (block) => see(state, block),
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

/** The `limit` values of most entities, ties by text; values are ASCII. */
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
  judge: () =>
    wanting(
      { count: 0 },
      (state, { visit: { values, dates } }) => {
        for (let at = 0; at < values.length; at++) {
          if (values[at] === 4 && dates[at] >= WEEK[0] && dates[at] <= WEEK[1]) state.count++;
        }
      },
      ({ count }) => ({ q: count }),
    ),
};

const topCities: QueryQuestion = {
  name: 'top 10 of 50,000 strings',
  text: 'top_values: city, the first 10',
  wantedMs: 15,
  path: '/v1/query/top_values',
  body: { q: { city: 10, ...BYPASS } },
  judge: () =>
    wanting(
      new Map<number, number>(),
      (counts, block) => {
        for (const city of block.city) add(counts, city);
      },
      (counts) => ({
        q: { city: top(counts, 10, cityName).map(({ quantity, value }) => ({ quantity, value })) },
      }),
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
    ),
};

const dailySum: QueryQuestion = {
  name: 'daily sum over a year',
  text: 'aggregation: sum of rating (decimal) by days',
  wantedMs: 30,
  path: '/v1/query/aggregation',
  body: { query: [{ rating: 'sum', between: between(YEAR), interval: 'days' }], ...BYPASS },
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
    ),
};

const ageMetric = (metric: 'avg' | 'min' | 'max'): QueryQuestion => ({
  name: `${metric} of an integer`,
  text: `aggregation: ${metric} of age`,
  wantedMs: 3,
  path: '/v1/query/aggregation',
  body: { query: [{ age: metric }], ...BYPASS },
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
  judge: () =>
    wanting(
      { count: 0 },
      (state, block) => {
        for (let index = 0; index < BLOCK_ENTITIES; index++) {
          if (isNear(block.longitude[index] / 10_000, block.latitude[index] / 10_000)) state.count++;
        }
      },
      ({ count }) => ({ q: count }),
    ),
};

const ATTRIBUTES = ['country', 'city', 'age', 'income', 'active', 'born', 'joined', 'home'];
const [COUNTRY, ROWS] = [3, 100];

/** Which of the people may be in the answer of the extraction, by ID, with some of their texts. */
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
  judge: () => {
    const people = new Map<string, Row>();
    return {
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

export const QUERY_QUESTIONS: readonly QueryQuestion[] = [
  eventCount,
  topCities,
  twoLevels,
  dailySum,
  ageMetric('avg'),
  ageMetric('min'),
  ageMetric('max'),
  radius,
  extraction,
];
