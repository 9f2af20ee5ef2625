/**
 * What an endpoint's handler is given and gives back. By then the request passed every check of the transport: the
 * caller may use the endpoint, the body is whole, decoded and declared as the endpoint wants it. What a call says of
 * the catalog is that of the turn in which the handler runs.
 */

import type { RowFormat, RowStream } from '../../../answer/index.js';
import type { Access } from '../../../api/index.js';
import type { Cancellation, RandomBytes } from '../../../base/index.js';
import type { Catalog } from '../../../catalog/index.js';
import type { EngineApi } from '../../../engine/index.js';
import type { LineNumbers } from '../../../ingest/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import type { Caller } from '../../auth/caller.js';
import type { PasswordHasher } from '../../auth/passwords.js';
import type { Sessions } from '../../auth/sessions.js';
import type { AskNotes } from '../../observability/handler-notes.js';
import type { BoundBodies } from '../bound-bodies.js';

/** Of requests with a key. */
interface CallerCall {
  readonly caller: Caller;
  /**
   * Throws when the caller is not let in by `newest` any more: to be asked inside `engine.change`, since keys, groups
   * and the account may have changed while the request waited.
   */
  readonly checkAgain: (newest: Catalog) => void;
  /** Told what is asked and changed, for log and audit. */
  readonly notes: AskNotes;
}

interface AnyCall {
  readonly engine: EngineApi;
  /** A handler that changes the catalog decides inside `engine.change` on the newest instead. */
  readonly catalog: Catalog;
  /** Empty when the request had none. Owns its buffer. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The request's time, milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** What stands in the path's place of `:name`, decoded; empty when it has none. */
  readonly pathName: string;
}

/** A request of the team: databases, custom keys, users, groups. */
export interface TeamCall extends AnyCall, CallerCall {
  readonly randomBytes: RandomBytes;
  readonly passwords: PasswordHasher;
  /** Resolves when the host names of whitelists that were just set have been looked up. */
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
  /** What bodies of queries were bound to before. */
  readonly boundBodies: BoundBodies;
  /** Who waits for the answer. */
  readonly cancellation: Cancellation;
  /** The body is lines, so numbered; null = it is what the endpoint's body type says. */
  readonly lines: LineNumbers | null;
  /** What names a write that takes effect once; null without an Idempotency-Key. */
  readonly onceId: string | null;
  /** How rows are wanted, where the endpoint gives them in several forms. */
  readonly format: RowFormat;
  /** Counts entities that are about to be written against the database's limits. Throws 1502. */
  readonly charge: (entityCount: number) => void;
  /** The same for an endpoint that writes in several ways. */
  readonly chargeWrites: (counts: WriteCounts) => void;
}

/** A request that needs no key: signing in. */
export interface OpenCall extends AnyCall {
  readonly sessions: Sessions;
  /** Text of the client's address. */
  readonly client: string;
  /** Told who signs in, for the audit. */
  readonly notes: AskNotes;
}

/** Members of the answer's object as JSON text, without braces; `status` and `took` are added by the caller. */
export type Members = string;

/** Rows that are sent while they are made. The parts of `json` are members of the answer's object, as those of `Members`. */
export interface StreamedAnswer {
  readonly rows: RowStream;
}

/** Throws, or rejects with, a QuarryError for what the client did wrong or what cannot be done now. */
export type Handler<Call, Answer extends Members | StreamedAnswer = Members> = (
  call: Call,
) => Answer | Promise<Answer>;

/** The members of `answer`, which has at least one and holds nothing that JSON cannot write. */
export function membersOf(answer: object): Members {
  return JSON.stringify(answer).slice(1, -1);
}
