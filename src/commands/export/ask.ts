/** SQL put to the server, its rows as a stream of bytes. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RemoteAccess, type RemoteClient, RemoteError, UnreachableError } from '../remote/index.js';
import { linesOf, membersOf } from './json-line.js';

/** Of the interface: what POST /v1/sql answers when the header Accept says so. */
export const ROW_TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  arrow: 'application/vnd.apache.arrow.stream',
} as const;
export type RowType = keyof typeof ROW_TYPES;

/** 60 requests and more a minute are allowed: a refusal for their number ends within one. */
const WAITS_MAX = 5;

/** A server, and the key to ask it with. */
export class Asker {
  readonly client: RemoteClient;
  readonly access: RemoteAccess;
  readonly signal: AbortSignal;

  constructor(client: RemoteClient, access: RemoteAccess, signal: AbortSignal) {
    this.client = client;
    this.access = access;
    this.signal = signal;
  }

  /** Rejects with RemoteError, and with UnreachableError when there is no answer. Waits when the server says when to come again. */
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

  /** The bytes of the rows. Rejects, also in the middle, when the answer does not come to its end. */
  async *rows(statement: string, type: RowType): AsyncGenerator<Uint8Array> {
    yield* wholeOf(await this.answer(statement, type), this.access.url);
  }

  /** The one number of a SELECT of one. */
  async number(statement: string): Promise<number> {
    for await (const line of linesOf(this.rows(statement, 'ndjson'))) return Number(membersOf(line)[0].json);
    throw new Error(`no row was answered: ${statement}`);
  }
}

/** The server closes the connection before an answer's end when it cannot finish it. */
export async function* wholeOf(answer: IncomingMessage, url: string): AsyncGenerator<Uint8Array> {
  try {
    yield* answer;
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    const text = `${url}: the answer was cut before its end: the server gave it up, or the connection was lost`;
    throw new UnreachableError(text, { cause: error });
  } finally {
    answer.destroy();
  }
}
