/** A client that sends lines to a server and reads the answer of each part, both at its own pace. */
import http from 'node:http';
import https from 'node:https';

/** The answer for one part. */
export interface PartAnswer {
  readonly part: number;
  readonly 'first-line': number;
  readonly lines: number;
  readonly status: 'success' | 'error';
  readonly 'inserted-entities'?: number;
  readonly 'inserted-values'?: number;
  readonly 'quarantined-lines'?: number;
  readonly 'duplicate-lines'?: number;
  readonly errors?: readonly {
    readonly code: number;
    readonly message: string;
    readonly 'more-info'?: unknown;
  }[];
  readonly 'retry-after'?: number;
}

export interface LineAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** The received part of the answer. */
  readonly text: string;
  /** Whether the end was received. */
  readonly whole: boolean;
}

export interface LineTarget {
  readonly port: number;
  readonly overTls?: boolean;
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: /v1/insert */
  readonly path?: string;
  /** The answer is not read before `read`. */
  readonly deaf?: boolean;
}

export class LineClient {
  /** Settles with the received answer, also when the connection ended early. */
  readonly answer: Promise<LineAnswer>;
  readonly #request: http.ClientRequest;
  #response: http.IncomingMessage | null = null;
  #text = '';
  #onText = (): void => {};
  #isOver = false;

  constructor({ port, overTls = false, key, headers = {}, path = '/v1/insert', deaf = false }: LineTarget) {
    const all = { Authorization: key, 'Content-Type': 'application/x-ndjson', ...headers };
    const options = {
      port,
      host: '127.0.0.1',
      path,
      method: 'POST',
      headers: all,
      agent: false,
    };
    this.#request = overTls
      ? https.request({ ...options, agent: false, rejectUnauthorized: false })
      : http.request({ ...options, agent: false });
    this.#request.setNoDelay(true);
    this.answer = new Promise((resolve) => {
      const settle = (whole: boolean): void => {
        this.#isOver = true;
        this.#onText();
        const { statusCode = 0, headers = {} } = this.#response ?? {};
        resolve({ status: statusCode, headers, text: this.#text, whole });
      };
      this.#request.on('error', () => settle(false));
      this.#request.on('response', (response) => {
        this.#response = response;
        if (!deaf) this.read();
        response.on('end', () => settle(response.complete));
        response.on('close', () => settle(response.complete));
      });
    });
  }

  /** Starts reading the answer. */
  read(): void {
    this.#response?.setEncoding('utf8');
    this.#response?.on('data', (text: string) => {
      this.#text += text;
      this.#onText();
    });
  }

  /** Resolves when the operating system accepted the bytes or the connection was closed. */
  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#request.write(bytes, () => resolve());
    });
  }

  end(): void {
    this.#request.end();
  }

  /** Closes the connection before the end of the body. */
  disconnect(): void {
    this.#request.destroy();
  }

  /** Resolves with the answers so far, once `count` were received or the answer ended. */
  async parts(count: number): Promise<readonly PartAnswer[]> {
    while (this.#parts.length < count && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#onText = resolve;
      });
    }
    return this.#parts;
  }

  get #parts(): readonly PartAnswer[] {
    return partsIn(this.#text);
  }
}

/** The answers in the complete lines of `text`. */
export function partsIn(text: string): PartAnswer[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as PartAnswer);
}

/** Sends a complete body in pieces of `pieceBytes`. */
export async function sendLines(
  target: LineTarget,
  body: string | Uint8Array,
  pieceBytes = 64 * 1024,
): Promise<LineAnswer & { readonly parts: readonly PartAnswer[] }> {
  const client = new LineClient(target);
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += pieceBytes)
    await client.write(bytes.subarray(at, at + pieceBytes));
  client.end();
  const answer = await client.answer;
  const isInParts = answer.headers['content-type'] === 'application/x-ndjson';
  return { ...answer, parts: isInParts ? partsIn(answer.text) : [] };
}
