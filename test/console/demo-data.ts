/** The demo's small data: 20,000 flights, all airports and earthquakes; and its shop of 2,000 visitors. */
import { PassThrough } from 'node:stream';
import { airportBodies } from '../../src/commands/demo/airports.js';
import { earthquakeBodies } from '../../src/commands/demo/earthquakes.js';
import { flightBodies } from '../../src/commands/demo/flight-bodies.js';
import { readFlights } from '../../src/commands/demo/flights.js';
import { INSERTS_IN_FLIGHT, insertAll } from '../../src/commands/demo/load.js';
import { COLUMNS, DIMENSIONS } from '../../src/commands/demo/model.js';
import { loadShop, type ShopContext, tourShop } from '../../src/commands/demo/shop/run.js';
import { SHOP_VISITORS_SMALL } from '../../src/commands/demo/shop/visitor.js';
import { type RemoteAddress, RemoteClient } from '../../src/commands/remote/client.js';
import { NodeFileSystem } from '../../src/io/index.js';
import type { Keys } from '../support/server-process.js';

interface Loaded extends RemoteAddress {
  readonly keys: Keys;
}

/** Creates the model and inserts its data. */
export async function loadDemo({ keys: { master, write }, ...address }: Loaded): Promise<void> {
  const api = new RemoteClient(address, INSERTS_IN_FLIGHT);
  const make = (at: string, items: unknown) =>
    api.json({ method: 'POST', path: at, key: master, body: JSON.stringify(items) });
  await make('/v1/dimension', DIMENSIONS);
  await make('/v1/column', COLUMNS);
  const files = new NodeFileSystem();
  const now = (): number => performance.now();
  for (const bodies of [
    airportBodies(files),
    flightBodies(readFlights(files, true)),
    earthquakeBodies(files),
  ]) {
    await insertAll(api, write, bodies, now, () => {});
  }
  api.close();
}

/** Creates the shop of the small demo, with its saved questions. */
export async function loadShopOnly({ keys: { master, write }, ...address }: Loaded): Promise<void> {
  const client = new RemoteClient(address, INSERTS_IN_FLIGHT);
  const elapsedMs = (): number => performance.now();
  const shop: ShopContext = {
    ...{ client, masterKey: master, elapsedMs },
    out: new PassThrough().resume(),
    load: (_what, _count, bodies) => insertAll(client, write, bodies, elapsedMs, () => {}),
  };
  await loadShop(shop, SHOP_VISITORS_SMALL);
  await tourShop(shop);
  client.close();
}
