/**
 * The queries that are being evaluated, of HTTP, the Postgres port and live answers, so that an operator can list and stop them.
 * Invariants: a query is listed from the call of its handler until its answer was sent, and only to its own database. A stop uses
 * the cancellation of a disconnected client, and never undoes a write that is in the log.
 */
import { type Cancellation, QuarryError } from '../../base/index.js';
import type { QueryFacts, QueryProgress } from '../../engine/index.js';
import type { answers } from '../../interface/index.js';
import { type Caller, type NamedCaller, nameCaller } from '../auth/caller.js';
import { queryTextOf } from './query-text.js';

/** The oldest running queries of a database that are listed; the others are counted. */
const LISTED_MAX = 500;

type ListedQuery = answers.RunningQuery;
type QueryKind = ListedQuery['kind'];

/** What is known about the request of a query. */
export interface QueryNotes {
  readonly requestId: string;
  readonly endpointName: string;
  readonly endpoint: { readonly isQuery?: boolean; readonly isLive: boolean } | null;
  readonly caller: Caller | null;
  readonly databaseId: number | null;
  readonly text: Uint8Array | string;
  readonly progress: (() => QueryProgress) | null;
  readonly facts: QueryFacts | null;
}

/** A query that was stopped, for the audit: its request and the name of its key. */
export interface StoppedQuery extends Partial<NamedCaller> {
  readonly requestId: string;
}

/** The client of a running query. */
export interface QueryClient {
  /** Is cancelled when the client disconnects; null = the query has another cancellation than its QueryRequest. */
  readonly cancellation: Cancellation | null;
  /** Called when the query is stopped, after its cancellation. */
  readonly onStop?: (error: QuarryError) => void;
}

/** One running query. Its handler gets it as its cancellation. */
export class QueryRequest implements Cancellation {
  readonly number: number;
  readonly kind: QueryKind;
  readonly notes: QueryNotes;
  readonly startedMs: number;
  readonly #client: QueryClient;
  #act: (() => void) | null = null;
  #stopped: QuarryError | null = null;

  constructor(number: number, kind: QueryKind, notes: QueryNotes, startedMs: number, client: QueryClient) {
    this.number = number;
    this.kind = kind;
    this.notes = notes;
    this.startedMs = startedMs;
    this.#client = client;
  }

  get isCancelled(): boolean {
    return this.#stopped !== null || this.#client.cancellation?.isCancelled === true;
  }

  onCancel(act: (() => void) | null): void {
    this.#act = act;
    this.#client.cancellation?.onCancel(act);
  }

  /** Cancels the query, which then fails with 9007. */
  stop(): void {
    if (this.#stopped !== null) return;
    this.#stopped = new QuarryError(9007, 'the query was stopped by an operator');
    this.#act?.();
    this.#client.onStop?.(this.#stopped);
  }

  /** 9007 instead of the 9005 with which a query fails that was stopped; any other error is returned as it is. */
  errorOf(error: unknown): unknown {
    return this.#stopped !== null && error instanceof QuarryError && error.code === 9005
      ? this.#stopped
      : error;
  }

  get state(): ListedQuery['state'] {
    const { progress, facts } = this.notes;
    if (progress === null) return facts === null ? 'running' : 'sending';
    const { waitsFor } = progress();
    return waitsFor === null ? 'running' : `waiting-for-${waitsFor}`;
  }
}

export interface RunningQueriesDependencies {
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs: () => number;
  readonly nowMs: () => number;
  /** Prefix of the IDs of queries: an ID from before a restart stops no query. */
  readonly instanceId: string;
}

export class RunningQueries {
  readonly #dependencies: RunningQueriesDependencies;
  /** By their numbers, in the order of their starts. */
  readonly #running = new Map<number, QueryRequest>();
  #lastNumber = 0;

  constructor(dependencies: RunningQueriesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Null if the endpoint is none of queries, or one whose evaluations are listed one by one. The caller must call `end`. */
  begin(kind: QueryKind, notes: QueryNotes, client: QueryClient): QueryRequest | null {
    const { endpoint } = notes;
    if (endpoint?.isQuery !== true || endpoint.isLive !== (kind === 'live')) return null;
    const number = ++this.#lastNumber;
    const startedMs = this.#dependencies.elapsedMs();
    const running = new QueryRequest(number, kind, notes, startedMs, client);
    this.#running.set(number, running);
    return running;
  }

  end(running: QueryRequest | null): void {
    if (running !== null) this.#running.delete(running.number);
  }

  /** The queries of a database, the oldest first. `count`: of all, also of those that are not listed. */
  list(databaseId: number): { readonly count: number; readonly queries: readonly ListedQuery[] } {
    const own = [...this.#running.values()].filter(({ notes }) => notes.databaseId === databaseId);
    return { count: own.length, queries: own.slice(0, LISTED_MAX).map((running) => this.#listed(running)) };
  }

  /** Stops a query of a database and says whose request it is; null = no such query runs in that database. */
  stop(databaseId: number, id: string): StoppedQuery | null {
    const found = this.#running.get(Number(id.slice(id.lastIndexOf('-') + 1)));
    if (found === undefined || found.notes.databaseId !== databaseId || this.#idOf(found) !== id) return null;
    found.stop();
    const { requestId, caller } = found.notes;
    return { requestId, ...(caller === null ? {} : nameCaller(caller)) };
  }

  #idOf({ number }: QueryRequest): string {
    return `${this.#dependencies.instanceId}-${number}`;
  }

  #listed(running: QueryRequest): ListedQuery {
    const { notes, kind, state } = running;
    const milliseconds = Math.round(this.#dependencies.elapsedMs() - running.startedMs);
    const { key, keyName } = notes.caller === null ? { key: '' } : nameCaller(notes.caller);
    return {
      id: this.#idOf(running),
      'request-id': notes.requestId,
      kind,
      endpoint: notes.endpointName,
      key,
      ...(keyName === undefined ? {} : { 'key-name': keyName }),
      started: new Date(this.#dependencies.nowMs() - milliseconds).toISOString(),
      milliseconds,
      state,
      'reserved-bytes': notes.progress?.().reservedBytes ?? 0,
      query: queryTextOf(notes.text),
    };
  }
}
