/**
 * Wraps uWebSockets.js: the only file that imports it, with the few functions that the front end uses.
 * The front end relies on the following behavior of this version, which was found by experiment:
 * - a handler must answer at once or set `onAborted`; after `end` or after an abort the response is dead;
 * - a body that is not read is discarded, and the connection stays usable;
 * - a connection is dropped when no byte arrived for 10 s; pause() and resume() restart that time;
 * - a connection is also dropped when it accepts none, or only a few, of the written bytes for 10 s: progress is noticed,
 *   and `onWritable` called, only when a large part of the buffer of the operating system (some MB) is free again;
 * - `write` sends chunks; false = some bytes were not sent, they are buffered and sent later; `end()` writes the last
 *   chunk;
 * - more than WRITE_BYTES_MAX of `write` in one `cork` is damaged over TLS if it cannot all be sent at once (that of `end`
 *   is not); `end(body, true)` after a `write` puts a header among the chunks;
 * - `close` calls `onAborted` at once;
 * - `end` buffers all bytes that the connection does not accept, for any number of answers: see `endInTurn`;
 * - characters other than printable ASCII are removed from both ends of a header's value;
 * - a Content-Length that is not a number, or has more than 9 digits, closes the socket after the handler: see
 *   `endBroken`;
 * - a request without Host, an HTTP/1.0 request and an invalid request line reach no handler: the library answers 400 or 505
 *   and closes the connection;
 * - a connection is read repeatedly in one turn while each read fills 512 KiB, even if its response is paused: see
 *   receive-buffer.ts;
 * - `getHeader` returns the first line of a name, `forEach` all lines;
 * - `end(body, true)` closes at once, and further bytes from the client reset the connection before the answer is read:
 *   see `answerAndKeepReading`.
 * Pipelining: a request that arrives before the answer to the previous one closes the connection, by the design of the
 * library; both may arrive in one read, so pausing the socket cannot prevent it. docs/http-api.md documents it for clients.
 */
import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { createRequire } from 'node:module';
import { TLS_1_2_CIPHERS } from '../../base/index.js';
import { limitReceiveBuffer } from './receive-buffer.js';

export type UwsRequest = Pick<HttpRequest, 'getHeader' | 'getMethod' | 'getUrl' | 'getQuery' | 'forEach'>;
export type Response = Pick<
  HttpResponse,
  | 'close'
  | 'cork'
  | 'end'
  | 'endWithoutBody'
  | 'getRemoteAddressAsText'
  | 'onAborted'
  | 'onData'
  | 'onWritable'
  | 'pause'
  | 'resume'
  | 'tryEnd'
  | 'write'
  | 'writeHeader'
  | 'writeStatus'
>;
export type RequestHandler = (response: Response, request: UwsRequest) => void;

/**
 * Bytes that one `cork` may write in chunks, limited by the 16 KiB buffer of the library. Larger writes are no faster.
 */
export const WRITE_BYTES_MAX = 16_000;

type Library = typeof import('uWebSockets.js');

/** The library, or the reason why its native binary did not load: it has none for other versions of Node and systems. */
const loaded: Library | Error = loadLibrary();

/** The reason why the native binary of uWebSockets.js did not load; null = it is loaded. */
export const nativeFault: string | null = loaded instanceof Error ? loaded.message : null;

function loadLibrary(): Library | Error {
  try {
    return createRequire(import.meta.url)('uWebSockets.js') as Library;
  } catch (error) {
    return error as Error;
  }
}

function library(): Library {
  if (loaded instanceof Error) throw new Error(`uWebSockets.js did not load: ${loaded.message}`);
  return loaded;
}

export interface ListenerSettings {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Paths of PEM files; null = plain HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
}

export interface Listener {
  readonly port: number;
  /** The reason why one connection can deliver any number of bytes in one turn; null = it cannot. */
  readonly unlimitedReason: string | null;
  /** Refuses new connections; the open ones continue. */
  stopAccepting(): void;
  /** Accepts connections again after `stopAccepting`, unless another process took the port. */
  acceptAgain(): void;
  /** Closes every connection and aborts their answers. */
  closeConnections(): void;
}

/** Refuses a port that another process listens on, instead of sharing it. */
const EXCLUSIVE_PORT = 1;

type ListenExclusively = (
  host: string,
  port: number,
  options: number,
  done: (socket: object | false) => void,
) => void;

