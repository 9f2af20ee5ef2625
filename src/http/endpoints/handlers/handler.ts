/**
 * Arguments and results of the endpoints' handlers. A handler runs after all checks: the caller may use the endpoint, and the
 * body is complete, decoded and of the right Content-Type. The call holds the version of the catalog that is current when the
 * handler starts.
 */
import type { RowFormat, RowStream } from '../../../answer/index.js';
import type { Access } from '../../../api/index.js';
import type { Cancellation, RandomBytes } from '../../../base/index.js';
import type { Catalog, CatalogChange } from '../../../catalog/index.js';
import type { EngineApi, QueryFacts, QueryOptions, QueryPlan, QueryProgress } from '../../../engine/index.js';
import type { LineNumbers, Quarantined, RecordMapping } from '../../../ingest/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import type { Caller } from '../../auth/caller.js';
import type { PasswordHasher } from '../../auth/passwords.js';
import type { Sessions } from '../../auth/sessions.js';
import type { LiveEvents } from '../../live/live-event.js';
import type { RunningQueries, StoppedQuery } from '../../observability/running-queries.js';
import type { SlowQueries } from '../../observability/slow-queries.js';
import type { BoundBodies } from '../bound-bodies.js';

/** Facts that a handler reports about its request, for the log of slow queries and the audit. */
export interface HandlerNotes {
  /** Returns the plans that the request sent to the engine; null = none yet. */
  plans: (() => readonly QueryPlan[]) | null;
  /** What the query does; null = none runs. */
  progress: (() => QueryProgress) | null;
  /** What the query waited for and spilled; null = not known yet. */
  facts: QueryFacts | null;
  /** Rows of the answer; null = the answer has no rows. */
  rowCount: number | null;
  /** Lines of the body that were kept instead of inserted; null = none. */
  quarantined: Quarantined | null;
  /** The name of the key or user that sent the request; empty if it has none. */
  readonly callerName: string;
  readonly requestId: string;
  /** Email of the user for whom a client tries to sign in; null = no such user exists. */
  signsInAs: string | null;
  /**
   * Replaces the changes that were reported before: a decision that had to wait is repeated. `before`: the version of the
   * catalog on which the changes were decided.
   */
  changed(changes: readonly CatalogChange[], before: Catalog): void;
  /** Reports for the audit that the request stopped a query. */
  stopped(query: StoppedQuery): void;
}

/** A call with an authenticated caller. */
interface CallerCall {
  readonly caller: Caller;
  /**
   * Throws if the caller is no longer authorized in `newest`. To be called inside `engine.change`, because keys, groups and the
   * account may have changed while the request waited.
   */
  readonly checkAgain: (newest: Catalog) => void;
  /** Receives plans and changes of the request for log and audit. */
  readonly notes: HandlerNotes;
}

interface AnyCall {
  readonly engine: EngineApi;
  /** Handlers that change the catalog decide on the newest version inside `engine.change` instead. */
  readonly catalog: Catalog;
  /** Empty if the request has none. Owns its buffer. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The request's time, milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The text of the path's variable segment, decoded; empty if the path has none. */
  readonly pathName: string;
}

/** A request of the team: databases, custom keys, users, groups. */
export interface TeamCall extends AnyCall, CallerCall {
  readonly randomBytes: RandomBytes;
  readonly passwords: PasswordHasher;
  /** When a custom key, by its hash, was used, in milliseconds since 1970; null = not since the start of the server. */
  readonly lastUsedMs: (keyHash: string) => number | null;
  /** Resolves when the host names of new whitelists were looked up. */
  readonly addressesResolved: () => Promise<void>;
}

/** Entities that a request is about to write. */
export interface WriteCounts {
  readonly insertedCount: number;
  readonly updatedCount: number;
}

/** A request inside one database. */
export interface DatabaseCall extends AnyCall, CallerCall {
  readonly databaseId: number;
  readonly model: DatabaseModel;
  readonly access: Access;
  /** Whether an insert may create columns and dimensions. */
  readonly mayCreate: boolean;
  /** The queries of all databases that run, and those that were logged as slow. */
  readonly queries: RunningQueries;
  readonly slowQueries: SlowQueries;
  /** The cache of bound queries. */
  readonly boundBodies: BoundBodies;
  /** Is cancelled when the client disconnects. */
  readonly cancellation: Cancellation;
  /** Line numbers of a part of a line body; null = the body has the endpoint's body type. */
  readonly lines: LineNumbers | null;
  /** How the records of a body of records become entities; null = the body has entities. */
  readonly records: RecordMapping | null;
  /** The query of the URL if refused lines are to be kept; null = they refuse the body. */
  readonly quarantine: string | null;
  /** ID of a write that takes effect once; null without an Idempotency-Key. */
  readonly idempotencyId: string | null;
  /** The format of rows that the client accepts, for endpoints that offer several. */
  readonly format: RowFormat;
  /** Counts entities that are about to be written against the database's limits. Throws 1502. */
  readonly charge: (entityCount: number) => void;
  /** The same for an endpoint that writes in several ways. */
  readonly chargeWrites: (counts: WriteCounts) => void;
  /** Begins a stream of live answers; null = the endpoint has none. Rejects with 1502 and the errors of the query. */
  readonly openLive: ((call: DatabaseCall, source: LiveSource) => Promise<LiveEvents>) | null;
}

/** An answer that clients follow, and when it has to be computed again. */
export interface Evaluation {
  readonly members: Members;
  /** The last record that the answer has seen. */
  readonly lsn: number;
  /** LSN of the last record, so far, that changed what was read. */
  readonly changedLsn: () => number;
  /** The answer depends on the time, so it may change without a record. */
  readonly readsTime: boolean;
}

export interface LiveSource {
  /** Streams of sources with the same key share their evaluations: it contains everything on which the answer depends. */
  readonly key: string;
  /**
   * Computes the answer with the rights of the call. null = the catalog changed meanwhile, so the answer may be of no version of
   * it. Rejects with the errors of the query.
   */
  readonly evaluate: (call: DatabaseCall) => Promise<Evaluation | null>;
}

/** A request that needs no key: signing in. */
export interface OpenCall extends AnyCall {
  readonly sessions: Sessions;
  /** Text of the client's address. */
  readonly client: string;
  /** Receives the user who signs in, for the audit. */
  readonly notes: HandlerNotes;
}

/** Members of the answer's object as JSON text, without braces; `status` and `took` are added by the caller. */
export type Members = string;

/** Rows that are sent while they are produced. In the format `json` they are members of the answer's object, like `Members`. */
export interface StreamedAnswer {
  readonly rows: RowStream;
}

/** Server-sent events, each with an answer or a notice. */
export interface LiveAnswer {
  readonly events: LiveEvents;
}

/** What an endpoint of a database answers. */
export type DatabaseAnswer = Members | StreamedAnswer | LiveAnswer;

/** Throws, or rejects with, a QuarryError if the request is wrong or the server cannot serve it now. */
export type Handler<Call, Answer extends DatabaseAnswer = Members> = (call: Call) => Answer | Promise<Answer>;

/** The members of `answer`, which must have at least one and only values that JSON can represent. */
export function handleMembersOf(answer: object): Members {
  return JSON.stringify(answer).slice(1, -1);
}

/** Options of the query of a request, which notes what the query waited for. */
export const queryOptionsOf = (
  { cancellation, notes }: DatabaseCall,
  bypassCache: boolean,
): QueryOptions => ({
  cancellation,
  bypassCache,
  onBegin: (progress) => {
    notes.progress = progress;
  },
  onEnd: (facts) => {
    notes.progress = null;
    notes.facts = facts;
  },
});
