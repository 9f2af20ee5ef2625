import { DuckDBInstance } from '@duckdb/node-api';
import t from 'tap';
import { BODY_BYTES_MAX, ENTITIES_PER_INSERT_MAX } from '../../src/base/index.js';
import { readAirports, splitCsvLine } from '../../src/commands/demo/airports.js';
import { networkBodies, readEarthquakes } from '../../src/commands/demo/earthquakes.js';
import { entityBodies } from '../../src/commands/demo/entities.js';
import { DEMO_FILES } from '../../src/commands/demo/files.js';
import { flightBodies } from '../../src/commands/demo/flight-bodies.js';
import { readFlights } from '../../src/commands/demo/flights.js';
import type { InsertBody } from '../../src/commands/demo/model.js';
import { NodeFileSystem } from '../../src/io/index.js';

t.setTimeout(120_000);

const files = new NodeFileSystem();

type Event = { readonly value: string | number; readonly date: string };
type Origin = {
  readonly dimension: string;
  readonly destination: Event[];
  readonly delay: Event[];
  readonly distance: Event[];
};

type Network = {
  readonly dimension: string;
  readonly epicentre: { readonly value: readonly [number, number]; readonly date: string }[];
  readonly strength: { readonly value: number; readonly date: string }[];
};

const parse = (body: InsertBody): Record<string, Origin> => JSON.parse(new TextDecoder().decode(body.bytes));

async function duckDbRows(sql: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(sql)).getRowsJS() as unknown[][];
  connection.closeSync();
  instance.closeSync();
  return rows;
}

t.test('a CSV line is split at commas outside of quotes', async (t) => {
  t.strictSame(splitCsvLine('DBN,"W. H. ""Bud"" Barron",Dublin,,"a,b"'), [
    'DBN',
    'W. H. "Bud" Barron',
    'Dublin',
    '',
    'a,b',
  ]);
  t.strictSame(splitCsvLine(',a'), ['', 'a']);
});

t.test('the airports equal those that DuckDB reads from the same file', async (t) => {
  const rows = await duckDbRows(
    `SELECT iata, name, nullif(city, 'NA'), nullif(state, 'NA'), country, longitude::DOUBLE, latitude::DOUBLE
     FROM read_csv('${DEMO_FILES.airports}', header = true, all_varchar = true)`,
  );
  const expected = rows.map(([id, name, city, state, country, longitude, latitude]) => ({
    id,
    values: { name, city, state, country, location: [longitude, latitude] },
  }));
  t.strictSame(await readAirports(files), expected);
});

t.test('earthquakes keep their lists, and their times are whole seconds', async (t) => {
  const quakes = await readEarthquakes(files);
  const quake = quakes.find(({ id }) => id === 'ak18301484');
  t.strictSame(quake?.values.sources, ['ak', 'us']);
  t.strictSame(quake?.values.time, '2018-02-03T03:28:08Z');
  t.strictSame(quake?.values.felt, null);
});

t.test('every earthquake is an event of its network, with the place and strength in the file', async (t) => {
  const found: string[] = [];
  for await (const body of networkBodies(files)) {
    const networks = Object.entries(
      JSON.parse(new TextDecoder().decode(body.bytes)) as Record<string, Network>,
    );
    for (const [network, { dimension, epicentre, strength }] of networks) {
      if (dimension !== 'networks') t.fail(`${network} is in ${dimension}`);
      for (const [index, { value, date }] of epicentre.entries()) {
        if (strength[index].date !== date) t.fail(`dates of an earthquake of ${network}`);
        found.push([network, date, ...value, strength[index].value].join());
      }
    }
    t.strictSame([body.entityCount, body.rowCount], [networks.length, networks.length]);
    t.equal(body.valueCount, 2 * found.length);
  }
  const rows = await duckDbRows(
    `SELECT net, strftime(date_trunc('second', epoch_ms(time)), '%Y-%m-%dT%H:%M:%SZ'), longitude, latitude, mag
     FROM read_json('${DEMO_FILES.earthquakes}', columns = {net: 'VARCHAR', time: 'BIGINT', longitude: 'DOUBLE',
       latitude: 'DOUBLE', mag: 'DOUBLE'})`,
  );
  t.strictSame(found.sort(), rows.map((row) => row.join()).sort());
});

