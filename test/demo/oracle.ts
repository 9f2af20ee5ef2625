/**
 * The answers of DuckDB to the tour's questions over the same files, which DuckDB reads itself. The answer under a
 * question's name must equal the server's answer.
 */
import { DuckDBInstance } from '@duckdb/node-api';
import type { Answer } from '../../src/commands/demo/answer.js';
import { DEMO_FILES } from '../../src/commands/demo/files.js';
import { LARGE, SMALL, type TourScale } from '../../src/commands/demo/question.js';
import { SHOP_VISITORS, SHOP_VISITORS_SMALL } from '../../src/commands/demo/shop/visitor.js';
import { RECKONED } from './oracle-answers.js';
import {
  countOrigins,
  FIRST_WEEK,
  HALF_YEAR,
  kilometresFrom,
  MARCH,
  origins,
  QUAKE_WEEK,
  within,
} from './oracle-sql.js';

const quoted = (file: string): string => `'${file.replaceAll("'", "''")}'`;

function views(small: boolean): string[] {
  const flights = small
    ? `SELECT strptime(date, '%Y/%m/%d %H:%M') AS moment, delay, distance, origin, destination
         FROM read_json(${quoted(DEMO_FILES.flightsSmall)}, columns = {date: 'VARCHAR', delay: 'BIGINT',
           distance: 'BIGINT', origin: 'VARCHAR', destination: 'VARCHAR'})`
    : `SELECT date AS moment, delay, distance, origin, destination FROM read_parquet(${quoted(DEMO_FILES.flights)})`;
  return [
    `CREATE VIEW airports AS
       SELECT iata, lower(name) AS name, lower(nullif(city, 'NA')) AS city, nullif(state, 'NA') AS state,
         latitude::DOUBLE AS latitude, longitude::DOUBLE AS longitude
       FROM read_csv(${quoted(DEMO_FILES.airports)}, header = true, all_varchar = true)`,
    `CREATE TABLE flights AS ${flights}`,
    `CREATE VIEW quakes AS
       SELECT *, date_trunc('second', epoch_ms(time)) AS moment, string_split(trim(sources, ','), ',') AS networks
       FROM read_json(${quoted(DEMO_FILES.earthquakes)}, columns = {id: 'VARCHAR', mag: 'DECIMAL(9, 2)',
         magType: 'VARCHAR', net: 'VARCHAR', place: 'VARCHAR', time: 'BIGINT', type: 'VARCHAR', status: 'VARCHAR', sources: 'VARCHAR', felt: 'BIGINT',
         tsunami: 'BIGINT', longitude: 'DOUBLE', latitude: 'DOUBLE', depth: 'DECIMAL(9, 3)'})`,
  ];
}

const countAirports = (where: string): string => `SELECT count(*) FROM airports WHERE ${where}`;
const countQuakes = (where: string): string => `SELECT count(*) FROM quakes WHERE ${where}`;
const scaleOf = (small: boolean): TourScale => (small ? SMALL : LARGE);
const countFlights = (where: string): string => `SELECT count(*) FROM flights WHERE ${where}`;

