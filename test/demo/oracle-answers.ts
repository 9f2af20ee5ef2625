/** Answers with more than one number, built from DuckDB's rows, level by level, in the form of the interface. */
import type { Answer, AnswerObject } from '../../src/commands/demo/answer.js';
import { FIRST_WEEK, HALF_YEAR, kilometresFrom, MARCH, origins, QUAKE_WEEK, within } from './oracle-sql.js';

/** Runs SQL and returns its rows. */
type Rows = (sql: string) => Promise<unknown[][]>;

/** The values with the most entities; ties are ordered by text. */
interface TopValues {
  readonly from: string;
  readonly value: string;
  readonly entity: string;
  readonly limit: number;
  readonly where?: string;
  /** Minimum number of entities of a value. */
  readonly least?: number;
}

async function top(rows: Rows, { from, value, entity, limit, where = 'true', least = 1 }: TopValues) {
  const found = await rows(
    `SELECT ${value} AS value, count(DISTINCT ${entity}) AS quantity FROM ${from} WHERE ${where} AND value IS NOT NULL
     GROUP BY ${value} HAVING quantity >= ${least} ORDER BY quantity DESC, value LIMIT ${limit}`,
  );
  return found.map(([text, quantity]) => ({ value: String(text), quantity: Number(quantity) }));
}

/** Adds to each row the result of `next` for its value, under the name of the next level. */
async function withNext<Row extends { readonly value: string }>(
  rows: readonly Row[],
  name: string,
  next: (value: string) => Promise<Answer>,
): Promise<(Row & AnswerObject)[]> {
  const levels: (Row & AnswerObject)[] = [];
  for (const row of rows) levels.push({ ...row, [name]: await next(row.value) } as Row & AnswerObject);
  return levels;
}

const one = async (rows: Rows, sql: string): Promise<number> => Number((await rows(sql))[0][0]);

const instant = (sql: string): string => `strftime(${sql}, '%Y-%m-%dT%H:%M:%SZ')`;

/** `metric` of each day or month that has rows. */
async function buckets(
  rows: Rows,
  unit: 'day' | 'month',
  name: string,
  metric: string,
  from: string,
): Promise<Answer> {
  const found = await rows(
    `SELECT ${instant('begin')}, ${instant(`begin + INTERVAL 1 ${unit}`)}, metric
     FROM (SELECT date_trunc('${unit}', moment)::TIMESTAMP AS begin, (${metric})::DOUBLE AS metric FROM ${from} GROUP BY 1)
     ORDER BY begin`,
  );
  return found.map(([begin, end, value]) => ({ [name]: value, between: [begin, end] })) as Answer;
}

const stateIs = (state: string): string => `lower(state) = '${state}'`;
const ofState = (state: string): string => `origin IN (SELECT iata FROM airports WHERE ${stateIs(state)})`;

async function lateStates(rows: Rows): Promise<Answer> {
  const late = origins(`delay > 60 AND ${MARCH}`, 10);
  const states = await top(rows, {
    from: 'airports',
    value: 'lower(state)',
    entity: 'iata',
    limit: 3,
    where: `iata IN ${late}`,
  });
  return withNext(states, 'destination', async (state) => {
    const where = `origin IN ${late} AND ${ofState(state)} AND ${MARCH}`;
    const locations = await top(rows, {
      from: 'flights',
      value: 'lower(destination)',
      entity: 'origin',
      limit: 3,
      where,
    });
    return withNext(locations, 'delay', async (location) => {
      const group = `SELECT origin FROM flights WHERE ${where} AND lower(destination) = '${location}'`;
      const sql = `SELECT avg(delay) FROM flights WHERE ${MARCH} AND origin IN (${group})`;
      return { avg: await one(rows, sql) };
    });
  });
}

const rowsOf = (columns: readonly string[], found: readonly unknown[][]): Answer =>
  found.map((values) =>
    Object.fromEntries(
      columns.map((name, index) => [name, values[index]]).filter(([, value]) => value !== null),
    ),
  ) as Answer;

/** The text of a decimal, without trailing zeros. */
const plain = (decimal: string): string => `(${decimal})::DOUBLE::DECIMAL(9, 2)::VARCHAR`;
const trimmed = (decimal: string): string => `rtrim(rtrim(${plain(decimal)}, '0'), '.')`;

/** The events of each airport from the flights that satisfy `where`, as an extraction returns them. */
async function departures(rows: Rows, where: string, limit: number): Promise<Answer> {
  const airports = await rows(
    `SELECT DISTINCT lower(origin) AS id, city FROM flights LEFT JOIN airports ON iata = origin WHERE ${where}
     ORDER BY id LIMIT ${limit}`,
  );
  const events = async (id: unknown, column: string): Promise<Answer> => {
    const found = await rows(
      `SELECT DISTINCT lower(${column}::VARCHAR) AS value, ${instant('moment')} AS date FROM flights
       WHERE ${where} AND lower(origin) = '${id}' ORDER BY date, value`,
    );
    const values = found.map(([value, date]) => ({ value, date }) as AnswerObject);
    return values.length === 1 ? values[0] : values;
  };
  const answer: Answer[] = [];
  for (const [id, city] of airports) {
    const row = {
      'entity-id': id,
      destination: await events(id, 'destination'),
      delay: await events(id, 'delay'),
    };
    answer.push((city === null ? row : { ...row, city }) as AnswerObject);
  }
  return answer;
}

