/** A client that sends single protocol messages and returns the replies. */
import net from 'node:net';

export interface ReceivedMessage {
  readonly kind: string;
  readonly body: Buffer;
}

export function message(kind: string, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)),
  );
  const head = Buffer.alloc(kind === '' ? 4 : 5);
  if (kind !== '') head.write(kind, 'latin1');
  head.writeInt32BE(body.length + 4, head.length - 4);
  return Buffer.concat([head, body]);
}

export function int16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, at) => {
    bytes.writeInt16BE(value, at * 2);
  });
  return bytes;
}

export function int32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => {
    bytes.writeInt32BE(value, at * 4);
  });
  return bytes;
}

export class RawClient {
  readonly #socket: net.Socket;
  #bytes = Buffer.alloc(0);
  #wake = (): void => {};

  constructor(port: number) {
    this.#socket = net.connect(port, '127.0.0.1');
    this.#socket.on('error', () => {});
    this.#socket.on('data', (part) => {
      this.#bytes = Buffer.concat([this.#bytes, part]);
      this.#wake();
    });
    this.#socket.on('close', () => this.#wake());
  }

  /** Sends messages and returns the replies up to the first of kind `until`. */
  async send(until: string, ...messages: readonly Uint8Array[]): Promise<readonly ReceivedMessage[]> {
    for (const each of messages) this.#socket.write(each);
    const received: ReceivedMessage[] = [];
    for (;;) {
      const next = this.#next();
      if (next === null) {
        if (this.#socket.destroyed) return received;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      received.push(next);
      if (next.kind === until) return received;
    }
  }

  /** Authenticates and returns the replies up to the first ReadyForQuery. */
  start(database: string, key: string): Promise<readonly ReceivedMessage[]> {
    const words = Buffer.concat([int32(196_608), Buffer.from(`user\0raw\0database\0${database}\0\0`)]);
    return this.send('Z', message('', words), message('p', key));
  }

  /** Sends bytes without waiting for a reply. */
  write(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
  }

  #next(): ReceivedMessage | null {
    if (this.#bytes.length < 5) return null;
    const end = 1 + this.#bytes.readInt32BE(1);
    if (this.#bytes.length < end) return null;
    const received = { kind: String.fromCharCode(this.#bytes[0]), body: this.#bytes.subarray(5, end) };
    this.#bytes = this.#bytes.subarray(end);
    return received;
  }
}

/** The kinds of the messages, side by side. */
export const kinds = (received: readonly ReceivedMessage[]): string =>
  received.map(({ kind }) => kind).join('');

/** The bodies of the messages of one kind. */
export const textOf = (received: readonly ReceivedMessage[], kind: string): string =>
  received
    .filter((each) => each.kind === kind)
    .map(({ body }) => body.toString('latin1'))
    .join('|');
