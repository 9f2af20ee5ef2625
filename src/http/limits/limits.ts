/**
 * Rate limits: windows of a minute that begin with their first request, and how much may be written in a minute and in a
 * UTC day. Who has a window:
 *   in a database     each key. All custom keys of a database together also have one, with the same limit: they can use up
 *                     one another's rate, but not that of the master, read and write keys. Users count by email, so that a
 *                     second session gives no second rate; all users of a database together have one as well.
 *   of the team       all team keys and users together
 *   open endpoints    each client address
 * Writes of a UTC day are counted per database.
 * Invariants: a request that is refused with 1502 counts in no window that it was refused for, but an update that the day's
 * plan refuses has used one of its requests a minute by then. All endpoints with rate `query-load` share one window. Memory
 * is bounded by the keys and users that were active in the last two minutes, and by CLIENTS_KEPT. The day's count is that
 * of writes that took effect, so concurrent writes may exceed it together.
 * Times named elapsedMs are of a clock that never goes back.
 */
import type { Catalog, LoadPlan } from '../../catalog/index.js';
import type { DatabaseUsage } from '../../engine/index.js';
import { clientNetwork } from '../auth/address-set.js';
import type { Caller } from '../auth/caller.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import type { WriteCounts } from '../endpoints/handlers/handler.js';
import { nameOf } from '../endpoints/router.js';
import type { LimitTable } from './limit-table.js';
import { CappedWindow, RateExceeded, secondsOf, Window } from './rate-window.js';

const DAY_MS = 86_400_000;

/** A window and what one request counts in it. */
export interface Bound {
  readonly window: Window | CappedWindow;
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

/** The callers of a database that have a window together. */
type CeilingKind = 'custom' | 'user';

const CEILING_NAMES: Readonly<Record<CeilingKind, string>> = {
  custom: 'all custom keys of this database together',
  user: 'all users of this database together',
};

const ceilingKindOf = ({ kind }: Caller): CeilingKind | null =>
  kind === 'custom' || kind === 'user' ? kind : null;

interface DatabaseBounds {
  /** By hash of the key, or email of the user. */
  readonly byCaller: Map<string, Bounds>;
  readonly ceilings: Readonly<Record<CeilingKind, Window[]>>;
}

/** In every list of windows: that of the query-load plan, that of inserted entities, then one per endpoint. */
const QUERY_LOAD = 0;
const ENTITIES = 1;
const FIRST_ENDPOINT = 2;

/** What an endpoint writes, by its name; others write no rows. */
const WRITES: ReadonlyMap<string, 'insert' | 'update'> = new Map([
  ['POST /v1/insert', 'insert'],
  ['POST /v1/update', 'update'],
]);

/** Whose writes are counted, what the database has written so far, and when. */
export interface WriteBudget {
  readonly caller: Caller;
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
  readonly #ofDatabases = new Map<number, DatabaseBounds>();
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
  count(endpoint: Endpoint, { window, cost }: Bound, caller: Caller | null, elapsedMs: number): void {
    if (window.take(cost, elapsedMs)) return;
    this.#refusals.requests++;
    const what = endpoint.rate === 'query-load' ? 'queries' : `requests ${nameOf(endpoint)}`;
    const ceiling = caller === null ? null : ceilingNameOf(window, caller, elapsedMs);
    const by = ceiling === null ? '' : ` by ${ceiling}`;
    throw new RateExceeded(`more than ${window.limit} ${what} in a minute${by}`, window.figures(elapsedMs));
  }

  /** The limit of the caller's requests in the database; null = there is none. */
  inDatabase(endpoint: Endpoint, database: LimitedDatabase, caller: Caller): Bound | null {
    const place = this.#places.get(endpoint);
    return place === undefined ? null : this.#callerBound(place, database, caller);
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
    { caller, database, usage, elapsedMs, clockMs }: WriteBudget,
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
    const { window } = this.#callerBound(place, database, caller);
    if (!window.take(insertedCount, elapsedMs)) {
      this.#refusals['inserted-entities']++;
      const who =
        ceilingNameOf(window, caller, elapsedMs) ?? (caller.kind === 'user' ? 'this user' : 'this key');
      throw new RateExceeded(
        `${insertedCount} more entity IDs would be over the ${window.limit} that ${who} may insert in a minute`,
        window.figures(elapsedMs),
      );
    }
  }

  /** Forgets deleted databases, and callers whose windows are all over. */
  sweep(catalog: Catalog, elapsedMs: number): void {
    for (const [id, { byCaller }] of this.#ofDatabases) {
      if (!catalog.databases.has(id)) this.#ofDatabases.delete(id);
      for (const [caller, bounds] of byCaller) {
        if (bounds.every((bound) => bound?.window.isOver(elapsedMs) !== false)) byCaller.delete(caller);
      }
    }
  }

  /** Callers in databases whose windows are in memory. */
  get callerCount(): number {
    let count = 0;
    for (const { byCaller } of this.#ofDatabases.values()) count += byCaller.size;
    return count;
  }

  #databaseBounds(id: number): DatabaseBounds {
    let bounds = this.#ofDatabases.get(id);
    if (bounds === undefined) {
      bounds = { byCaller: new Map(), ceilings: { custom: [], user: [] } };
      this.#ofDatabases.set(id, bounds);
    }
    return bounds;
  }

  #callerBound(place: Place, database: LimitedDatabase, caller: Caller): Bound {
    const { byCaller, ceilings } = this.#databaseBounds(database.id);
    const id = caller.kind === 'user' ? caller.email : caller.hash;
    let bounds = byCaller.get(id);
    if (bounds === undefined) {
      bounds = [];
      byCaller.set(id, bounds);
    }
    const kind = ceilingKindOf(caller);
    return this.#boundOf(bounds, place, database, kind === null ? null : ceilings[kind]);
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

  /** `ceilings`: windows that the caller shares with others; null = it shares none. */
  #boundOf(
    bounds: Bounds,
    { index, limit, cost }: Place,
    database: LimitedDatabase | null,
    ceilings: Window[] | null = null,
  ): Bound {
    let bound = bounds[index];
    if (bound === undefined) {
      bound = { window: newWindow(index, ceilings), cost };
      bounds[index] = bound;
    }
    bound.window.limit = limit ?? this.#table.queriesPerMinute[database?.queryLoad ?? 'normal'];
    return bound;
  }
}

function newWindow(index: number, ceilings: Window[] | null): Window | CappedWindow {
  if (ceilings === null) return new Window();
  ceilings[index] ??= new Window();
  return new CappedWindow(new Window(), ceilings[index]);
}

/** Whose common window leaves less than the caller's own; null = it does not, or there is none. */
function ceilingNameOf(window: Window | CappedWindow, caller: Caller, elapsedMs: number): string | null {
  const kind = ceilingKindOf(caller);
  const isTighter = window instanceof CappedWindow && window.isCeilingTighter(elapsedMs);
  return kind !== null && isTighter ? CEILING_NAMES[kind] : null;
}
