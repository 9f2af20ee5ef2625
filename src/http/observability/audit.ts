/**
 * The audit: a line for every attempt of somebody known to change what is not rows: databases, models, saved queries,
 * keys, users, groups, the account, retention; and for every attempt to sign in as a user that there is. In the log, and
 * in a file of its own where there is one.
 * Invariants: a line holds no key, no password and nothing of a body but names of what was changed; an attempt that was
 * refused has its line too; one by somebody unknown has none, so that nobody can fill a disk without a key: of attempts to
 * sign in those have one that were told of a password, which sign-in-attempts.ts bounds.
 */
import type { Logger } from 'pino';
import type { NamedCaller } from '../auth/caller.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import type { ChangedThing } from './audit-changes.js';

export interface AuditEntry {
  /** Who did it: a key or user; whoever may use the server's socket; or who opens the files of a stopped store. */
  readonly who: NamedCaller | 'admin socket' | 'command line';
  /** The endpoint, or what was asked past HTTP. */
  readonly what: string;
  readonly outcome: 'done' | 'refused' | 'failed';
  readonly changes: readonly ChangedThing[];
  /** Of HTTP. */
  readonly requestId?: string;
  readonly client?: string;
  readonly status?: number;
  /** Of the error that was answered. */
  readonly code?: number;
  readonly [detail: string]: unknown;
}

/** Takes whole lines, without the line's end; never throws. */
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

/** Permissions of the endpoints that change something other than rows; those that only list have others. */
const ADMINISTRATIVE: readonly number[] = [7, 8, 10, 11, 13, 14, 16, 17, 18, 19];

/** Whether the endpoint changes something other than rows, or lets somebody sign in. */
export const isAdministrative = (endpoint: Endpoint): boolean =>
  endpoint.scope === 'open' || ADMINISTRATIVE.includes(endpoint.permission);
