/**
 * The turn in which a handler runs: what it is given is of the newest catalog. A body may have taken a minute, so the
 * caller is looked up again; addresses, content type and rates are those of the request's head.
 */
import { type Access, accessOf, FULL_ACCESS } from '../api/index.js';
import { type Clock, type HangUp, invariant, type RandomBytes } from '../base/index.js';
import { type ApiKey, type Catalog, databaseOf } from '../catalog/index.js';
import type { EngineApi } from '../engine/index.js';
import type { LineNumbers } from '../ingest/index.js';
import type { AddressBook } from './addresses.js';
import { type Admitted, limitedDatabase } from './admission.js';
import { BoundBodies } from './bound-bodies.js';
import type { Caller } from './caller.js';
import type { Endpoint } from './endpoints.js';
import type { Members, StreamedAnswer } from './handlers/handler.js';
import { authenticate, authorize, checkAccount, databaseIdOf } from './keys.js';
import type { RateLimiter, WriteBudget } from './limits.js';
import type { RequestNotes } from './request-notes.js';
import { permits, type Sessions } from './sessions.js';

export interface CallerNeeds {
  readonly engine: EngineApi;
  readonly clock: Clock;
  readonly elapsedMs: () => number;
  readonly sessions: Sessions;
  readonly addresses: AddressBook;
  readonly limiter: RateLimiter | null;
  readonly randomBytes: RandomBytes;
}

/** The permission to create dimensions and columns. */
const MODELLING = 7;
/** How long a handler waits for host names that it set. */
const LOOK_UP_WAIT_MS_MAX = 2_000;

type ClosedEndpoint = Exclude<Endpoint, { scope: 'open' }>;

export class HandlerRunner {
  readonly #needs: CallerNeeds;
  readonly #access = new WeakMap<ApiKey, Access>();
  readonly #boundBodies = new BoundBodies();

  constructor(needs: CallerNeeds) {
    this.#needs = needs;
  }

  /**
   * Throws, or rejects with, what the handler does; 502 and the like when the caller is no longer let in. `lines`: the
   * body is lines, so numbered.
   * The calls are written out, because spreading a common part took 5 us, a third of a whole request.
   */
  run(
    admitted: Admitted,
    body: Uint8Array<ArrayBuffer>,
    hangUp: HangUp,
    notes: RequestNotes,
    lines: LineNumbers | null = null,
  ): Members | StreamedAnswer | Promise<Members | StreamedAnswer> {
    const { engine, clock, sessions, randomBytes } = this.#needs;
    const { endpoint, pathName, client } = admitted;
    const nowMs = clock.nowMs();
    const catalog = engine.catalog();
    if (endpoint.scope === 'open') {
      return endpoint.handler({ engine, catalog, body, nowMs, pathName, sessions, client, notes });
    }
    const caller = this.#callerNow(admitted, endpoint, catalog, nowMs);
    const { identity } = admitted;
    const checkAgain = (newest: Catalog): void => {
      if (newest !== catalog && identity !== null)
        this.#callerIn(newest, identity.keyText, endpoint, clock.nowMs());
    };
    if (endpoint.scope === 'team') {
      const addressesResolved = (): Promise<void> => this.#addressesResolved();
      return endpoint.handler({
        engine,
        catalog,
        body,
        nowMs,
        pathName,
        caller,
        checkAgain,
        randomBytes,
        passwords: sessions.passwords,
        addressesResolved,
        notes,
      });
    }
    const databaseId = databaseIdOf(caller);
    invariant(databaseId !== null, 'who may use an endpoint of databases has one');
    return endpoint.handler({
      engine,
      catalog,
      body,
      nowMs,
      pathName,
      caller,
      checkAgain,
      databaseId,
      model: databaseOf(catalog, databaseId),
      access: this.#accessOf(caller),
      mayCreate: mayCreate(catalog, caller, nowMs),
      lines,
      onceId: admitted.onceId,
      format: admitted.format,
      boundBodies: this.#boundBodies,
      hangUp,
      notes,
      charge: (entityCount) =>
        this.#charging(databaseId, caller, (limiter, budget) =>
          limiter.charge(endpoint, budget, entityCount),
        ),
      chargeWrites: (counts) =>
        this.#charging(databaseId, caller, (limiter, budget) => limiter.chargeWrites(budget, counts)),
    });
  }

  /** Throws 502, 1000 to 1003 and what `authorize` throws. */
  #callerNow({ identity }: Admitted, endpoint: ClosedEndpoint, catalog: Catalog, nowMs: number): Caller {
    invariant(identity !== null, 'only open endpoints take requests without a key');
    if (identity.catalog === catalog && identity.caller.kind !== 'user') return identity.caller;
    return this.#callerIn(catalog, identity.keyText, endpoint, nowMs);
  }

  /** Throws 502, 1000 to 1003 and what `authorize` throws. */
  #callerIn(catalog: Catalog, keyText: string, endpoint: ClosedEndpoint, nowMs: number): Caller {
    const caller = authenticate(catalog, this.#needs.sessions, keyText, nowMs);
    checkAccount(catalog);
    authorize(caller, endpoint, catalog, nowMs);
    return caller;
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

  #addressesResolved(): Promise<void> {
    const { addresses, engine } = this.#needs;
    addresses.see(engine.catalog());
    return addresses.whenSettled(LOOK_UP_WAIT_MS_MAX);
  }

  /** Throws 1502. */
  #charging(
    databaseId: number,
    caller: Caller,
    charge: (limiter: RateLimiter, budget: WriteBudget) => void,
  ): void {
    const { limiter, engine, clock, elapsedMs } = this.#needs;
    if (limiter === null) return;
    const database = limitedDatabase(engine.catalog(), databaseId);
    const usage = engine.usage(databaseId);
    charge(limiter, { caller, database, usage, elapsedMs: elapsedMs(), clockMs: clock.nowMs() });
  }
}

/** Whether the caller's inserts may create columns and dimensions. */
function mayCreate(catalog: Catalog, caller: Caller, nowMs: number): boolean {
  if (caller.kind === 'user') return permits(catalog, caller, MODELLING, nowMs) === true;
  return caller.kind !== 'custom';
}