t.test('an insert body omits missing values and counts every value', async (t) => {
  const entities = Array.from({ length: 1001 }, (_, index) => ({
    id: `e${index}`,
    values: { a: 'x', b: null, list: ['p', 'q'], place: [1, 2] as const },
  }));
  const bodies = [...entityBodies('things', entities)];
  t.strictSame(
    bodies.map((body) => [body.entityCount, body.valueCount, body.rowCount]),
    [
      [1000, 4000, 1000],
      [1, 4, 1],
    ],
  );
  t.strictSame(parse(bodies[1]), { e1000: { dimension: 'things', a: 'x', list: ['p', 'q'], place: [1, 2] } });
});

t.test('the bodies of the small file contain exactly its flights', async (t) => {
  const found: string[] = [];
  for await (const body of flightBodies(readFlights(files, true))) {
    const origins = Object.entries(parse(body));
    let values = 0;
    for (const [origin, { dimension, destination, delay, distance }] of origins) {
      if (dimension !== 'airports') t.fail(`${origin} is in ${dimension}`);
      for (const [index, { value, date }] of destination.entries()) {
        found.push([date, delay[index].value, distance[index].value, origin, value].join());
        if (delay[index].date !== date || distance[index].date !== date)
          t.fail(`dates of a flight of ${origin}`);
      }
      values += destination.length + delay.length + distance.length;
    }
    t.strictSame([body.entityCount, body.valueCount], [origins.length, values]);
  }
  const rows = await duckDbRows(
    `SELECT strftime(strptime(date, '%Y/%m/%d %H:%M'), '%Y-%m-%dT%H:%M:%SZ'), delay, distance, origin, destination
     FROM read_json('${DEMO_FILES.flightsSmall}', columns = {date: 'VARCHAR', delay: 'INTEGER', distance: 'INTEGER',
       origin: 'VARCHAR', destination: 'VARCHAR'})`,
  );
  t.strictSame(found.sort(), rows.map((row) => row.join()).sort());
});

t.test('the large file is read completely, and its bodies are within the limits of an insert', async (t) => {
  let [count, seconds, delay, distance, bodies] = [0, 0, 0, 0, 0];
  const perOrigin = new Map<string, number>();
  async function* watched() {
    for await (const flights of readFlights(files, false)) {
      count += flights.count;
      for (let row = 0; row < flights.count; row++) {
        seconds += flights.seconds[row];
        delay += Number(flights.delays[row]);
        distance += Number(flights.distances[row]);
        perOrigin.set(flights.origins[row], (perOrigin.get(flights.origins[row]) ?? 0) + 1);
      }
      yield flights;
    }
  }
  let [valueCount, bodyBytesMax, entitiesMax] = [0, 0, 0];
  for await (const body of flightBodies(watched())) {
    bodies++;
    valueCount += body.valueCount;
    bodyBytesMax = Math.max(bodyBytesMax, body.bytes.length);
    entitiesMax = Math.max(entitiesMax, body.entityCount);
  }
  t.ok(bodies > 1 && bodyBytesMax <= BODY_BYTES_MAX && entitiesMax <= ENTITIES_PER_INSERT_MAX);
  t.equal(valueCount, 3 * count);
  const source = `read_parquet('${DEMO_FILES.flights}')`;
  const [sums] = await duckDbRows(
    `SELECT count(*)::DOUBLE, sum(epoch(date))::DOUBLE, sum(delay)::DOUBLE, sum(distance)::DOUBLE FROM ${source}`,
  );
  t.strictSame([count, seconds, delay, distance], sums);
  const origins = await duckDbRows(
    `SELECT origin, count(*)::DOUBLE FROM ${source} GROUP BY origin ORDER BY origin`,
  );
  t.strictSame(
    [...perOrigin].sort(([a], [b]) => (a < b ? -1 : 1)),
    origins,
  );
});
