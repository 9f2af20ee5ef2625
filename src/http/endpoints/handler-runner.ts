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
import type { LiveEvents } from '../live/live-event.js';
import type { LiveHub } from '../live/live-hub.js';
import type { LiveParameters } from '../live/live-parameters.js';
import type { RequestNotes } from '../observability/request-notes.js';
import type { RunningQueries } from '../observability/running-queries.js';
import type { SlowQueries } from '../observability/slow-queries.js';
import { BoundBodies } from './bound-bodies.js';
import type { DatabaseAnswer, DatabaseCall, LiveSource } from './handlers/handler.js';

export interface HandlerRunnerDependencies extends AuthorizerDependencies {
  readonly authorizer: Authorizer;
  readonly randomBytes: RandomBytes;
  readonly live: LiveHub;
  readonly queries: RunningQueries;
  readonly slowQueries: SlowQueries;
  /** Called after each evaluation of a live answer. `error`: what it failed with; null = it did not fail. */
  readonly evaluated: (notes: RequestNotes, milliseconds: number, error: unknown) => void;
}

/** A request of a database whose body has arrived. */
interface DatabaseRequest {
  readonly admitted: AdmittedRequest;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly cancellation: Cancellation;
  readonly notes: RequestNotes;
  readonly lines: LineNumbers | null;
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
  ): DatabaseAnswer | Promise<DatabaseAnswer> {
    const { engine, clock, sessions, randomBytes, authorizer } = this.#dependencies;
    const { context, pathName } = admitted;
    const { endpoint } = context;
    const nowMs = clock.nowMs();
    const catalog = engine.catalog();
    if (endpoint.scope === 'open') {
      const client = context.clientAddress;
      return endpoint.handler({ engine, catalog, body, nowMs, pathName, sessions, client, notes });
    }
    if (endpoint.scope === 'team') {
      const caller = authorizer.reauthorize(context, catalog);
      const checkAgain = (newest: Catalog): void => {
        if (newest !== catalog) authorizer.reauthorize(context, newest);
      };
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
        lastUsedMs: (keyHash) => authorizer.lastUsedMs(keyHash),
        addressesResolved,
        notes,
      });
    }
    return endpoint.handler(this.#databaseCall({ admitted, body, cancellation, notes, lines }, catalog));
  }

  /** Throws the errors of authorization. */
  #databaseCall(request: DatabaseRequest, catalog: Catalog): DatabaseCall {
    const { engine, clock, authorizer, queries, slowQueries } = this.#dependencies;
    const { admitted, body, cancellation, notes, lines } = request;
    const { context, pathName, live } = admitted;
    const { endpoint } = context;
    const caller = authorizer.reauthorize(context, catalog);
    const { databaseId, model, access } = authorizer.databaseContextOf(caller, catalog);
    const nowMs = clock.nowMs();
    return {
      engine,
      catalog,
      body,
      nowMs,
      pathName,
      caller,
      checkAgain: (newest) => {
        if (newest !== catalog) authorizer.reauthorize(context, newest);
      },
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
      queries,
      slowQueries,
      charge: (entityCount) =>
        this.#charge(databaseId, caller, (limiter, budget) => limiter.charge(endpoint, budget, entityCount)),
      chargeWrites: (counts) =>
        this.#charge(databaseId, caller, (limiter, budget) => limiter.chargeWrites(budget, counts)),
      openLive: live === null ? null : (call, source) => this.#openLive(request, live, call, source),
    };
  }

  #openLive(
    request: DatabaseRequest,
    parameters: LiveParameters,
    call: DatabaseCall,
    source: LiveSource,
  ): Promise<LiveEvents> {
    const { live, engine, evaluated, queries } = this.#dependencies;
    return live.open(source, call, parameters, (cancellation) => {
      const notes = request.notes.ofPart();
      notes.text = request.admitted.pathName;
      const renewed = this.#databaseCall({ ...request, cancellation, notes }, engine.catalog());
      const running = queries.begin('live', notes, { cancellation });
      return {
        call: running === null ? renewed : { ...renewed, cancellation: running },
        errorOf: (error) => running?.errorOf(error) ?? error,
        report: (milliseconds, error) => evaluated(notes, milliseconds, error),
        end: () => queries.end(running),
      };
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
