/**
 * How often: windows of a minute that begin with their first request, per database (endpoints of the team: one for
 * the team; open ones: per client), and how much may be written in a minute and in a UTC day.
 * Invariants: what is refused with 1502 does not count in the window that refused it, but an update that the day's
 * plan refuses has used one of its requests a minute by then; all endpoints with rate `query-load` of a database share
 * one window; what stands in memory is bounded, however many clients ask. The day's count is that of writes that took
 * effect, so those that are under way at the same time may go over it together.
 * Times named elapsedMs are of a clock that never goes back.
 */
import type { Catalog, LoadPlan } from '../catalog/index.js';
import type { DatabaseUsage } from '../engine/index.js';
import { clientNetwork } from './address-set.js';
import type { Endpoint } from './endpoints.js';
import type { WriteCounts } from './handlers/handler.js';
import type { LimitTable } from './limit-table.js';
import { RateExceeded, secondsOf, Window } from './rate-window.js';
import { nameOf } from './router.js';

const DAY_MS = 86_400_000;

/** A window and what one request counts in it. */
export interface Bound {
  readonly window: Window;
  readonly cost: number;
}

/** How much was refused with 1502, by the limit that it met. */
export interface RefusalCounts {
  readonly requests: number;
  readonly 'inserted-entities': number;
  readonly 'daily-writes': number;
  readonly 'sign-ins': number;
}

export const NO_REFUSALS: RefusalCounts = {
  requests: 0,
  'inserted-entities': 0,
  'daily-writes': 0,
  'sign-ins': 0,
};

type RefusedHere = Exclude<keyof RefusalCounts, 'sign-ins'>;

/** What of a database its limits depend on. */
export interface LimitedDatabase {
  readonly id: number;
  readonly queryLoad: LoadPlan;
  readonly insertionLoad: LoadPlan;
}

/** Where the window of an endpoint stands, its figure (null = that of the plan), and what one request counts. */
interface Place {
  readonly index: number;
  readonly limit: number | null;
  readonly cost: number;
}

type Bounds = (Bound | undefined)[];

/** In every list of windows: that of the query-load plan, that of inserted entities, then one per endpoint. */
const QUERY_LOAD = 0;
const ENTITIES = 1;
const FIRST_ENDPOINT = 2;

/** What an endpoint writes, by its name; others write no rows. */
const WRITES: ReadonlyMap<string, 'insert' | 'update'> = new Map([
  ['POST /v1/insert', 'insert'],
  ['POST /v1/update', 'update'],
]);

/** Whose writes are counted, what it has written so far, and when. */
export interface WriteBudget {
  readonly database: LimitedDatabase;
  readonly usage: DatabaseUsage;
  /** Of a clock that never goes back. */
  readonly elapsedMs: number;
  /** Since 1970-01-01. */
  readonly clockMs: number;
}

/** Clients that are known at least; twice as many at most. */
const CLIENTS_KEPT = 10_000;

