/** A client that sends raw bytes over TCP or TLS and collects all bytes received until the connection ends. */
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import type { Serving } from '../../support/server-process.js';

export interface Heard {
  readonly text: string;
  /** The server ended the connection. */
  readonly closed: boolean;
}

export class RawClient {
  readonly socket: net.Socket;
  #text = '';
  #closed = false;
  readonly #ended: Promise<void>;

  private constructor(socket: net.Socket) {
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => {
      this.#text += bytes.toString('latin1');
    });
    // A reset counts as an end.
    socket.on('error', () => {});
    this.#ended = new Promise((resolve) =>
      socket.on('close', () => {
        this.#closed = true;
        resolve();
      }),
    );
  }

  /** Resolves when the connection was established or refused. */
  static async open({ httpPort, httpsPort }: Serving, secure: boolean): Promise<RawClient> {
    const host = '127.0.0.1';
    const socket = secure
      ? tls.connect({ host, port: httpsPort, rejectUnauthorized: false })
      : net.connect(httpPort, host);
    const client = new RawClient(socket);
    const opened = new Promise<void>((resolve) => socket.once(secure ? 'secureConnect' : 'connect', resolve));
    await Promise.race([opened, client.#ended]);
    return client;
  }

  /** Plain TCP to the HTTPS port. */
  static async openBare({ httpsPort }: Serving): Promise<RawClient> {
    return RawClient.open({ httpPort: httpsPort, httpsPort }, false);
  }

  send(bytes: string | Uint8Array): void {
    if (!this.#closed && this.socket.writable) this.socket.write(bytes);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get text(): string {
    return this.#text;
  }

  /** The bytes received until the server closed the connection, `done` returned true, or `waitMsMax` passed; then closes it. */
  async heard(waitMsMax: number, done: (text: string) => boolean = () => false): Promise<Heard> {
    const untilMs = performance.now() + waitMsMax;
    while (!this.#closed && !done(this.#text) && performance.now() < untilMs) {
      await Promise.race([this.#ended, pause(20)]);
    }
    const heard = { text: this.#text, closed: this.#closed };
    this.drop();
    return heard;
  }

  drop(): void {
    this.socket.destroy();
  }
}

/** The status of each answer in `text`, and the code of error answers. */
export function answersIn(text: string): string[] {
  const answers = text.split('HTTP/1.1 ').slice(1);
  return answers
    .filter((answer) => !answer.startsWith('100 '))
    .map((answer) => {
      const code = /"code":(\d+)/.exec(answer)?.[1];
      return code === undefined ? answer.slice(0, 3) : `${answer.slice(0, 3)} ${code}`;
    });
}
