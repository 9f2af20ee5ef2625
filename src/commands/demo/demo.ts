/**
 * `quarry demo`: creates the model, loads real data and a generated shop over HTTPS into an empty server and runs a tour of queries.
 * The caller starts and stops the server. data/README.md names the origin of the data.
 */
import type { FileSystem } from '../../io/index.js';
import { formatCount, type Output, startProgress } from '../progress.js';
import { type RemoteAddress, RemoteClient } from '../remote/client.js';
import { airportBodies } from './airports.js';
import { earthquakeBodies, networkBodies } from './earthquakes.js';
import { flightBodies } from './flight-bodies.js';
import { FLIGHT_COUNT, FLIGHT_COUNT_SMALL, readFlights } from './flights.js';
import { INSERTS_IN_FLIGHT, insertAll, type LoadReport } from './load.js';
import { COLUMNS, DIMENSIONS, type InsertBody } from './model.js';
import { questionsOf } from './questions.js';
import type { ShopAnswer } from './shop/questions.js';
import { loadShop, type ShopContext, tourShop } from './shop/run.js';
import { SHOP_VISITORS, SHOP_VISITORS_SMALL } from './shop/visitor.js';
import { type Answered, type DemoKeys, runTour } from './tour.js';

export type { Answer } from './answer.js';
export type { Answered } from './tour.js';
export type { Output };

export interface DemoServer extends RemoteAddress, DemoKeys {
  readonly writeKey: string;
}

export interface DemoOptions {
  readonly server: DemoServer;
  readonly files: FileSystem;
  readonly out: Output;
  /** A monotonic clock, in milliseconds with fractions. */
  readonly elapsedMs: () => number;
  /** 20,000 flights instead of 3 million, and 2,000 visitors of the shop instead of 200,000. */
  readonly small: boolean;
}

export interface DemoReport {
  /** The load of the flights only. */
  readonly flights: LoadReport;
  readonly answers: readonly Answered[];
  readonly shop: readonly ShopAnswer[];
}

/**
 * Runs the whole demo on a server whose database has none of the demo's dimensions.
 * Rejects with RemoteError when the server refuses a request.
 */
export async function runDemo(options: DemoOptions): Promise<DemoReport> {
  const { server, files, out, elapsedMs, small } = options;
  const client = new RemoteClient(server, INSERTS_IN_FLIGHT);
  const make = (path: string, items: readonly object[]): Promise<unknown> =>
    client.json({ method: 'POST', path, key: server.masterKey, body: JSON.stringify(items) });
  const load = async (
    what: string,
    total: number | null,
    bodies: AsyncGenerator<InsertBody>,
  ): Promise<LoadReport> => {
    const progress = total === null ? null : startProgress(out, { what, total, unit: 'rows' }, elapsedMs);
    const report = await insertAll(client, server.writeKey, bodies, elapsedMs, (body) =>
      progress?.add(body.rowCount, body.bytes.length),
    ).finally(() => progress?.stop());
    const rate = formatCount(report.rowCount / report.seconds);
    const megabytes = report.byteCount / 1e6;
    out.write(
      `  ${formatCount(report.rowCount)} ${what} in ${report.seconds.toFixed(2)} s: ${rate}/s, ` +
        `${megabytes.toFixed(1)} MB of JSON in ${report.bodyCount} inserts, ${(megabytes / report.seconds).toFixed(1)} MB/s\n`,
    );
    return report;
  };
  try {
    out.write(
      'Quarry demo: US airports, their departures of 2001, and a week of earthquakes (see data/README.md); a shop\n',
    );
    await make('/v1/dimension', DIMENSIONS);
    await make('/v1/column', COLUMNS);
    out.write(`  created ${DIMENSIONS.length} dimensions with ${COLUMNS.length} columns\n`);
    await load('airports', null, airportBodies(files));
    const flightCount = small ? FLIGHT_COUNT_SMALL : FLIGHT_COUNT;
    const flights = await load('flights', flightCount, flightBodies(readFlights(files, small)));
    await load('earthquakes', null, earthquakeBodies(files));
    await load('networks', null, networkBodies(files));
    const shop: ShopContext = { client, masterKey: server.masterKey, out, elapsedMs, load };
    await loadShop(shop, small ? SHOP_VISITORS_SMALL : SHOP_VISITORS);
    out.write('  every insert above is on disk: each answer waited for the disk\n');
    const answers = await runTour(questionsOf(small), client, server, out, elapsedMs);
    return { flights, answers, shop: await tourShop(shop) };
  } finally {
    client.close();
  }
}