export class RateLimiter {
  readonly #table: LimitTable;
  readonly #places: ReadonlyMap<Endpoint, Place>;
  readonly #ofDatabases = new Map<number, Bounds>();
  /** The clients that came last, and those before them: a Map that loses its oldest entry each time is slow. */
  #ofClients = new Map<string, Bounds>();
  #ofEarlierClients: ReadonlyMap<string, Bounds> = new Map();
  readonly #ofTeam: Bounds = [];
  readonly #refusals: Record<RefusedHere, number> = {
    requests: 0,
    'inserted-entities': 0,
    'daily-writes': 0,
  };

  constructor(table: LimitTable, endpoints: readonly Endpoint[]) {
    this.#table = table;
    const places = new Map<Endpoint, Place>();
    endpoints.forEach((endpoint, at) => {
      const name = nameOf(endpoint);
      const figure = table.requestsPerMinute.get(name) ?? endpoint.rate;
      if (figure === 'query-load') places.set(endpoint, { index: QUERY_LOAD, limit: null, cost: 1 });
      else if (figure !== null) places.set(endpoint, { index: FIRST_ENDPOINT + at, limit: figure, cost: 1 });
      else if (WRITES.get(name) === 'insert')
        places.set(endpoint, { index: ENTITIES, limit: table.entitiesPerMinute, cost: 0 });
    });
    this.#places = places;
  }

  get refusals(): Pick<RefusalCounts, RefusedHere> {
    return this.#refusals;
  }

  /** Counts one request. Throws RateExceeded when it is one too many. */
  count(endpoint: Endpoint, { window, cost }: Bound, elapsedMs: number): void {
    if (window.take(cost, elapsedMs)) return;
    this.#refusals.requests++;
    const what = endpoint.rate === 'query-load' ? 'queries' : `requests ${nameOf(endpoint)}`;
    throw new RateExceeded(`more than ${window.limit} ${what} in a minute`, window.figures(elapsedMs));
  }

  /** What a request of the database is bound by; null = nothing. */
  inDatabase(endpoint: Endpoint, database: LimitedDatabase): Bound | null {
    const place = this.#places.get(endpoint);
    return place === undefined ? null : this.#boundOf(this.#databaseBounds(database.id), place, database);
  }

  ofTeam(endpoint: Endpoint): Bound | null {
    const place = this.#places.get(endpoint);
    return place === undefined ? null : this.#boundOf(this.#ofTeam, place, null);
  }

  /** `address` is text; the addresses of one IPv6 network of 64 bits count as one client. */
  ofClient(endpoint: Endpoint, address: string): Bound | null {
    const place = this.#places.get(endpoint);
    if (place === undefined) return null;
    return this.#boundOf(this.#clientBounds(clientNetwork(address)), place, null);
  }

  /** Counts entities that are about to be written by an endpoint that writes of one kind: see `chargeWrites`. */
  charge(endpoint: Endpoint, budget: WriteBudget, entityCount: number): void {
    const kind = WRITES.get(nameOf(endpoint));
    if (kind === 'insert') this.chargeWrites(budget, { insertedCount: entityCount, updatedCount: 0 });
    if (kind === 'update') this.chargeWrites(budget, { insertedCount: 0, updatedCount: entityCount });
  }

  /** Counts entities that are about to be written. Throws RateExceeded when that is too many, and counts nothing. */
  chargeWrites(
    { database, usage, elapsedMs, clockMs }: WriteBudget,
    { insertedCount, updatedCount }: WriteCounts,
  ): void {
    const entityCount = insertedCount + updatedCount;
    const limit = this.#table.writesPerDay[database.insertionLoad];
    const today = Math.floor(clockMs / DAY_MS);
    const writtenCount = usage.day === today ? usage.dayWriteCount : 0;
    if (writtenCount + entityCount > limit) {
      this.#refusals['daily-writes']++;
      const resetSeconds = secondsOf((today + 1) * DAY_MS - clockMs);
      throw new RateExceeded(
        `${entityCount} more entities would be over the ${limit} that this database may insert and update in a day`,
        { limit, remaining: Math.max(0, limit - writtenCount), resetSeconds },
      );
    }
    if (insertedCount === 0) return;
    const place = { index: ENTITIES, limit: this.#table.entitiesPerMinute, cost: 0 };
    const { window } = this.#boundOf(this.#databaseBounds(database.id), place, database);
    if (!window.take(insertedCount, elapsedMs)) {
      this.#refusals['inserted-entities']++;
      throw new RateExceeded(
        `${insertedCount} more entity IDs would be over the ${window.limit} that this database may insert in a minute`,
        window.figures(elapsedMs),
      );
    }
  }

  /** Forgets databases that are gone. */
  sweep(catalog: Catalog): void {
    for (const id of this.#ofDatabases.keys()) if (!catalog.databases.has(id)) this.#ofDatabases.delete(id);
  }

  #databaseBounds(id: number): Bounds {
    let bounds = this.#ofDatabases.get(id);
    if (bounds === undefined) {
      bounds = [];
      this.#ofDatabases.set(id, bounds);
    }
    return bounds;
  }

  #clientBounds(client: string): Bounds {
    let bounds = this.#ofClients.get(client);
    if (bounds === undefined) {
      bounds = this.#ofEarlierClients.get(client) ?? [];
      if (this.#ofClients.size >= CLIENTS_KEPT) {
        this.#ofEarlierClients = this.#ofClients;
        this.#ofClients = new Map();
      }
      this.#ofClients.set(client, bounds);
    }
    return bounds;
  }

  #boundOf(bounds: Bounds, { index, limit, cost }: Place, database: LimitedDatabase | null): Bound {
    let bound = bounds[index];
    if (bound === undefined) {
      bound = { window: new Window(), cost };
      bounds[index] = bound;
    }
    bound.window.limit = limit ?? this.#table.queriesPerMinute[database?.queryLoad ?? 'normal'];
    return bound;
  }
}
