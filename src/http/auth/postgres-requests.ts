/**
 * Requests of the Postgres port: a SELECT, a write or a query on the catalogs, from a client that presents a key as its password.
 * Invariant: each is authorized, rate-limited, counted and logged as the HTTP endpoint of the same purpose.
 */

import { type Clock, invariant, QuarryError } from '../../base/index.js';
import type { CatalogChange, KeySecrets, PresentedKey } from '../../catalog/index.js';
import type { EngineApi, QueryFacts, QueryPlan, QueryProgress } from '../../engine/index.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import type { RateLimiter } from '../limits/limits.js';
import { cutText } from '../observability/query-text.js';
import type { RequestLog } from '../observability/request-log.js';
import { RequestNotes } from '../observability/request-notes.js';
import type { QueryRequest, RunningQueries } from '../observability/running-queries.js';
import { type Authorizer, type DatabaseContext, limitedDatabase, type RequestContext } from './authorize.js';
import type { Caller } from './caller.js';
import { checkColumns, checkTables, checkViews, checkWriter, mayCreate } from './write-permission.js';

/** The credentials of a client of another protocol. */
export interface PostgresCredentials {
  readonly key: PresentedKey;
  /** Text of the client's address. */
  readonly address: string;
}

/** The scope of a statement: rows, or the names of dimensions and columns. */
export type StatementScope = 'rows' | 'columns';

/** The endpoint whose permission and rate a statement needs. */
const ENDPOINT_OF: Readonly<Record<StatementScope, readonly [method: string, path: string]>> = {
  rows: ['POST', '/v1/sql'],
  columns: ['GET', '/v1/column'],
};

/** The caller's view of the database, in the turn in which the request was authorized. */
export interface PostgresContext extends DatabaseContext {
  readonly caller: Caller;
  readonly nowMs: number;
}

/** The caller's permission to write, for one statement. */
export interface WriteGrant {
  readonly customKey: boolean;
  /** Throws 511 if the caller may not create tables, or delete them (`deletes`). */
  readonly checkTables: (deletes: boolean) => void;
  /** Throws 503 or 505 if the caller may not create columns, or delete them (`deletes`). */
  readonly checkColumns: (deletes: boolean) => void;
  /** Throws 503 if the caller may not create views, or drop them (`drops`). */
  readonly checkViews: (drops: boolean) => void;
  /** Counts entities that are about to be written. Throws 1502. */
  readonly charge: (insertedCount: number, updatedCount: number) => void;
}

export interface PostgresRequestsDependencies {
  readonly engine: EngineApi;
  readonly limiter: RateLimiter | null;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly elapsedMs: () => number;
  readonly endpoints: readonly Endpoint[];
  readonly log: RequestLog;
  readonly queries: RunningQueries;
  readonly nextRequestId: () => string;
}

/** Numbers of queries without a session begin here; sessions have lower ones until there were as many. */
const PROCESS_IDS_FROM = 2 ** 30;

/** Longer texts are cut in pg_stat_activity, as in PostgreSQL. */
const ROW_TEXT_MAX = 1_024;

/** A query that runs outside of the port, with its row in pg_stat_activity. */
export interface ElsewhereQuery {
  readonly processId: number;
  row(): Readonly<Record<string, string | number | null>>;
  cancel(): void;
  terminate(): void;
}

/** An authorized statement: reports its plan and its end to the log. */
export class PostgresRequest {
  readonly context: PostgresContext;
  readonly #notes: RequestNotes;
  readonly #dependencies: PostgresRequestsDependencies;
  readonly #startedMs: number;
  readonly #running: QueryRequest | null;

  /** `stop`: cancels the statement. */
  constructor(
    context: PostgresContext,
    notes: RequestNotes,
    dependencies: PostgresRequestsDependencies,
    stop: () => void,
  ) {
    this.context = context;
    this.#notes = notes;
    this.#dependencies = dependencies;
    this.#startedMs = dependencies.elapsedMs();
    this.#running = dependencies.queries.begin('postgres', notes, { cancellation: null, onStop: stop });
  }

  /** Throws 503 or 507 for callers that may only read. */
  grantWrite(): WriteGrant {
    const { engine, limiter, clock, elapsedMs } = this.#dependencies;
    const { caller, databaseId } = this.context;
    checkWriter(caller);
    return {
      customKey: !mayCreate(engine.catalog(), caller, this.context.nowMs),
      checkTables: (deletes) => checkTables(engine.catalog(), caller, this.context.nowMs, deletes),
      checkColumns: (deletes) => checkColumns(engine.catalog(), caller, this.context.nowMs, deletes),
      checkViews: (drops) => checkViews(engine.catalog(), caller, this.context.nowMs, drops),
      charge: (insertedCount, updatedCount) => {
        if (limiter === null) return;
        const database = limitedDatabase(engine.catalog(), databaseId);
        const usage = engine.usage(databaseId);
        const budget = { caller, database, usage, elapsedMs: elapsedMs(), clockMs: clock.nowMs() };
        limiter.chargeWrites(budget, { insertedCount, updatedCount });
      },
    };
  }

