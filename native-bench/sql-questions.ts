/**
 * The SELECTs of the sql line that are not streamed: as Quarry's SQL, as SQL over DuckDB's tables, and the expected
 * answers, computed by loops over the generated people.
 * Invariant: a judge walks the people in blocks and shares no code with the server.
 */

import { COUNTRIES_DIMENSION, LABELS_DIMENSION, labelName, regionName } from './data/labels.js';
import { BLOCK_ENTITIES, cityName, countryName, entityId, type PeopleBlock } from './data/people.js';

export interface SqlQuestion {
  readonly name: string;
  readonly sql: string;
  /** SQL over the tables of peers/peer.ts, things and countries; the first number of its result is that of `first`. */
  readonly peerSql: string;
  /** Goal for p50 over the full data, if there is one. */
  readonly wantedMs: number | null;
  /** Creates a judge, which walks all people once and then describes the error in an answer. */
  readonly judge: (thingCount: number) => SqlJudge;
}

type Row = Readonly<Record<string, unknown>>;

export interface SqlJudge {
  see(block: PeopleBlock): void;
  /** Describes the error in the rows; null = none. */
  fault(rows: readonly Row[]): string | null;
  /** The first number that the other database answers. */
  first(): number;
}

const CENTS = 100n;
const MICROS = 1_000_000n;

/** The mean in units, rounded to six decimals, half away from zero; both arguments are exact and not negative. */
function meanOf(hundredths: number, count: number): number {
  const divisor = BigInt(count) * CENTS;
  const micros = (BigInt(hundredths) * MICROS * 2n + divisor) / (divisor * 2n);
  return Number(micros) / Number(MICROS);
}

/** A judge that compares all rows with the result of a walk over the people. */
function wanting<State>(
  state: State,
  see: (state: State, block: PeopleBlock) => void,
  rowsOf: (state: State) => readonly Row[],
  firstOf: (rows: readonly Row[]) => unknown,
): SqlJudge {
  return {
    see: (block) => see(state, block),
    fault: (rows) => {
      const [found, wanted] = [JSON.stringify(rows), JSON.stringify(rowsOf(state))];
      return found === wanted ? null : `${found.slice(0, 1_000)} instead of ${wanted.slice(0, 1_000)}`;
    },
    first: () => Number(firstOf(rowsOf(state))),
  };
}

interface Sums {
  count: number;
  hundredths: number;
}

/** Incomes by key, in the byte order of the keys. */
class Groups {
  readonly #sums = new Map<string, Sums>();

  add(key: string, hundredths: number): void {
    const sums = this.#sums.get(key) ?? { count: 0, hundredths: 0 };
    this.#sums.set(key, sums);
    sums.count++;
    sums.hundredths += hundredths;
  }

