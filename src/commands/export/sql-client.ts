/** Sends SQL to the server and returns the rows as a stream of bytes. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RemoteAccess, type RemoteClient, RemoteError, UnreachableError } from '../remote/index.js';
import { linesOf, membersOf } from './json-line.js';

/** Media types of the header Accept in which POST /v1/sql answers. */
export const ROW_TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  arrow: 'application/vnd.apache.arrow.stream',
} as const;
export type RowType = keyof typeof ROW_TYPES;

/** The rate limit is per minute: a refusal for it ends within a minute. */
const WAITS_MAX = 5;

/** Sends SQL statements to one server with one key. */
export class SqlClient {
  readonly client: RemoteClient;
  readonly access: RemoteAccess;
  readonly signal: AbortSignal;

  constructor(client: RemoteClient, access: RemoteAccess, signal: AbortSignal) {
    this.client = client;
    this.access = access;
    this.signal = signal;
  }

  /** Rejects with RemoteError, or with UnreachableError without an answer. Waits and retries on an answer with Retry-After. */
  async answer(statement: string, rows: RowType): Promise<IncomingMessage> {
    const request = {
      method: 'POST',
      path: '/v1/sql',
      key: this.access.key,
      body: statement,
      contentType: 'application/sql',
      headers: { accept: ROW_TYPES[rows] },
      signal: this.signal,
    } as const;
    for (let waits = 0; ; waits++) {
      try {
        return await this.client.stream(request);
      } catch (error) {
        const seconds = error instanceof RemoteError ? error.retryAfterSeconds : null;
        if (seconds === null || waits === WAITS_MAX) throw error;
        await sleep(seconds * 1000, undefined, { signal: this.signal });
      }
    }
  }

  /** The bytes of the rows. Rejects, possibly after some bytes, when the answer is not complete. */
  async *rows(statement: string, type: RowType): AsyncGenerator<Uint8Array> {
    yield* wholeOf(await this.answer(statement, type), this.access.url);
  }

  /** The result of a SELECT that returns one number. */
  async number(statement: string): Promise<number> {
    for await (const line of linesOf(this.rows(statement, 'ndjson'))) return Number(membersOf(line)[0].json);
    throw new Error(`the answer has no row: ${statement}`);
  }
}

/** The bytes of an answer. Rejects when the server closes the connection before the end, as it does after an error. */
export async function* wholeOf(answer: IncomingMessage, url: string): AsyncGenerator<Uint8Array> {
  try {
    yield* answer;
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    const text = `${url}: the answer is incomplete: the server cancelled it, or the connection was lost`;
    throw new UnreachableError(text, { cause: error });
  } finally {
    answer.destroy();
  }
}
