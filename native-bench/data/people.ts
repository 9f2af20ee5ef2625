/**
 * Generates people for the benchmarks. Block b holds the entities [1000 b, 1000 b + 1000) and depends only on the seed and
 * on b, so any part of the data can be generated again, in any process and order.
 *
 * Two shapes of the same people:
 *   full    8 attributes; on average one event in each of `visit`, `purchase` and `rating` (from none to seven)
 *   ingest  5 attributes (country, city, age, income, active) and exactly two `visit` events dated by the day:
 *           about 160 bytes of JSON an entity
 * Values: 200 countries and 250 cities in each, Zipf-like; ages 18 to 90; incomes with two decimals; pages and
 * amounts Zipf-like; events spread over the year 2024.
 */
import { Prng } from '../../src/base/index.js';
import { formatDate, parseInstant, SECONDS_PER_DAY } from '../../src/schema/index.js';

export type Shape = 'full' | 'ingest';

export const BLOCK_ENTITIES = 1_000;
export const COUNTRY_COUNT = 200;
export const CITIES_PER_COUNTRY = 250;
export const PAGE_COUNT = 1_000;
const AMOUNT_MAX = 10_000;
const YEAR_SECONDS = 366 * SECONDS_PER_DAY;
export const YEAR_START_SECONDS = parseInstant('2024-01-01') as number;

const FIRST_DAY = YEAR_START_SECONDS / SECONDS_PER_DAY - 6 * 366;
const DAY_TEXTS = Array.from({ length: 7 * 366 }, (_, day) => formatDate(FIRST_DAY + day));
const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));

/** "YYYY-MM-DD" and "YYYY-MM-DDThh:mm:ssZ" of a date that a person's events or `joined` may have, from tables. */
export const dayText = (seconds: number): string =>
  DAY_TEXTS[Math.floor(seconds / SECONDS_PER_DAY) - FIRST_DAY];
export function instantText(seconds: number): string {
  const rest = seconds % SECONDS_PER_DAY;
  const hour = TWO_DIGITS[Math.floor(rest / 3600)];
  return `${dayText(seconds)}T${hour}:${TWO_DIGITS[Math.floor(rest / 60) % 60]}:${TWO_DIGITS[rest % 60]}Z`;
}

/** Events of one column: those of entity i are [offsets[i], offsets[i + 1]). */
export interface EventColumn {
  readonly offsets: Uint32Array;
  readonly values: Uint32Array;
  /** Seconds since 1970-01-01. */
  readonly dates: Uint32Array;
}

/** BLOCK_ENTITIES people, column by column. */
export interface PeopleBlock {
  /** Number of the first entity: its ID is that of `entityId`. */
  readonly from: number;
  readonly country: Uint32Array;
  /** City number within all countries: country + COUNTRY_COUNT * index in its country. */
  readonly city: Uint32Array;
  readonly age: Uint32Array;
  /** Hundredths. */
  readonly income: Uint32Array;
  readonly active: Uint32Array;
  /** Days since 1970-01-01; may be negative. */
  readonly born: Int32Array;
  /** Seconds since 1970-01-01. */
  readonly joined: Uint32Array;
  /** Ten-thousandths of a degree. */
  readonly longitude: Int32Array;
  readonly latitude: Int32Array;
  /** Page numbers. */
  readonly visit: EventColumn;
  /** Amounts: integers from 1. */
  readonly purchase: EventColumn;
  /** Tenths, 0 to 50. */
  readonly rating: EventColumn;
}

export const entityId = (index: number): string => `u${String(index).padStart(8, '0')}`;
export const countryName = (country: number): string => `c${country}`;
export const cityName = (city: number): string => `t${city}`;
export const pageName = (page: number): string => `p${page}`;

/** Tables from which a uniform 16-bit number picks a Zipf-like one of `count` values: P(k) ~ 1 / (k + 1). */
function zipfTable(count: number): Uint32Array {
  let sum = 0;
  for (let k = 1; k <= count; k++) sum += 1 / k;
  const table = new Uint32Array(65_536);
  let value = 0;
  let reached = 1 / sum;
  for (let index = 0; index < table.length; index++) {
    while ((index + 0.5) / table.length > reached && value < count - 1) reached += 1 / (++value + 1) / sum;
    table[index] = value;
  }
  return table;
}

