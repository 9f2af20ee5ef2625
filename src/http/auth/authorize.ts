/**
 * Authorizes requests of all protocols: derives the context of a request from a key and an address. The HTTP listeners
 * and the Postgres port both use it, so no protocol admits a request that another one refuses. Checks, in the
 * interface's order: 9004 (not ready); 500 to 502; account states 1000 to 1003; addresses 504; permissions 503, 505,
 * 507, 509, 511. The first one that fails is thrown. `countRequest` then checks the rate (1502).
 */
import { type Access, accessOf, FULL_ACCESS } from '../../api/index.js';
import { type Clock, invariant, QuarryError } from '../../base/index.js';
import {
  type ApiKey,
  type Catalog,
  databaseOf,
  hashOfPresented,
  type PresentedKey,
  propertiesOf,
  type SavedQuery,
  savedQueriesOf,
} from '../../catalog/index.js';
import type { EngineApi } from '../../engine/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import type { LimitedDatabase, RateLimit, RateLimiter } from '../limits/limits.js';
import type { AddressBook } from './addresses.js';
import type { Caller } from './caller.js';
import { authenticate, checkAccount, checkPermission, databaseIdOf } from './keys.js';
import type { Sessions } from './sessions.js';

/** The credentials that a client presents. */
export interface Credentials {
  /** A key or a session's key; null = none was sent. */
  readonly key: PresentedKey | null;
  /** Text of the client's address, which is read only when a check needs it. */
  readonly peer: { readonly address: string };
}

/** A request whose client may use the endpoint. */
export interface RequestContext {
  readonly endpoint: Endpoint;
  /** null at open endpoints. */
  readonly caller: Caller | null;
  /** To find the caller again later. Empty at open endpoints. */
  readonly keyHash: string;
  /** The version of the catalog in which the caller was found. */
  readonly catalog: Catalog;
  /** null at open endpoints and those of the team. */
  readonly databaseId: number | null;
  /** Text of the client's address at open endpoints, else empty. */
  readonly clientAddress: string;
  /** null = rates do not limit such requests. */
  readonly limit: RateLimit | null;
}

/** Receives facts about a request as soon as they are known, also when a later check fails. */
export interface RequestObserver {
  found(endpoint: Endpoint): void;
  /** The key is valid, whatever it permits. */
  identified(caller: Caller): void;
  /** The rate limit of requests of this kind. */
  limited(limit: RateLimit): void;
}

/** A caller's view of a database, in the turn in which it was looked up. */
export interface DatabaseContext {
  readonly databaseId: number;
  readonly model: DatabaseModel;
  /** The saved queries of the database, by name. */
  readonly savedQueries: ReadonlyMap<string, SavedQuery>;
  readonly access: Access;
}

export interface AuthorizerDependencies {
  readonly engine: EngineApi;
  readonly clock: Clock;
  readonly elapsedMs: () => number;
  readonly sessions: Sessions;
  readonly addresses: AddressBook;
  /** null = there are no rate limits. */
  readonly limiter: RateLimiter | null;
}

export class Authorizer {
  readonly #dependencies: AuthorizerDependencies;
  readonly #access = new WeakMap<ApiKey, Access>();
  /** By the hash of a custom key. */
  readonly #lastUsedMs = new Map<string, number>();

