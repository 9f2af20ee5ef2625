/**
 * A keep-alive HTTP/1.1 connection over a plain socket, with at most one request in flight. Only the status,
 * Content-Length and the body of an answer are read.
 * Limits: answers must have a Content-Length (no chunked ones). An error of the socket rejects the request in flight.
 */
import net from 'node:net';
import tls from 'node:tls';

export interface Target {
  /** "http://host:port" or "https://host:port", without a path. */
  readonly url: string;
  readonly path: string;
  readonly key: string;
  /** PEM text of the certificate to trust; needed with https. */
  readonly certificate: string | null;
  /** Content type of the bodies; JSON if absent. */
  readonly contentType?: 'application/json' | 'application/sql';
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

const HEAD_END = '\r\n\r\n';

function openSocket(target: Target): Promise<net.Socket> {
  const { protocol, hostname, port } = new URL(target.url);
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port: Number(port) };
    const socket =
      protocol === 'https:'
        ? tls.connect({ ...options, ca: target.certificate ?? undefined }, () => resolve(socket))
        : net.connect(options, () => resolve(socket));
    socket.once('error', reject);
    socket.setNoDelay(true);
  });
}

export class Connection {
  readonly #socket: net.Socket;
  readonly #headStart: string;
  #received = '';
  #waiting: { resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void } | null = null;

  private constructor(socket: net.Socket, target: Target) {
    this.#socket = socket;
    this.#headStart =
      `POST ${target.path} HTTP/1.1\r\nHost: ${new URL(target.url).host}\r\nAuthorization: ${target.key}\r\n` +
      `Content-Type: ${target.contentType ?? 'application/json'}\r\nContent-Length: `;
    socket.on('data', (part: Buffer) => this.#take(part));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  static async open(target: Target): Promise<Connection> {
    return new Connection(await openSocket(target), target);
  }

  /** Sends a body and resolves with the answer. The previous request must have been answered. */
  post(body: Uint8Array): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.cork();
      this.#socket.write(`${this.#headStart}${body.length}${HEAD_END}`, 'latin1');
      this.#socket.write(body);
      this.#socket.uncork();
    });
  }

  close(): void {
    this.#waiting = null;
    this.#socket.destroy();
  }

  #take(part: Buffer): void {
    this.#received += part.toString('latin1');
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#received.slice(0, headEnd));
    if (length === null) {
      this.#fail(new Error(`no Content-Length in ${this.#received.slice(0, 200)}`));
      return;
    }
    const bodyStart = headEnd + HEAD_END.length;
    if (this.#received.length < bodyStart + Number(length[1])) return;
    const answer = { status: Number(this.#received.slice(9, 12)), body: this.#received.slice(bodyStart) };
    this.#received = '';
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.reject(error);
  }
}