function filled(next: (index: number) => number): Uint32Array {
  const values = new Uint32Array(BLOCK_ENTITIES);
  for (let index = 0; index < BLOCK_ENTITIES; index++) values[index] = next(index);
  return values;
}

/** Number of events of an entity: one on average, each further one half as likely, at most seven. */
const geometric = (prng: Prng): number => Math.min(7, Math.clz32(prng.u32()));

function eventColumn(nextCount: () => number, nextDate: () => number, nextValue: () => number): EventColumn {
  const offsets = new Uint32Array(BLOCK_ENTITIES + 1);
  for (let index = 0; index < BLOCK_ENTITIES; index++) offsets[index + 1] = offsets[index] + nextCount();
  const total = offsets[BLOCK_ENTITIES];
  const values = new Uint32Array(total);
  const dates = new Uint32Array(total);
  for (let index = 0; index < total; index++) {
    values[index] = nextValue();
    dates[index] = nextDate();
  }
  return { offsets, values, dates };
}

/** Generates blocks; its only state is the tables. */
export class People {
  readonly seed: number;
  readonly shape: Shape;
  readonly #countries = zipfTable(COUNTRY_COUNT);
  readonly #cities = zipfTable(CITIES_PER_COUNTRY);
  readonly #pages = zipfTable(PAGE_COUNT);
  readonly #amounts = zipfTable(AMOUNT_MAX);

  constructor(seed: number, shape: Shape) {
    this.seed = seed;
    this.shape = shape;
  }

  block(blockIndex: number): PeopleBlock {
    const prng = new Prng(Math.imul(this.seed, 0x85ebca6b) ^ blockIndex);
    const full = this.shape === 'full';
    const country = filled(() => this.#countries[prng.u32() >>> 16]);
    const city = filled((index) => country[index] + COUNTRY_COUNT * this.#cities[prng.u32() >>> 16]);
    const age = filled(() => prng.between(18, 90));
    const income = filled(() => prng.between(500_00, 9_999_99));
    const active = filled(() => (prng.chance(0.7) ? 1 : 0));
    const born = Int32Array.from(age, (years) => 19_723 - years * 365 - prng.below(365));
    const joined = filled(() => YEAR_START_SECONDS - prng.below(5 * YEAR_SECONDS));
    const longitude = Int32Array.from(age, () => prng.between(-180_0000, 180_0000));
    const latitude = Int32Array.from(age, () => prng.between(-90_0000, 90_0000));
    const anyDate = (): number => YEAR_START_SECONDS + prng.below(YEAR_SECONDS);
    const anyDay = (): number => YEAR_START_SECONDS + prng.below(366) * SECONDS_PER_DAY;
    const some = (): number => geometric(prng);
    const visit = eventColumn(
      full ? some : () => 2,
      full ? anyDate : anyDay,
      () => this.#pages[prng.u32() >>> 16],
    );
    const purchase = eventColumn(full ? some : () => 0, anyDate, () => 1 + this.#amounts[prng.u32() >>> 16]);
    const rating = eventColumn(full ? some : () => 0, anyDate, () => prng.between(0, 50));
    const from = blockIndex * BLOCK_ENTITIES;
    return {
      from,
      country,
      city,
      age,
      income,
      active,
      born,
      joined,
      longitude,
      latitude,
      visit,
      purchase,
      rating,
    };
  }
}

const column = (apiName: string, type: string, more: object = {}) => ({
  name: apiName,
  'api-name': apiName,
  type,
  ...more,
});
const latest = { storage: 'latest-value' };
const INGEST_COLUMNS = [
  column('country', 'string', { ...latest, cardinality: 'low' }),
  column('city', 'string', { ...latest, cardinality: 'high' }),
  column('age', 'integer', latest),
  column('income', 'decimal', { ...latest, 'decimal-places': 2 }),
  column('active', 'boolean', latest),
  column('visit', 'string-event'),
];

/** The body of POST /v1/column for a shape, in the default dimension. */
export function peopleColumns(shape: Shape): readonly object[] {
  if (shape === 'ingest') return INGEST_COLUMNS;
  return [
    ...INGEST_COLUMNS,
    column('born', 'date', latest),
    column('joined', 'datetime', latest),
    column('home', 'geolocation', latest),
    column('purchase', 'integer-event'),
    column('rating', 'decimal-event', { 'decimal-places': 1 }),
  ];
}