const SCORE = `(coalesce(state = 'FL', false)::INTEGER + coalesce(name LIKE '%international%', false)::INTEGER
  + (${kilometresFrom(-80.19, 25.76)} <= 300)::INTEGER
  + (iata IN ${origins(`destination IN ('JFK', 'LGA', 'ORD') AND ${FIRST_WEEK}`, 10)})::INTEGER)`;

const BY_STRENGTH = `FROM quakes WHERE type = 'earthquake' ORDER BY mag DESC, moment, id`;

/** Question name -> its answer. */
export const RECKONED: Readonly<Record<string, (rows: Rows) => Promise<Answer>>> = {
  'three-hours-late-by-month': (rows) =>
    buckets(rows, 'month', 'count', 'count(*)', `flights WHERE delay > 180 AND ${HALF_YEAR}`),
  'shocks-by-day': (rows) =>
    buckets(rows, 'day', 'count', 'count(*)', `quakes WHERE mag >= 2.5 AND ${QUAKE_WEEK}`),
  'states-and-cities': async (rows) => {
    const airports = { from: 'airports', entity: 'iata' };
    const states = await top(rows, { ...airports, value: 'lower(state)', limit: 4 });
    return withNext(states, 'city', (state) =>
      top(rows, { ...airports, value: 'city', limit: 3, where: stateIs(state) }),
    );
  },
  'late-states': lateStates,
  'helping-networks': (rows) =>
    top(rows, {
      from: '(SELECT id, mag, unnest(networks) AS network FROM quakes)',
      value: 'network',
      entity: 'id',
      limit: 5,
      where: `mag >= 3 AND network <> 'us'`,
    }),
  'median-depth': async (rows) => {
    const where = `type = 'earthquake'`;
    const kinds = await top(rows, { from: 'quakes', value: 'lower(magType)', entity: 'id', limit: 4, where });
    return withNext(kinds, 'depth', async (kind) => ({
      median: await one(
        rows,
        `SELECT median(depth::DOUBLE) FROM quakes WHERE ${where} AND lower(magType) = '${kind}'`,
      ),
    }));
  },
  'miles-by-day': (rows) => buckets(rows, 'day', 'sum', 'sum(distance)', `flights WHERE ${FIRST_WEEK}`),
  'strongest-by-day': (rows) => buckets(rows, 'day', 'max', 'max(mag)', `quakes WHERE ${QUAKE_WEEK}`),
  'flights-by-state-and-month': async (rows) => {
    const where = `state IN ('CA', 'TX', 'FL')`;
    const states = await top(rows, {
      from: 'airports',
      value: 'lower(state)',
      entity: 'iata',
      limit: 3,
      where,
    });
    return withNext(states, 'distance', (state) =>
      buckets(rows, 'month', 'count-events', 'count(*)', `flights WHERE ${HALF_YEAR} AND ${ofState(state)}`),
    );
  },
  'late-from-ohare': async (rows) => {
    const starts = ['2001-01-01', '2001-02-01', '2001-03-01', '2001-04-01'].map((day) => `${day}T00:00:00Z`);
    const answer: Answer[] = [];
    for (let month = 0; month < 3; month++) {
      const [from, to] = [starts[month], starts[month + 1]];
      const span = `moment >= TIMESTAMP '${from.slice(0, 10)}' AND moment < TIMESTAMP '${to.slice(0, 10)}'`;
      const sql = `SELECT quantile_cont(delay::DOUBLE, 0.95) FROM flights WHERE origin = 'ORD' AND ${span}`;
      answer.push({ p95: await one(rows, sql), between: [from, to] });
    }
    return answer;
  },
  'top-values': async (rows) => ({
    destinations: {
      destination: await top(rows, {
        from: 'flights',
        value: 'lower(destination)',
        entity: 'origin',
        limit: 5,
      }),
    },
    villes: {
      city: await top(rows, {
        from: 'airports',
        value: 'city',
        entity: 'iata',
        limit: 5,
        where: `city LIKE '%ville'`,
        least: 2,
      }),
    },
  }),
  strongest: async (rows) => {
    const time = `strftime(moment, '%Y-%m-%dt%H:%M:%Sz')`;
    const sql = `SELECT id, ${trimmed('mag')}, lower(place), ${time} ${BY_STRENGTH} LIMIT 4`;
    return rowsOf(['entity-id', 'magnitude', 'place', 'time'], await rows(sql));
  },
  'next-page': async (rows) => {
    const sql = `SELECT id, ${trimmed('mag')}, lower(place) ${BY_STRENGTH} LIMIT 4 OFFSET 1024`;
    return rowsOf(['entity-id', 'magnitude', 'place'], await rows(sql));
  },
  'new-years-night': (rows) => departures(rows, within('2001-01-01 00:00:00', '2001-01-01 03:00:00'), 5),
  'near-golden-gate': async (rows) => {
    const distance = kilometresFrom(-122.4783, 37.8199);
    const found = await rows(
      `SELECT lower(iata), name, ${distance} AS distance, longitude, latitude FROM airports WHERE state = 'CA'
       ORDER BY distance LIMIT 3`,
    );
    const columns = ['entity-id', 'name', 'location_distance', 'location_coordinates'];
    return rowsOf(
      columns,
      found.map(([id, name, km, longitude, latitude]) => [id, name, km, [longitude, latitude]]),
    );
  },
  score: async (rows) => {
    const found = await rows(
      `SELECT lower(iata) AS id, name, city, ${SCORE} AS score FROM airports WHERE score > 0
       ORDER BY score DESC, id LIMIT 6`,
    );
    return rowsOf(['entity-id', 'name', 'city', 'score'], found);
  },
};