/** Question name -> SQL that returns one number. */
const countsOf = (scale: TourScale): Readonly<Record<string, string>> => ({
  'all-entities':
    'SELECT (SELECT count(*) FROM (SELECT iata FROM airports UNION SELECT origin FROM flights)) + ' +
    '(SELECT count(*) FROM quakes) + (SELECT count(DISTINCT net) FROM quakes)',
  'all-earthquakes': 'SELECT count(*) FROM quakes',
  'in-california': countAirports(`state = 'CA'`),
  'international-elsewhere': countAirports(`name LIKE '%international%' AND state NOT IN ('TX', 'CA', 'FL')`),
  'near-times-square': countAirports(`${kilometresFrom(-73.9855, 40.758)} <= 100`),
  'departures-in-march': countOrigins(MARCH, scale.busyFlights),
  'very-late-in-march': countOrigins(`delay > 120 AND ${MARCH}`, scale.lateFlights),
  'california-to-jfk': countAirports(
    `state = 'CA' AND iata IN ${origins(`destination = 'JFK' AND ${FIRST_WEEK}`)}`,
  ),
  'new-york-freqgroup': countOrigins(
    `destination IN ('JFK', 'LGA', 'EWR') AND ${within('2001-02-01 00:00:00', '2001-02-28 23:59:59')}`,
    scale.newYorkFlights,
  ),
  'busy-and-punctual': `${countOrigins(HALF_YEAR, scale.punctualFlights)} WHERE origin NOT IN ${origins(`delay >= 180 AND ${HALF_YEAR}`)}`,
  'only-long-haul': `${countOrigins(`distance >= 2000 AND ${HALF_YEAR}`)}
     WHERE origin NOT IN ${origins(`distance < 200 AND ${HALF_YEAR}`)}`,
  nested: countAirports(
    `(state IN ('NV', 'AZ') AND iata IN ${origins(`destination = 'LAX' AND ${FIRST_WEEK}`, scale.weeklyFlights)})
     OR (state = 'HI' AND iata IN ${origins(`destination = 'SFO' AND ${FIRST_WEEK}`, scale.weeklyFlights)})`,
  ),
  'last-two-days': countOrigins(
    `delay > ${scale.lastDaysHours * 60} AND moment <= TIMESTAMP '${scale.lastMonthEnd}'
     AND moment >= TIMESTAMP '${scale.lastMonthEnd}' - INTERVAL 2 DAY`,
  ),
  today: countOrigins('moment >= current_date AND moment < current_date + INTERVAL 1 DAY'),
  'magnitude-5': countQuakes('mag >= 5'),
  'reviewed-in-february': countQuakes(
    `status = 'reviewed' AND mag BETWEEN 2.5 AND 4.5 AND moment >= TIMESTAMP '2018-02-01' AND moment < TIMESTAMP '2018-02-04'`,
  ),
  aleutians: countQuakes('latitude BETWEEN 48 AND 60 AND (longitude >= 165 OR longitude <= -155)'),
  'man-made-in-california': countQuakes(
    `type <> 'earthquake' AND regexp_matches(lower(place), ', (california|ca)$')`,
  ),
  'two-networks': countQuakes(`list_contains(networks, 'ak') AND list_contains(networks, 'us')`),
  'felt-or-tsunami': countQuakes('(felt >= 10 OR tsunami = 1) AND depth < 10'),
  'flights-to-jfk': countFlights(`destination = 'JFK' AND ${FIRST_WEEK}`),
  'an-hour-or-two-late': countFlights(`delay BETWEEN 60 AND 120 AND ${MARCH}`),
  'shocks-off-hualien': countQuakes(`${kilometresFrom(121.6, 23.98)} <= 50 AND ${QUAKE_WEEK}`),
  'saved-query': countFlights(`delay > 300 AND ${MARCH}`),
});

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june'];

/** The answers by question name. `small`: over the 20,000 flights. The visitors of the shop are in no file. */
export async function queryDuckDb(small: boolean): Promise<Map<string, Answer>> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  try {
    for (const view of views(small)) await connection.run(view);
    const rows = async (sql: string): Promise<unknown[][]> =>
      (await connection.runAndReadAll(sql)).getRowsJS() as unknown[][];
    const column = async (sql: string): Promise<unknown[]> => (await rows(sql)).map(([value]) => value);
    const count = async (sql: string): Promise<number> => Number((await column(sql))[0]);

    const answers = new Map<string, Answer>();
    for (const [name, sql] of Object.entries(countsOf(scaleOf(small)))) answers.set(name, await count(sql));
    const visitors = small ? SHOP_VISITORS_SMALL : SHOP_VISITORS;
    answers.set('all-entities', Number(answers.get('all-entities')) + visitors);
    for (const [name, reckon] of Object.entries(RECKONED)) answers.set(name, await reckon(rows));
    const monthly: Record<string, number> = {};
    for (const [index, month] of MONTHS.slice(0, scaleOf(small).monthCount).entries()) {
      monthly[month] = await count(
        countOrigins(
          `delay > ${scaleOf(small).monthHours * 60} AND year(moment) = 2001 AND month(moment) = ${index + 1}`,
        ),
      );
    }
    answers.set('month-by-month', monthly);
    const codes = ['JFK', 'ORD', 'XXX', 'YAK'];
    const known = await column(
      `SELECT iata FROM airports WHERE iata IN (${codes.map((code) => `'${code}'`)})`,
    );
    answers.set('known-codes', {
      exists: codes.filter((code) => known.includes(code)),
      'not-exists': codes.filter((code) => !known.includes(code)),
    });
    return answers;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
