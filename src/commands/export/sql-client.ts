/** Sends SQL to the server and returns the rows as a stream of bytes. */
import type { AnswerStream } from '../../client/transport/index.js';
import { type RemoteAccess, type RemoteClient, waiting } from '../remote/index.js';
import { linesOf, membersOf } from './json-line.js';

/** Media types of the header Accept in which POST /v1/sql answers. */
export const ROW_TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  arrow: 'application/vnd.apache.arrow.stream',
} as const;
export type RowType = keyof typeof ROW_TYPES;

/** Sends SQL statements to one server with one key. */
export class SqlClient {
  readonly client: RemoteClient;
  readonly access: RemoteAccess;
  readonly signal: AbortSignal;
  readonly #note: (text: string) => void;

  /** `note` gets the reason of each wait. */
  constructor(client: RemoteClient, access: RemoteAccess, signal: AbortSignal, note: (text: string) => void) {
    this.client = client;
    this.access = access;
    this.signal = signal;
    this.#note = note;
  }

  /** Rejects with RemoteError, or with UnreachableError without an answer. Waits and retries on an answer with Retry-After. */
  answer(statement: string, rows: RowType): Promise<AnswerStream> {
    return this.client.stream({
      ...{ method: 'POST', path: '/v1/sql', key: this.access.key, signal: this.signal },
      ...{ body: statement, contentType: 'application/sql', headers: { accept: ROW_TYPES[rows] } },
      retries: waiting(this.#note),
    });
  }

  /** The bytes of the rows. Rejects, possibly after some bytes, when the answer is not complete. */
  async *rows(statement: string, type: RowType): AsyncGenerator<Uint8Array> {
    yield* (await this.answer(statement, type)).bytes;
  }

  /** The result of a SELECT that returns one number. */
  async number(statement: string): Promise<number> {
    for await (const line of linesOf(this.rows(statement, 'ndjson'))) return Number(membersOf(line)[0].json);
    throw new Error(`the answer has no row: ${statement}`);
  }
}