/**
 * Starts to listen. Throws if the address is not available or the certificate cannot be used. `before` is the listener
 * that has the port now: it stops accepting when this one can replace it, and its connections continue.
 */
export function openListener(
  settings: ListenerSettings,
  handler: RequestHandler,
  before: Listener | null = null,
): Listener {
  const { host, tls } = settings;
  const uWS = library();
  const app = (tls === null ? uWS.App() : secureApp(tls)) as TemplatedApp & { close(): void };
  app.any('/*', handler);
  before?.stopAccepting();
  const port = settings.port === 0 ? freePort(app, host) : settings.port;
  let socket = listen(app, host, port);
  if (socket === null) {
    before?.acceptAgain();
    throw new Error(`cannot listen on ${host}:${port}: in use, or no address of this machine`);
  }
  return {
    port,
    unlimitedReason: limitReceiveBuffer(port),
    stopAccepting() {
      if (socket !== null) uWS.us_listen_socket_close(socket as never);
      socket = null;
    },
    acceptAgain() {
      if (socket !== null) return;
      socket = listen(app, host, port);
      if (socket !== null) limitReceiveBuffer(port);
    },
    closeConnections() {
      socket = null;
      app.close();
    },
  };
}

/** The socket, or null if the address is not available. */
function listen(app: TemplatedApp, host: string, port: number): object | null {
  let socket: object | false = false;
  (app.listen as unknown as ListenExclusively).call(app, host, port, EXCLUSIVE_PORT, (opened) => {
    socket = opened;
  });
  return socket === false ? null : socket;
}

/**
 * A port that is free now. uWebSockets can listen again on a port that still has open connections, unless the operating
 * system chose the port.
 */
function freePort(app: TemplatedApp, host: string): number {
  const socket = listen(app, host, 0);
  if (socket === null) return 0;
  const { us_socket_local_port: portOf, us_listen_socket_close: close } = library();
  const port = portOf(socket as never);
  close(socket as never);
  return port;
}

function secureApp(tls: { readonly certFile: string; readonly keyFile: string }): TemplatedApp {
  try {
    const options = {
      cert_file_name: tls.certFile,
      key_file_name: tls.keyFile,
      ssl_ciphers: TLS_1_2_CIPHERS.join(':'),
    };
    return library().SSLApp(options);
  } catch {
    // uWebSockets reports neither the unusable file nor the reason.
    throw new Error(`cannot use certificate ${tls.certFile} with key ${tls.keyFile}`);
  }
}

/**
 * Ends a response, but only after the connection has accepted all earlier bytes: until then another request closes the
 * connection, as after any response that is not ended. Otherwise a client that sends requests and does not read the
 * answers would exhaust the memory.
 */
export function endInTurn(response: Response, body: string | Uint8Array): void {
  const [taken, ended] = response.tryEnd(body, Buffer.byteLength(body));
  if (taken || ended) return;
  const bytes = bytesOf(body);
  // The caller does not use the response any more.
  response.onAborted(() => {});
  response.onWritable((offset) => {
    const [takenNow, endedNow] = response.tryEnd(bytes.subarray(offset), bytes.length);
    return takenNow || endedNow;
  });
}

const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? Buffer.from(body) : body;

/** Ends the answer to a HEAD: the length that `body` has, but not the body. Given that length itself, uWebSockets'
 *  `endWithoutBody` would take the response for unfinished. */
export function endHead(response: Response, body: string | Uint8Array): void {
  response.writeHeader('Content-Length', String(Buffer.byteLength(body)));
  response.endWithoutBody();
}

/** Size of the send buffer of uWebSockets; longer output is sent at once. */
const SEND_BUFFER_BYTES = 16 * 1024;

/**
 * Ends a response whose request line was read but whose length makes uWebSockets close the socket: blanks after the body push it
 * out of the send buffer before that.
 */
export function endBroken(response: Response, body: string | Uint8Array): void {
  response.end(Buffer.concat([bytesOf(body), Buffer.alloc(SEND_BUFFER_BYTES, ' ')]), true);
}

/**
 * Sends the complete answer but leaves the response open, so that `onData` and `onAborted` are still called and the
 * rest of the request can be read before `close()`. The caller has written status and headers without a length. The
 * line break that ends the last header is counted as the last two bytes of the body, which JSON allows.
 */
export function answerAndKeepReading(response: Response, body: string): void {
  response.writeHeader('Connection', 'close');
  response.writeHeader('Content-Length', `${Buffer.byteLength(body) + 2}\r\n\r\n${body}`);
}