  rows(row: (key: string, count: number, mean: number) => Row): Row[] {
    return [...this.#sums]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { count, hundredths }]) => row(key, count, meanOf(hundredths, count)));
  }
}

const twoKeys: SqlQuestion = {
  name: 'GROUP BY two columns',
  sql: 'SELECT country, active, AVG(income), COUNT(*) FROM default GROUP BY country, active ORDER BY country, active',
  peerSql: `SELECT COUNT(*), country, active, AVG(income) FROM people GROUP BY country, active
    ORDER BY country::VARCHAR, active`,
  wantedMs: 40,
  judge: () =>
    wanting(
      new Groups(),
      (groups, { country, active, income }) => {
        for (let index = 0; index < BLOCK_ENTITIES; index++) {
          groups.add(`${countryName(country[index])},${active[index]}`, income[index]);
        }
      },
      (groups) =>
        groups.rows((key, count, mean) => {
          const [country, active] = key.split(',');
          return { country, active: active === '1', AVG: mean, COUNT: count };
        }),
      ([row]) => row.COUNT,
    ),
};

const PIECE = '77';
const like: SqlQuestion = {
  name: 'LIKE over 50,000 strings',
  sql: `SELECT COUNT(*) FROM default WHERE city LIKE '%${PIECE}%'`,
  peerSql: `SELECT COUNT(*) FROM people WHERE city LIKE '%${PIECE}%'`,
  wantedMs: 8,
  judge: () =>
    wanting(
      { count: 0 },
      (state, { city }) => {
        for (const number of city) if (cityName(number).includes(PIECE)) state.count++;
      },
      ({ count }) => [{ COUNT: count }],
      ([row]) => row.COUNT,
    ),
};

const distinct: SqlQuestion = {
  name: 'COUNT(DISTINCT) of strings',
  sql: `SELECT COUNT(DISTINCT label) FROM ${LABELS_DIMENSION}`,
  peerSql: `SELECT COUNT(DISTINCT label) FROM ${LABELS_DIMENSION}`,
  wantedMs: 150,
  judge: (thingCount) =>
    wanting(
      null,
      () => {},
      () => {
        const labels = new Set<string>();
        for (let thing = 0; thing < thingCount; thing++) labels.add(labelName(thing, thingCount));
        return [{ COUNT: labels.size }];
      },
      ([row]) => row.COUNT,
    ),
};

const TOP = 10;
const topRows: SqlQuestion = {
  name: 'top 10 by a decimal',
  sql: `SELECT [entity-id], income FROM default ORDER BY income DESC LIMIT ${TOP}`,
  peerSql: `SELECT (income * 100)::INTEGER, id FROM people ORDER BY income DESC LIMIT ${TOP}`,
  wantedMs: null,
  judge: () => {
    // If the tenth income occurs several times, any of these people may be in the answer.
    let best: { readonly id: string; readonly income: number }[] = [];
    const least = (): number => (best.length < TOP ? 0 : best[TOP - 1].income);
    return {
      see: ({ from, income }) => {
        for (let index = 0; index < BLOCK_ENTITIES; index++) {
          if (income[index] < least()) continue;
          best.push({ id: entityId(from + index), income: income[index] });
          best.sort((a, b) => b.income - a.income);
          best = best.filter((one) => one.income >= least());
        }
      },
      fault: (rows) => {
        const incomes = new Map(best.map(({ id, income }) => [id, income / 100]));
        const ids = new Set(rows.map((row) => row['entity-id']));
        if (ids.size !== Math.min(TOP, best.length)) return `${ids.size} people instead of ${TOP}`;
        for (const [at, row] of rows.entries()) {
          const isBest = row.income === best[at].income / 100;
          if (!isBest || incomes.get(String(row['entity-id'])) !== row.income) {
            return `${JSON.stringify(row)} at ${at} instead of ${JSON.stringify(best[at])}`;
          }
        }
        return null;
      },
      first: () => best[0].income,
    };
  },
};

const average: SqlQuestion = {
  name: 'AVG of a decimal',
  sql: 'SELECT AVG(income), COUNT(*) FROM default',
  peerSql: 'SELECT COUNT(*), AVG(income) FROM people',
  wantedMs: null,
  judge: () =>
    wanting(
      new Groups(),
      (groups, { income }) => {
        for (const hundredths of income) groups.add('', hundredths);
      },
      (groups) => groups.rows((_, count, mean) => ({ AVG: mean, COUNT: count })),
      ([row]) => row.COUNT,
    ),
};

const star: SqlQuestion = {
  name: 'star join, grouped',
  sql: `SELECT region, COUNT(*), AVG(income) FROM default
    JOIN ${COUNTRIES_DIMENSION} ON default.country = ${COUNTRIES_DIMENSION}.[entity-id] GROUP BY region ORDER BY region`,
  peerSql: `SELECT COUNT(*), region, AVG(income) FROM people
    JOIN ${COUNTRIES_DIMENSION} ON people.country = ${COUNTRIES_DIMENSION}.id GROUP BY region ORDER BY region`,
  wantedMs: null,
  judge: () =>
    wanting(
      new Groups(),
      (groups, { country, income }) => {
        for (let index = 0; index < BLOCK_ENTITIES; index++) {
          groups.add(regionName(country[index]), income[index]);
        }
      },
      (groups) => groups.rows((region, count, mean) => ({ region, COUNT: count, AVG: mean })),
      ([row]) => row.COUNT,
    ),
};

const BUCKET = "CASE WHEN age < 30 THEN 'a' WHEN age < 60 THEN 'b' ELSE 'c' END";
const buckets: SqlQuestion = {
  name: 'GROUP BY a CASE',
  sql: `SELECT ${BUCKET} AS bucket, COUNT(*), AVG(income) FROM default GROUP BY ${BUCKET} ORDER BY bucket`,
  peerSql: `SELECT COUNT(*), ${BUCKET} AS bucket, AVG(income) FROM people GROUP BY bucket ORDER BY bucket`,
  wantedMs: null,
  judge: () =>
    wanting(
      new Groups(),
      (groups, { age, income }) => {
        for (let index = 0; index < BLOCK_ENTITIES; index++) {
          groups.add(age[index] < 30 ? 'a' : age[index] < 60 ? 'b' : 'c', income[index]);
        }
      },
      (groups) => groups.rows((bucket, count, mean) => ({ bucket, COUNT: count, AVG: mean })),
      ([row]) => row.COUNT,
    ),
};

export const SQL_QUESTIONS: readonly SqlQuestion[] = [
  twoKeys,
  like,
  distinct,
  topRows,
  average,
  star,
  buckets,
];
