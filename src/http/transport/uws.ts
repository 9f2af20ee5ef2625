/**
 * The door to uWebSockets.js: the only file that imports it, with the small surface that the front end uses.
 * What this version does was found by trying it, and the front end relies on it:
 * - a handler must answer at once or set `onAborted`; after `end` or after an abort the response is dead;
 * - a body that nobody reads is discarded, and the connection stays usable;
 * - a connection is dropped when no byte came for 10 s; pause() and resume() start that time again;
 * - the same of one that takes nothing for 10 s of what is written to it, and also of one that takes little: it is seen to
 *   take something only when a good part of the system's buffer (some MB) is free again; it gets `onWritable` then;
 * - `write` answers in chunks; false = not all was sent, the rest is kept and sent; `end()` writes the last chunk;
 * - more than WRITE_BYTES_MAX of `write` in one `cork` comes out damaged over TLS when it cannot all be sent at once (`end`
 *   does not); `end(body, true)` behind a `write` puts a header among the chunks;
 * - `close` calls `onAborted` at once;
 * - `end` keeps whatever the connection does not take, of any number of answers: see `endInTurn`;
 * - of a header's value, whatever is not printable ASCII is taken away at both ends;
 * - a Content-Length that is no number, or has over 9 digits, closes the socket behind the handler: see `endBroken`;
 * - a request without Host, of HTTP/1.0, or with a request line that is none, reaches no handler: the library answers 400 or
 *   505 and closes the connection;
 * - bytes are read in turns without limit while each read fills 512 KiB, also of a paused response: see receive-buffer.ts;
 * - `getHeader` gives the first line of a name, `forEach` all of them;
 * - `end(body, true)` closes at once, and what the client still sends resets the answer away: see `answerAndKeepReading`.
 * Pipelining: a request that comes before the answer to the one ahead of it closes the connection, by the library's
 * own choice; both may sit in one read, so pausing the socket cannot prevent it. docs/http-api.md tells clients.
 */
import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { createRequire } from 'node:module';
import { TLS_1_2_CIPHERS } from '../../base/index.js';
import { limitReceiveBuffer } from './receive-buffer.js';

export type Request = Pick<HttpRequest, 'getHeader' | 'getMethod' | 'getUrl' | 'forEach'>;
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
export type RequestHandler = (response: Response, request: Request) => void;

/** Bytes that one `cork` may write in chunks: what fits the library's buffer of 16 KiB. Larger ones are no faster. */
export const WRITE_BYTES_MAX = 16_000;

type Library = typeof import('uWebSockets.js');

/** The library, or why its native binary did not load: other Nodes and systems have none. */
const loaded: Library | Error = loadLibrary();

/** null = the native binary of uWebSockets.js is loaded; else why it is not. */
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
  /** Why one connection can deliver any number of bytes in one turn; null = it cannot. */
  readonly unlimitedReason: string | null;
  /** Refuses new connections; the open ones go on. */
  stopAccepting(): void;
  /** After `stopAccepting`: accepts again, unless another process took the port. */
  acceptAgain(): void;
  /** Closes every connection; what is being answered on them is aborted. */
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
 * Starts to listen; throws when the address cannot be taken or the certificate cannot be used. `before` is the listener
 * that has the port now: it stops accepting once this one can take its place, and its connections go on.
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

/** The socket, or null when the address cannot be taken. */
function listen(app: TemplatedApp, host: string, port: number): object | null {
  let socket: object | false = false;
  (app.listen as unknown as ListenExclusively).call(app, host, port, EXCLUSIVE_PORT, (opened) => {
    socket = opened;
  });
  return socket === false ? null : socket;
}

/**
 * A port that is free now. uWebSockets lets a port be taken again while connections of it are open, except where the system
 * chose it.
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
    // uWebSockets does not say which of them it could not use, or why.
    throw new Error(`cannot use certificate ${tls.certFile} with key ${tls.keyFile}`);
  }
}

/**
 * Ends a response, but stays with it while the connection has not taken all of what came before it: a request behind it then
 * closes the connection, as behind any response that is not ended. Somebody who sends requests and reads no answers would
 * otherwise fill the memory.
 */
export function endInTurn(response: Response, body: string | Uint8Array): void {
  const [taken, ended] = response.tryEnd(body, Buffer.byteLength(body));
  if (taken || ended) return;
  const bytes = bytesOf(body);
  // The caller's part is over, whichever way this ends.
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

/** What uWebSockets collects before it sends; more than that is sent at once. */
const SEND_BUFFER_BYTES = 16 * 1024;

/** Ends a response whose request line was read but whose length makes uWebSockets close the socket: blanks behind
 *  the body push it out of the send buffer before that. */
export function endBroken(response: Response, body: string | Uint8Array): void {
  response.end(Buffer.concat([bytesOf(body), Buffer.alloc(SEND_BUFFER_BYTES, ' ')]), true);
}

/**
 * Sends the whole answer now but leaves the response open, so that `onData` and `onAborted` go on and the rest of
 * the request can be read away before `close()`. The caller has written status and headers, without a length.
 * The line end that closes the last header is the last two bytes of the body, where JSON allows it.
 */
export function answerAndKeepReading(response: Response, body: string): void {
  response.writeHeader('Connection', 'close');
  response.writeHeader('Content-Length', `${Buffer.byteLength(body) + 2}\r\n\r\n${body}`);
}
