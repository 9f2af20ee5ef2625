/**
 * Rate limits: windows of a minute that begin with their first request, and how much may be written in a minute and in a
 * UTC day. Windows exist for:
 *   in a database     each key. All custom keys of a database together also have one, with the same limit: they can use up
 *                     one another's rate, but not that of the master, read and write keys. Users count by email, so that a
 *                     second session gives no second rate; all users of a database together have one as well.
 *   of the team       all team keys and users together
 *   open endpoints    each client address
 * Writes of a UTC day are counted per database.
 * Invariants: a request that is refused with 1502 is not counted in the window that refused it, but an update that the day's
 * plan refuses has already used one of its requests a minute. All endpoints with rate `query-load` share one window. Memory
 * is bounded by the keys and users that were active in the last two minutes, and by CLIENTS_MIN. The day's count is that
 * of writes that took effect, so concurrent writes may exceed it together.
 * Times named elapsedMs are of a monotonic clock.
 */
import type { Catalog, LoadPlan } from '../../catalog/index.js';
import type { DatabaseUsage } from '../../engine/index.js';
import { clientNetwork } from '../auth/address-set.js';
import type { Caller } from '../auth/caller.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import type { WriteCounts } from '../endpoints/handlers/handler.js';
import { nameOf } from '../endpoints/router.js';
import type { LimitTable } from './limit-table.js';
import { CappedWindow, RateExceeded, RateWindow, retrySecondsOf } from './rate-window.js';

const DAY_MS = 86_400_000;

/** A window, and the amount that one request adds to it. */
export interface RateLimit {
  readonly window: RateWindow | CappedWindow;
  readonly cost: number;
}

/** Refusals with 1502 by limit. */
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

/** The properties of a database on which its limits depend. */
export interface LimitedDatabase {
  readonly id: number;
  readonly queryLoad: LoadPlan;
  readonly insertionLoad: LoadPlan;
}

/** The window of an endpoint, its limit (null = that of the plan), and the amount that one request adds. */
interface EndpointLimit {
  readonly windowIndex: number;
  readonly limit: number | null;
  readonly cost: number;
}

type RateLimits = (RateLimit | undefined)[];

/** Kinds of callers that share a window per database. */
type CeilingKind = 'custom' | 'user';

const CEILING_NAMES: Readonly<Record<CeilingKind, string>> = {
  custom: 'all custom keys of this database together',
  user: 'all users of this database together',
};

const ceilingKindOf = ({ kind }: Caller): CeilingKind | null =>
  kind === 'custom' || kind === 'user' ? kind : null;

interface DatabaseRateLimits {
  /** By hash of the key, or email of the user. */
  readonly byCaller: Map<string, RateLimits>;
  readonly ceilings: Readonly<Record<CeilingKind, RateWindow[]>>;
}

/** Indexes in a list of windows: the query-load plan, inserted entities, then one per endpoint. */
const QUERY_LOAD = 0;
const ENTITIES = 1;
const FIRST_ENDPOINT = 2;

/** The kind of writes of an endpoint, by its name; other endpoints write no rows. */
const WRITES: ReadonlyMap<string, 'insert' | 'update'> = new Map([
  ['POST /v1/insert', 'insert'],
  ['POST /v1/insert/lines', 'insert'],
  ['POST /v1/update', 'update'],
]);

/** The caller whose writes are counted, the database with its usage so far, and the time. */
export interface WriteBudget {
  readonly caller: Caller;
  readonly database: LimitedDatabase;
  readonly usage: DatabaseUsage;
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs: number;
  /** Since 1970-01-01. */
  readonly clockMs: number;
}

/** Clients whose windows are in memory: at least this number of the latest clients, at most twice the number. */
const CLIENTS_MIN = 10_000;