  constructor(dependencies: AuthorizerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws QuarryError with the first check that fails. Counts nothing. */
  authorize({ key, peer }: Credentials, endpoint: Endpoint, observer: RequestObserver): RequestContext {
    const { engine, addresses, limiter, sessions, clock } = this.#dependencies;
    if (!engine.ready) throw new QuarryError(9004, 'the server is starting or stopping');
    const catalog = engine.catalog();
    addresses.see(catalog);
    if (endpoint.scope === 'open') {
      checkAccount(catalog);
      const clientAddress = peer.address;
      const limit = limiter?.ofClient(endpoint, clientAddress) ?? null;
      if (limit !== null) observer.limited(limit);
      return { endpoint, caller: null, keyHash: '', catalog, databaseId: null, clientAddress, limit };
    }
    if (key === null) throw new QuarryError(500);
    if (key === '') throw new QuarryError(501);
    const nowMs = clock.nowMs();
    const keyHash = hashOfPresented(key);
    const caller = authenticate(catalog, sessions, keyHash, nowMs);
    observer.identified(caller);
    checkAccount(catalog);
    this.#checkAddress(caller, catalog, peer);
    checkPermission(caller, endpoint, catalog, nowMs);
    if (caller.kind === 'custom') this.#noteUse(keyHash, catalog, nowMs);
    const databaseId = databaseIdOf(caller);
    const limit = this.#limitOf(endpoint, caller, databaseId, catalog);
    if (limit !== null) observer.limited(limit);
    return { endpoint, caller, keyHash, catalog, databaseId, clientAddress: '', limit };
  }

  /** The last authorized request with a custom key, in milliseconds since 1970; null = none since the start of the server. */
  lastUsedMs(keyHash: string): number | null {
    return this.#lastUsedMs.get(keyHash) ?? null;
  }

  #noteUse(keyHash: string, { keys }: Catalog, nowMs: number): void {
    this.#lastUsedMs.set(keyHash, nowMs);
    if (this.#lastUsedMs.size <= keys.size) return;
    for (const hash of this.#lastUsedMs.keys()) if (!keys.has(hash)) this.#lastUsedMs.delete(hash);
  }

  /** Counts the request against its rate limit. Throws 1502. */
  countRequest({ endpoint, limit, caller }: RequestContext): void {
    const { limiter, elapsedMs } = this.#dependencies;
    if (limit !== null) limiter?.count(endpoint, limit, caller, elapsedMs());
  }

  /** Counts the request in the statistics of its database: every check of its head has passed. */
  noteRequest({ endpoint, databaseId }: RequestContext): void {
    if (endpoint.scope !== 'database' || databaseId === null) return;
    this.#dependencies.engine.noteRequest(databaseId, endpoint.isQuery);
  }

  /**
   * The caller in a newer version of the catalog. Throws 502, 1000 to 1003 and the errors of the permission check. The
   * permissions of users depend on the time, so they are checked in any case.
   */
  reauthorize({ endpoint, caller, keyHash, catalog }: RequestContext, newest: Catalog): Caller {
    invariant(endpoint.scope !== 'open' && caller !== null, 'requests of open endpoints have no caller');
    if (newest === catalog && caller.kind !== 'user') return caller;
    const { sessions, clock } = this.#dependencies;
    const nowMs = clock.nowMs();
    const found = authenticate(newest, sessions, keyHash, nowMs);
    checkAccount(newest);
    checkPermission(found, endpoint, newest, nowMs);
    return found;
  }

  databaseContextOf(caller: Caller, catalog: Catalog): DatabaseContext {
    const databaseId = databaseIdOf(caller);
    invariant(databaseId !== null, 'callers of database endpoints belong to a database');
    const model = databaseOf(catalog, databaseId);
    const savedQueries = savedQueriesOf(catalog, databaseId);
    return { databaseId, model, savedQueries, access: this.#accessOf(caller) };
  }

  #accessOf(caller: Caller): Access {
    if (caller.kind !== 'custom') return FULL_ACCESS;
    let access = this.#access.get(caller);
    if (access === undefined) {
      access = accessOf(caller);
      this.#access.set(caller, access);
    }
    return access;
  }

  /** Throws 504. */
  #checkAddress(caller: Caller, catalog: Catalog, peer: Credentials['peer']): void {
    const databaseId = databaseIdOf(caller);
    if (databaseId === null) return;
    const ofDatabase = propertiesOf(catalog, databaseId).addressesWhitelist;
    const ofKey = caller.kind === 'custom' ? caller.addressesWhitelist : [];
    if (ofDatabase.length === 0 && ofKey.length === 0) return;
    const { addresses } = this.#dependencies;
    const { address } = peer;
    if (!addresses.admits(ofDatabase, address) || !addresses.admits(ofKey, address)) {
      throw new QuarryError(504, `the address ${address} is not in the whitelist`);
    }
  }

  #limitOf(
    endpoint: Endpoint,
    caller: Caller,
    databaseId: number | null,
    catalog: Catalog,
  ): RateLimit | null {
    const { limiter } = this.#dependencies;
    if (limiter === null) return null;
    return databaseId === null
      ? limiter.ofTeam(endpoint)
      : limiter.inDatabase(endpoint, limitedDatabase(catalog, databaseId), caller);
  }
}

export function limitedDatabase(catalog: Catalog, id: number): LimitedDatabase {
  const { queryLoad, insertionLoad } = propertiesOf(catalog, id);
  return { id, queryLoad, insertionLoad };
}
