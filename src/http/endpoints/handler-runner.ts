/**
 * Runs the handler of a request on the newest version of the catalog. The body may have taken a minute to arrive, so the
 * caller is authorized again; addresses, content type and rates were checked with the request's head.
 */
import type { Cancellation, RandomBytes } from '../../base/index.js';
import type { Catalog } from '../../catalog/index.js';
import type { LineNumbers } from '../../ingest/index.js';
import type { AdmittedRequest } from '../auth/admission.js';
import { type Authorizer, type AuthorizerDependencies, limitedDatabase } from '../auth/authorize.js';
import type { Caller } from '../auth/caller.js';
import { mayCreate } from '../auth/write-permission.js';
import type { RateLimiter, WriteBudget } from '../limits/limits.js';
import type { RequestNotes } from '../observability/request-notes.js';
import { BoundBodies } from './bound-bodies.js';
import type { Members, StreamedAnswer } from './handlers/handler.js';

export interface HandlerRunnerDependencies extends AuthorizerDependencies {
  readonly authorizer: Authorizer;
  readonly randomBytes: RandomBytes;
}

/** How long a handler waits for host names that it set. */
const LOOK_UP_WAIT_MS_MAX = 2_000;

export class HandlerRunner {
  readonly #dependencies: HandlerRunnerDependencies;
  readonly #boundBodies = new BoundBodies();

  constructor(dependencies: HandlerRunnerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Throws, or rejects with, the handler's error; 502 or another authorization error if the caller is no longer authorized. `lines`: the body
   * is a part of a line body, with these line numbers.
   * The arguments are written out for each scope: spreading a common object took 5 us, a third of a whole request.
   */
  run(
    admitted: AdmittedRequest,
    body: Uint8Array<ArrayBuffer>,
    cancellation: Cancellation,
    notes: RequestNotes,
    lines: LineNumbers | null = null,
  ): Members | StreamedAnswer | Promise<Members | StreamedAnswer> {
    const { engine, clock, sessions, randomBytes, authorizer } = this.#dependencies;
    const { context, pathName } = admitted;
    const { endpoint } = context;
    const nowMs = clock.nowMs();
    const catalog = engine.catalog();
    if (endpoint.scope === 'open') {
      const client = context.clientAddress;
      return endpoint.handler({ engine, catalog, body, nowMs, pathName, sessions, client, notes });
    }
    const caller = authorizer.reauthorize(context, catalog);
    const checkAgain = (newest: Catalog): void => {
      if (newest !== catalog) authorizer.reauthorize(context, newest);
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
    const { databaseId, model, access } = authorizer.databaseContextOf(caller, catalog);
    return endpoint.handler({
      engine,
      catalog,
      body,
      nowMs,
      pathName,
      caller,
      checkAgain,
      databaseId,
      model,
      access,
      mayCreate: mayCreate(catalog, caller, nowMs),
      lines,
      records: admitted.records?.mapping ?? null,
      quarantine: admitted.quarantine,
      idempotencyId: admitted.idempotencyId,
      format: admitted.format,
      boundBodies: this.#boundBodies,
      cancellation,
      notes,
      charge: (entityCount) =>
        this.#charge(databaseId, caller, (limiter, budget) => limiter.charge(endpoint, budget, entityCount)),
      chargeWrites: (counts) =>
        this.#charge(databaseId, caller, (limiter, budget) => limiter.chargeWrites(budget, counts)),
    });
  }

  #addressesResolved(): Promise<void> {
    const { addresses, engine } = this.#dependencies;
    addresses.see(engine.catalog());
    return addresses.whenSettled(LOOK_UP_WAIT_MS_MAX);
  }

  /** Throws 1502. */
  #charge(
    databaseId: number,
    caller: Caller,
    charge: (limiter: RateLimiter, budget: WriteBudget) => void,
  ): void {
    const { limiter, engine, clock, elapsedMs } = this.#dependencies;
    if (limiter === null) return;
    const database = limitedDatabase(engine.catalog(), databaseId);
    const usage = engine.usage(databaseId);
    charge(limiter, { caller, database, usage, elapsedMs: elapsedMs(), clockMs: clock.nowMs() });
  }
}