export class RateLimiter {
  readonly #table: LimitTable;
  readonly #endpointLimits: ReadonlyMap<Endpoint, EndpointLimit>;
  readonly #ofDatabases = new Map<number, DatabaseRateLimits>();
  /** Two generations of clients, because a Map that loses its oldest entry at each insertion is slow. */
  #ofClients = new Map<string, RateLimits>();
  #ofEarlierClients: ReadonlyMap<string, RateLimits> = new Map();
  readonly #ofTeam: RateLimits = [];
  readonly #refusals: Record<RefusedHere, number> = {
    requests: 0,
    'inserted-entities': 0,
    'daily-writes': 0,
  };

  constructor(table: LimitTable, endpoints: readonly Endpoint[]) {
    this.#table = table;
    const endpointLimits = new Map<Endpoint, EndpointLimit>();
    endpoints.forEach((endpoint, at) => {
      const name = nameOf(endpoint);
      const rate = table.requestsPerMinute.get(name) ?? endpoint.rate;
      if (rate === 'query-load')
        endpointLimits.set(endpoint, { windowIndex: QUERY_LOAD, limit: null, cost: 1 });
      else if (rate !== null)
        endpointLimits.set(endpoint, { windowIndex: FIRST_ENDPOINT + at, limit: rate, cost: 1 });
      else if (WRITES.get(name) === 'insert')
        endpointLimits.set(endpoint, { windowIndex: ENTITIES, limit: table.entitiesPerMinute, cost: 0 });
    });
    this.#endpointLimits = endpointLimits;
  }

  get refusals(): Pick<RefusalCounts, RefusedHere> {
    return this.#refusals;
  }

  /** Counts one request. Throws RateExceeded if it exceeds the limit. */
  count(endpoint: Endpoint, { window, cost }: RateLimit, caller: Caller | null, elapsedMs: number): void {
    if (window.tryCount(cost, elapsedMs)) return;
    this.#refusals.requests++;
    const what = endpoint.rate === 'query-load' ? 'queries' : `requests ${nameOf(endpoint)}`;
    const ceiling = caller === null ? null : ceilingNameOf(window, caller, elapsedMs);
    const by = ceiling === null ? '' : ` by ${ceiling}`;
    throw new RateExceeded(`more than ${window.limit} ${what} in a minute${by}`, window.status(elapsedMs));
  }

  /** The limit of the caller's requests in the database; null = no limit. */
  inDatabase(endpoint: Endpoint, database: LimitedDatabase, caller: Caller): RateLimit | null {
    const endpointLimit = this.#endpointLimits.get(endpoint);
    return endpointLimit === undefined ? null : this.#callerLimit(endpointLimit, database, caller);
  }

  ofTeam(endpoint: Endpoint): RateLimit | null {
    const endpointLimit = this.#endpointLimits.get(endpoint);
    return endpointLimit === undefined ? null : this.#limitIn(this.#ofTeam, endpointLimit, null);
  }

  /** `address` is text; the addresses of one IPv6 network of 64 bits count as one client. */
  ofClient(endpoint: Endpoint, address: string): RateLimit | null {
    const endpointLimit = this.#endpointLimits.get(endpoint);
    if (endpointLimit === undefined) return null;
    return this.#limitIn(this.#clientLimits(clientNetwork(address)), endpointLimit, null);
  }

  /** Counts entities that are about to be written by an endpoint that writes of one kind: see `chargeWrites`. */
  charge(endpoint: Endpoint, budget: WriteBudget, entityCount: number): void {
    const kind = WRITES.get(nameOf(endpoint));
    if (kind === 'insert') this.chargeWrites(budget, { insertedCount: entityCount, updatedCount: 0 });
    if (kind === 'update') this.chargeWrites(budget, { insertedCount: 0, updatedCount: entityCount });
  }

  /** Counts entities that are about to be written. Throws RateExceeded, and counts nothing, if they exceed a limit. */
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
      const resetSeconds = retrySecondsOf((today + 1) * DAY_MS - clockMs);
      throw new RateExceeded(
        `${entityCount} more entities would be over the ${limit} that this database may insert and update in a day`,
        { limit, remaining: Math.max(0, limit - writtenCount), resetSeconds },
      );
    }
    if (insertedCount === 0) return;
    const endpointLimit = { windowIndex: ENTITIES, limit: this.#table.entitiesPerMinute, cost: 0 };
    const { window } = this.#callerLimit(endpointLimit, database, caller);
    if (!window.tryCount(insertedCount, elapsedMs)) {
      this.#refusals['inserted-entities']++;
      const who =
        ceilingNameOf(window, caller, elapsedMs) ?? (caller.kind === 'user' ? 'this user' : 'this key');
      throw new RateExceeded(
        `${insertedCount} more entity IDs would be over the ${window.limit} that ${who} may insert in a minute`,
        window.status(elapsedMs),
      );
    }
  }

  /** Removes deleted databases, and callers whose windows are all over. */
  sweep(catalog: Catalog, elapsedMs: number): void {
    for (const [id, { byCaller }] of this.#ofDatabases) {
      if (!catalog.databases.has(id)) this.#ofDatabases.delete(id);
      for (const [caller, limits] of byCaller) {
        if (limits.every((rateLimit) => rateLimit?.window.isOver(elapsedMs) !== false))
          byCaller.delete(caller);
      }
    }
  }

  /** Callers in databases whose windows are in memory. */
  get callerCount(): number {
    let count = 0;
    for (const { byCaller } of this.#ofDatabases.values()) count += byCaller.size;
    return count;
  }

  #databaseLimits(id: number): DatabaseRateLimits {
    let limits = this.#ofDatabases.get(id);
    if (limits === undefined) {
      limits = { byCaller: new Map(), ceilings: { custom: [], user: [] } };
      this.#ofDatabases.set(id, limits);
    }
    return limits;
  }

  #callerLimit(endpointLimit: EndpointLimit, database: LimitedDatabase, caller: Caller): RateLimit {
    const { byCaller, ceilings } = this.#databaseLimits(database.id);
    const id = caller.kind === 'user' ? caller.email : caller.hash;
    let limits = byCaller.get(id);
    if (limits === undefined) {
      limits = [];
      byCaller.set(id, limits);
    }
    const kind = ceilingKindOf(caller);
    return this.#limitIn(limits, endpointLimit, database, kind === null ? null : ceilings[kind]);
  }

  #clientLimits(client: string): RateLimits {
    let limits = this.#ofClients.get(client);
    if (limits === undefined) {
      limits = this.#ofEarlierClients.get(client) ?? [];
      if (this.#ofClients.size >= CLIENTS_MIN) {
        this.#ofEarlierClients = this.#ofClients;
        this.#ofClients = new Map();
      }
      this.#ofClients.set(client, limits);
    }
    return limits;
  }

  /** `ceilings`: windows that the caller shares with others; null = it shares none. */
  #limitIn(
    limits: RateLimits,
    { windowIndex, limit, cost }: EndpointLimit,
    database: LimitedDatabase | null,
    ceilings: RateWindow[] | null = null,
  ): RateLimit {
    let rateLimit = limits[windowIndex];
    if (rateLimit === undefined) {
      rateLimit = { window: newWindow(windowIndex, ceilings), cost };
      limits[windowIndex] = rateLimit;
    }
    rateLimit.window.limit = limit ?? this.#table.queriesPerMinute[database?.queryLoad ?? 'normal'];
    return rateLimit;
  }
}

function newWindow(windowIndex: number, ceilings: RateWindow[] | null): RateWindow | CappedWindow {
  if (ceilings === null) return new RateWindow();
  ceilings[windowIndex] ??= new RateWindow();
  return new CappedWindow(new RateWindow(), ceilings[windowIndex]);
}

/** The name of the shared window if it has less capacity left than the caller's own; else null. */
function ceilingNameOf(window: RateWindow | CappedWindow, caller: Caller, elapsedMs: number): string | null {
  const kind = ceilingKindOf(caller);
  const isTighter = window instanceof CappedWindow && window.isCeilingTighter(elapsedMs);
  return kind !== null && isTighter ? CEILING_NAMES[kind] : null;
}
