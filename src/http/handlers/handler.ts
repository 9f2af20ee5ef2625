/**
 * What an endpoint's handler is given and gives back. By then the request passed every check of the transport:
 * the key opens `databaseId`, the body is whole, decoded and declared as the endpoint wants it.
 */

import type { EngineApi } from '../../engine/index.js';
import type { DatabaseModel } from '../../schema/index.js';

export interface Call {
  readonly engine: EngineApi;
  readonly databaseId: number;
  /** The database as it is now; a handler that changes it decides inside `engine.change` on the newest instead. */
  readonly model: DatabaseModel;
  /** Empty when the request had none. Owns its buffer. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The request's time, milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** Members of the answer's object as JSON text, without braces; `status` and `took` are added by the caller. */
export type Members = string;

/** Throws, or rejects with, a QuarryError for what the client did wrong or what cannot be done now. */
export type Handler = (call: Call) => Members | Promise<Members>;

/** The members of `answer`, which has at least one and holds nothing that JSON cannot write. */
export function membersOf(answer: object): Members {
  return JSON.stringify(answer).slice(1, -1);
}
