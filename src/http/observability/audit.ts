/**
 * The audit: one line for each attempt of an authenticated caller to change databases, models, saved queries, segments, keys,
 * users, groups, the account or retention, to stop a query, and to sign in as an existing user. Changes of rows are not audited.
 * Lines go to the log and, if one is configured, to the audit file.
 * Invariants: a line contains no key and no password, and from a body only the names of the changed objects. Refused attempts
 * have a line. Attempts of unknown callers have none, so nobody can fill a disk without a key; attempts to sign in have one only
 * if their password was checked, and sign-in-attempts.ts limits how often that happens.
 */
import type { Logger } from 'pino';
import type { NamedCaller } from '../auth/caller.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import type { ChangedThing } from './audit-changes.js';

export interface AuditEntry {
  /**
   * A key or user; `admin socket`: any client of the admin socket; `command line`: a command on the files of a stopped
   * server.
   */
  readonly who: NamedCaller | 'admin socket' | 'command line';
  /** The endpoint, or the command if the request did not come by HTTP. */
  readonly what: string;
  readonly outcome: 'done' | 'refused' | 'failed';
  readonly changes: readonly ChangedThing[];
  /** Only for HTTP requests, like `client` and `status`. */
  readonly requestId?: string;
  readonly client?: string;
  readonly status?: number;
  /** The code of the error in the answer. */
  readonly code?: number;
  readonly [detail: string]: unknown;
}

/** Receives whole lines without line breaks. Never throws. */
export interface LineSink {
  write(line: string): void;
}

export class Audit {
  readonly #log: Logger;
  readonly #file: LineSink | null;
  readonly #nowMs: () => number;

  constructor(log: Logger, file: LineSink | null, nowMs: () => number) {
    this.#log = log;
    this.#file = file;
    this.#nowMs = nowMs;
  }

  write(entry: AuditEntry): void {
    this.#log.info({ audit: entry }, 'audit');
    this.#file?.write(JSON.stringify({ time: new Date(this.#nowMs()).toISOString(), audit: entry }));
  }
}

/** Permissions of the endpoints that change something other than rows. */
const ADMINISTRATIVE: readonly number[] = [7, 8, 10, 11, 13, 14, 16, 17, 18, 19];

/** True if the endpoint changes something other than rows, or signs a user in. */
export const isAdministrative = (endpoint: Endpoint): boolean =>
  endpoint.scope === 'open' || (endpoint.method !== 'GET' && ADMINISTRATIVE.includes(endpoint.permission));
