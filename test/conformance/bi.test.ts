/**
 * Statements in the form in which dashboards and analysts write them, over real flights and airports. Each answer is
 * compared with that of DuckDB over the same files. Flights are entities of one dimension, which is joined with the
 * airports, and also events of their airports of departure. 20,000 flights; all 3 million: node
 * dist/test/conformance/bi.test.js --all
 */
import { parseArgs } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import t from 'tap';
import { airportBodies } from '../../src/commands/demo/airports.js';
import { DEMO_FILES } from '../../src/commands/demo/files.js';
import { flightBodies } from '../../src/commands/demo/flight-bodies.js';
import { type FlightColumns, readFlights } from '../../src/commands/demo/flights.js';
import { COLUMNS } from '../../src/commands/demo/model.js';
import { NodeFileSystem } from '../../src/io/index.js';
import { formatDateTime } from '../../src/schema/index.js';
import { ConformanceServer } from '../support/conformance-server.js';
import { difference, rowsOf } from '../support/sql/sql-answers.js';
import { type AnswerValue, answerValuesOf } from '../support/sql/sql-engines.js';
import { BI_STATEMENTS, type BiStatement, kindsOf } from './bi-statements.js';

const { values: value } = parseArgs({ options: { all: { type: 'boolean', default: false } } });
const SMALL = !value.all;
const FLIGHTS_PER_INSERT = 1_000;
t.setTimeout(SMALL ? 120_000 : 1_800_000);

const files = new NodeFileSystem();
const quoted = (file: string): string => `'${file.replaceAll("'", "''")}'`;

const FLIGHT_COLUMNS = [
  { name: 'origin', type: 'string', cardinality: 'low' },
  { name: 'destination', type: 'string', cardinality: 'low' },
  { name: 'delay', type: 'integer' },
  { name: 'distance', type: 'integer' },
  { name: 'departed', type: 'datetime' },
].map((column) => ({ ...column, 'api-name': column.name, dimension: 'flights' }));

async function post(server: ConformanceServer, path: string, body: string): Promise<void> {
  const { status, text } = await server.post(path, body);
  if (status !== 200) throw new Error(`${path}: HTTP ${status} ${text.slice(0, 500)}`);
}

function flightText(part: FlightColumns, row: number): string {
  const departed = formatDateTime(part.seconds[row]);
  const airports = `"origin":"${part.origins[row]}","destination":"${part.destinations[row]}"`;
  return `"dimension":"flights",${airports},"delay":${part.delays[row]},"distance":${part.distances[row]},"departed":"${departed}"`;
}

async function load(server: ConformanceServer): Promise<void> {
  await post(server, '/v1/column', JSON.stringify([...COLUMNS, ...FLIGHT_COLUMNS]));
  for await (const { bytes } of airportBodies(files))
    await post(server, '/v1/insert', Buffer.from(bytes).toString());
  for await (const { bytes } of flightBodies(readFlights(files, SMALL)))
    await post(server, '/v1/insert', Buffer.from(bytes).toString());
  let number = 0;
  for await (const part of readFlights(files, SMALL)) {
    for (let from = 0; from < part.count; from += FLIGHTS_PER_INSERT) {
      const length = Math.min(FLIGHTS_PER_INSERT, part.count - from);
      const rows = Array.from({ length }, (_, row) => `"${number++}":{${flightText(part, from + row)}}`);
      await post(server, '/v1/insert', `{${rows.join(',')}}`);
    }
  }
}

/**
 * In lower case, as Quarry stores texts. `airports` also contains the origins that are missing in the list of airports.
 */
const TABLES = [
  `CREATE TABLE flights AS SELECT moment AS departed, delay::BIGINT AS delay, distance::BIGINT AS distance,
     lower(origin) AS origin, lower(destination) AS destination FROM (${
       SMALL
         ? `SELECT *, strptime(date, '%Y/%m/%d %H:%M') AS moment FROM read_json(${quoted(DEMO_FILES.flightsSmall)},
              columns = {date: 'VARCHAR', delay: 'BIGINT', distance: 'BIGINT', origin: 'VARCHAR', destination: 'VARCHAR'})`
         : `SELECT *, date AS moment FROM read_parquet(${quoted(DEMO_FILES.flights)})`
     })`,
  `CREATE VIEW events AS SELECT *, departed AS moment FROM flights`,
  `CREATE TABLE listed AS SELECT lower(iata) AS id, lower(name) AS name, lower(nullif(city, 'NA')) AS city,
     lower(nullif(state, 'NA')) AS state FROM read_csv(${quoted(DEMO_FILES.airports)}, header = true, all_varchar = true)`,
  `CREATE TABLE airports AS SELECT coalesce(id, origin) AS id, name, city, state
     FROM listed FULL JOIN (SELECT DISTINCT origin FROM flights) ON id = origin`,
];

const shownOf = ({ question, sql }: BiStatement): string => `${question} ${sql.replace(/\s+/g, ' ')}`;

t.test('every statement of a BI tool over flights and airports has the answer of DuckDB', async (t) => {
  const server = await ConformanceServer.start(true);
  t.teardown(() => server.stop());
  await load(server);
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  t.teardown(() => {
    connection.closeSync();
    instance.closeSync();
  });
  for (const table of TABLES) await connection.run(table);
  for (const statement of BI_STATEMENTS) {
    const kinds = kindsOf(statement);
    const { status, text } = await server.sql(statement.sql);
    t.equal(status, 200, status === 200 ? statement.question : `${shownOf(statement)}: ${text}`);
    if (status !== 200) continue;
    const expected: AnswerValue[][] = answerValuesOf(await connection.runAndReadAll(statement.duck), kinds);
    t.ok(expected.length > 0, `${statement.question} There are rows to compare`);
    t.equal(difference(rowsOf(text, kinds), expected, kinds, statement.ordered), null, shownOf(statement));
  }
});
