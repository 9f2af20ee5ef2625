/**
 * The entities and queries of `quarry bench`. An entity is a function of its number, so that the expected result of every
 * query is computed while the entities are sent, and every answer can be checked.
 */
export const ENTITIES_PER_BODY = 1_000;
const EVENTS_PER_ENTITY = 2;
const CITIES = 100;
const PAGES = 20;
const AGES = 80;
const FROM_AGE = 20;
const TO_AGE = 39;
const CITY = 'city-7';
const PAGE = 'page-3';
const TOP = 10;
/** Days of January 2024 with events, at noon; and the days in the query. */
const DAYS = 28;
const FROM_DAY = 8;
const TO_DAY = 15;

/** The body of POST /v1/column. */
export const BENCH_COLUMNS: readonly object[] = [
  { name: 'city', 'api-name': 'city', type: 'string', storage: 'latest-value', cardinality: 'low' },
  { name: 'age', 'api-name': 'age', type: 'integer', storage: 'latest-value' },
  { name: 'page', 'api-name': 'page', type: 'string-event' },
];

/** Well-mixed bits of a number. */
function mixed(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** A skewed choice: about half of all entities have one of the first tenth of the cities. */
function cityOf(number: number): string {
  const share = Math.sqrt(mixed(number * 4 + 1) / 2 ** 32);
  return `city-${Math.floor(share * CITIES)}`;
}

const ageOf = (number: number): number => mixed(number * 4 + 2) % AGES;

interface Visit {
  readonly page: string;
  readonly day: number;
}

function visitOf(number: number, index: number): Visit {
  const bits = mixed(number * 4 + 3) ^ mixed(index + 1);
  return { page: `page-${(bits >>> 8) % PAGES}`, day: 1 + ((bits & 0xff) % DAYS) };
}

/** The expected results for the entities made so far. */
export class BenchTruth {
  /** Entities that satisfy the count query's conditions. */
  matching = 0;
  visiting = 0;
  readonly byCity = new Map<string, number>();

  note(city: string, age: number, visits: readonly Visit[]): void {
    this.byCity.set(city, (this.byCity.get(city) ?? 0) + 1);
    if (city === CITY && age >= FROM_AGE && age <= TO_AGE) this.matching++;
    if (visits.some(({ page, day }) => page === PAGE && day >= FROM_DAY && day < TO_DAY)) this.visiting++;
  }
}

export interface BenchBody {
  readonly text: string;
  readonly entityCount: number;
  readonly valueCount: number;
}

/** The insert body of entities [from, to); adds them to `truth`. */
export function benchBody(from: number, to: number, truth: BenchTruth): BenchBody {
  const entities: string[] = [];
  for (let number = from; number < to; number++) {
    const city = cityOf(number);
    const age = ageOf(number);
    const visits = Array.from({ length: EVENTS_PER_ENTITY }, (_, index) => visitOf(number, index));
    truth.note(city, age, visits);
    const events = visits.map(
      ({ page, day }) => `{"value":"${page}","date":"2024-01-${String(day).padStart(2, '0')}T12:00:00Z"}`,
    );
    entities.push(`"e-${number}":{"city":"${city}","age":${age},"page":[${events.join(',')}]}`);
  }
  const entityCount = to - from;
  return {
    text: `{${entities.join(',')}}`,
    entityCount,
    valueCount: entityCount * (2 + EVENTS_PER_ENTITY),
  };
}

export interface BenchQuestion {
  readonly name: string;
  readonly path: string;
  readonly body: string;
  /** Describes the error of a wrong answer; null = the answer is right. */
  readonly errorOf: (answer: unknown, truth: BenchTruth) => string | null;
}

const counting = (
  name: string,
  bypass: boolean,
  query: readonly unknown[],
  right: (truth: BenchTruth) => number,
): BenchQuestion => ({
  name,
  path: '/v1/query/count/entity',
  body: JSON.stringify([{ 'query-name': 'q', query, 'bypass-cache': bypass }]),
  errorOf(answer, truth) {
    const inserted = (answer as { result?: { q?: unknown } }).result?.q;
    return inserted === right(truth)
      ? null
      : `${JSON.stringify(inserted)} entities instead of ${right(truth)}`;
  },
});

const ATTRIBUTES = [{ age: { range: [FROM_AGE, TO_AGE] } }, 'and', { city: { equals: CITY } }];
const dayText = (day: number): string => `2024-01-${String(day).padStart(2, '0')}`;
const VISITS = [{ page: { equals: PAGE, between: [dayText(FROM_DAY), dayText(TO_DAY)] } }];

export const BENCH_QUESTIONS: readonly BenchQuestion[] = [
  counting('count by two attributes, computed', true, ATTRIBUTES, ({ matching }) => matching),
  counting('the same count, cached', false, ATTRIBUTES, ({ matching }) => matching),
  counting('count by events of a week, computed', true, VISITS, ({ visiting }) => visiting),
  {
    name: `top ${TOP} values, computed`,
    path: '/v1/query/top_values',
    body: JSON.stringify({ q: { dimension: 'default', city: TOP }, 'bypass-cache': true }),
    errorOf: (answer, truth) => topValuesError(answer, truth.byCity),
  },
];

/** Checks top values: values of equal quantity may come in any order, and any of them may be the last. */
function topValuesError(answer: unknown, byCity: ReadonlyMap<string, number>): string | null {
  const inserted = (answer as { result?: { q?: { city?: unknown } } }).result?.q?.city;
  const right = [...byCity.values()].sort((a, b) => b - a).slice(0, TOP);
  if (!Array.isArray(inserted)) return `${JSON.stringify(inserted)} instead of a list of values`;
  const entries = inserted as readonly { readonly value: string; readonly quantity: number }[];
  const fits =
    entries.length === right.length &&
    entries.every(({ value, quantity }, at) => quantity === right[at] && byCity.get(value) === quantity);
  return fits ? null : `${JSON.stringify(entries)}, but the quantities are ${right.join(', ')}`;
}