  /** Reports changes of the catalog, for the audit. */
  changed(changes: readonly CatalogChange[]): void {
    this.#notes.changed(changes, this.#dependencies.engine.catalog());
  }

  planned(plan: QueryPlan): void {
    this.#notes.plans = () => [plan];
  }

  begun(progress: () => QueryProgress): void {
    this.#notes.progress = progress;
  }

  measured(facts: QueryFacts): void {
    this.#notes.progress = null;
    this.#notes.facts = facts;
  }

  /** To be called once. `error`: null = success; an error other than QuarryError is a bug and is logged as one. */
  ended(error: unknown, rowCount: number): void {
    const { log, elapsedMs, queries } = this.#dependencies;
    queries.end(this.#running);
    const notes = this.#notes;
    const status = error === null ? 200 : error instanceof QuarryError ? error.status : 500;
    if (error instanceof QuarryError) notes.code = error.code;
    else if (error !== null) log.unexpected(notes, error);
    notes.rowCount = rowCount;
    const milliseconds = elapsedMs() - this.#startedMs;
    log.answered(notes, status, milliseconds / 1000);
    if (log.isSlow(notes, milliseconds)) log.slow(notes, status, milliseconds / 1000);
  }
}

export class PostgresRequests {
  readonly #dependencies: PostgresRequestsDependencies;

  constructor(dependencies: PostgresRequestsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The keys of a database that SCRAM can verify, by its name; none if there is no such database. */
  scramKeys(databaseName: string): readonly KeySecrets[] {
    const catalog = this.#dependencies.engine.catalog();
    const database = [...catalog.databases.values()].find(({ name }) => name === databaseName);
    return [...catalog.keys.values()].flatMap((key) => {
      const { hash, scram } = key;
      const isOfDatabase = key.kind !== 'team' && key.databaseId === database?.id;
      return isOfDatabase && scram !== undefined ? [{ hash, scram }] : [];
    });
  }

  /** Authorizes a new session. Throws the refusals of POST /v1/sql, except 1502: opening a session has no rate limit. */
  connect(client: PostgresCredentials): PostgresContext {
    const { context } = this.#authorize(client, 'rows', '');
    return this.#begin(context);
  }

  /**
   * Authorizes a statement. Throws the refusals of its endpoint. `text`: for operators; `stop`: called when one of them stops the
   * statement.
   */
  execute(
    client: PostgresCredentials,
    scope: StatementScope,
    text: string,
    stop: () => void,
  ): PostgresRequest {
    const { context, notes } = this.#authorize(client, scope, text);
    this.#dependencies.authorizer.countRequest(context);
    return new PostgresRequest(this.#begin(context), notes, this.#dependencies, stop);
  }

  /** The queries of a database that run outside of the port, in the form of its sessions. */
  runningElsewhere(databaseId: number): readonly ElsewhereQuery[] {
    const { queries } = this.#dependencies;
    const others = queries.list(databaseId).queries.filter(({ kind }) => kind !== 'postgres');
    return others.map(({ id, key, 'key-name': name, endpoint, started, query }) => {
      const processId = PROCESS_IDS_FROM + (Number(id.slice(id.lastIndexOf('-') + 1)) % PROCESS_IDS_FROM);
      const times = { backend_start: started, query_start: started, state_change: started };
      const named = { pid: processId, usename: name ?? key, client_addr: null, application_name: endpoint };
      const stop = (): void => void queries.stop(databaseId, id);
      // PostgreSQL has no text with a zero character.
      const text = cutText(query, ROW_TEXT_MAX).replaceAll('\0', '\ufffd');
      const row = { ...named, ...times, state: 'active', query: text };
      return { processId, row: () => row, cancel: stop, terminate: stop };
    });
  }

  #authorize(
    { key, address }: PostgresCredentials,
    scope: StatementScope,
    text: string,
  ): { readonly context: RequestContext; readonly notes: RequestNotes } {
    const { authorizer, nextRequestId } = this.#dependencies;
    const notes = new RequestNotes(nextRequestId(), address);
    notes.text = text;
    const endpoint = this.#endpointOf(scope);
    notes.found(endpoint);
    const observer = {
      found: () => {},
      identified: (caller: RequestContext['caller']) => {
        notes.caller = caller;
      },
      limited: () => {},
    };
    return { context: authorizer.authorize({ key, peer: { address } }, endpoint, observer), notes };
  }

  #begin(request: RequestContext): PostgresContext {
    const { authorizer, clock } = this.#dependencies;
    invariant(request.caller !== null, 'statements have a caller');
    authorizer.noteRequest(request);
    const { caller } = request;
    return { ...authorizer.databaseContextOf(caller, request.catalog), caller, nowMs: clock.nowMs() };
  }

  #endpointOf(scope: StatementScope): Endpoint {
    const [wantedMethod, wantedPath] = ENDPOINT_OF[scope];
    const found = this.#dependencies.endpoints.find(
      ({ method, path }) => method === wantedMethod && path === wantedPath,
    );
    invariant(found !== undefined, 'the endpoint table has the endpoints of statements');
    return found;
  }
}
