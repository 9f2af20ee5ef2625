/**
 * One connection, from its first byte to its end: TLS, authentication, then the messages of its session in order.
 *
 *   first -> password -> session -> over        cancel requests and refused connections go straight to over
 *
 * Invariants: without TLS, a key is requested only from clients on this machine; bytes that arrived before TLS are never
 * processed as if they had arrived over it; buffered input is limited per connection and in total; no rows are produced while
 * the client does not read; a connection is closed if authentication takes too long or if it is idle or stalled for too long;
 * no key appears in a message or a log.
 */
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { type Clock, invariant } from '../base/index.js';
import { hashOfPresented, type PresentedKey } from '../catalog/index.js';
import type { EngineApi } from '../engine/index.js';
import { Activity, type VisibleSession } from './activity/activity.js';
import type { CatalogRunner } from './catalog/answer.js';
import { userNameOf } from './catalog/view.js';
import type { PostgresCounters } from './counters.js';
import type { Authentication } from './protocol/authentication.js';
import { ClientGone, errorFieldsOf, ProtocolError } from './protocol/errors.js';
import { type Frame, Frames } from './protocol/frames.js';
import type { MessageReader } from './protocol/message-reader.js';
import * as messages from './protocol/messages.js';
import { firstOf, type Start } from './protocol/startup.js';
import type { DatabaseContext } from './session/queries/select.js';
import { Session } from './session/session.js';
import { Settings } from './session/settings.js';
import type { PostgresClient } from './session/statement-answers.js';

/** Shared by the connections of one server. */
export interface ConnectionContext {
  readonly engine: Pick<EngineApi, 'select' | 'script' | 'change' | 'holdMemory' | 'records'>;
  readonly catalog: CatalogRunner;
  readonly counters: PostgresCounters;
  readonly limits: ConnectionLimits;
  secureContext(): SecureContext;
  /** Asks a client for a key of the named database. */
  authentication(databaseName: string): Authentication;
  /** The client with a key and an address; it is not authorized yet. */
  client(key: PresentedKey, address: string): PostgresClient;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** The sessions of the database that the caller of `context`, who has the key, may see. */
  sessions(context: DatabaseContext, keyHash: string): readonly VisibleSession[];
  /** Registers a session and returns its process ID, or null if there are too many sessions. */
  enter(connection: Connection): number | null;
  leave(connection: Connection): void;
  /** Cancels the running statement of a session if `secret` is correct. */
  cancel(processId: number, secret: number): void;
  /** Whether the buffered input of all connections is within its limit. */
  hasCapacity(): boolean;
  /** Reports an error that is a bug. */
  unexpected(error: unknown): void;
}

export interface VisibleConnection extends Pick<VisibleSession, 'row'> {
  readonly databaseId: number;
  readonly keyHash: string;
}

export interface ConnectionLimits {
  readonly messageBytesMax: number;
  readonly startSecondsMax: number;
  readonly idleSecondsMax: number;
  readonly stallSecondsMax: number;
}

/** Input that is buffered while a statement runs; reading continues up to this limit so that a disconnect is noticed. */
const WAITING_BYTES_MAX = 64 * 1024;
const KEY_BYTES_MAX = 10_000;
const LOCAL = /^(127\.|::1$|::ffff:127\.)/;
const KEEP_ALIVE_MS = 60_000;
const KINDS = 'QSHPBDECXpdcfF';
const NO_TLS =
  'this server accepts keys over TLS only: connect with sslmode=require (connections without TLS are limited to its own machine)';

export class Connection {
  readonly secret: number;
  readonly #context: ConnectionContext;
  #socket: Socket;
  readonly #address: string;
  readonly #frames = new Frames(KEY_BYTES_MAX);
  #phase: 'first' | 'password' | 'session' | 'over' = 'first';
  #start: Start | null = null;
  #authentication: Authentication | null = null;
  #session: Session | null = null;
  #visible: VisibleConnection | null = null;
  #isSecure = false;
  #isBusy = false;
  /** The client has closed its side of the connection. */
  #hasEnded = false;
  #timer: NodeJS.Timeout | null = null;
  /** Resumes sending; set while the socket's buffer is full. */
  #wake: (() => void) | null = null;

  constructor(hall: ConnectionContext, socket: Socket, secret: number) {
    this.#context = hall;
    this.#socket = socket;
    this.secret = secret;
    this.#address = plainAddress(socket.remoteAddress ?? '');
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.#endAfter(hall.limits.startSecondsMax);
    this.#listen(socket);
  }

  /** Input that is incomplete or not processed yet. */
  get bufferedBytes(): number {
    return this.#frames.byteCount;
  }

  get session(): Session | null {
    return this.#session;
  }

  /** The session as the callers of its database may see it; null = there is none. */
  get visible(): VisibleConnection | null {
    return this.#visible;
  }

  /** Closes the connection on behalf of a client. */
  terminate(): void {
    this.refuse(new ProtocolError('57P01', 'terminating connection due to administrator command'));
  }

  /** Sends a fatal error and closes the connection. */
  refuse(error: unknown): void {
    if (this.#phase === 'over') return;
    if (!(error instanceof ProtocolError)) this.#context.unexpected(error);
    if (this.#phase !== 'session') this.#context.counters.connectionRefused();
    this.#socket.write(messages.errorResponse(errorFieldsOf(error, null), 'FATAL'));
    this.#close();
  }

  /** Closes the connection because the server stops: the running statement is cancelled, sent answers are flushed. */
  end(): void {
    this.refuse(new ProtocolError('57P01', 'the server is stopping'));
  }

  destroy(): void {
    this.#gone();
    this.#socket.destroy();
  }

  #listen(socket: Socket): void {
    socket.on('data', (part) => this.#received(part));
    socket.on('drain', () => this.#wake?.());
    socket.on('error', () => this.destroy());
    socket.on('close', () => this.#gone());
    // A client that closes its side counts as disconnected, like a killed process: its statement is cancelled.
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#session?.cancel();
      if (!this.#isBusy) this.#close();
    });
  }

  #received(part: Buffer): void {
    if (this.#phase === 'over') return;
    this.#frames.add(part);
    if (this.#frames.byteCount > WAITING_BYTES_MAX) {
      // An incomplete message must not pause the socket, since it could then never be completed.
      if (this.#isBusy) this.#socket.pause();
      if (!this.#context.hasCapacity()) {
        this.refuse(new ProtocolError('53200', 'too many long messages at once; send it again'));
        return;
      }
    }
    void this.#work();
  }

  /** Processes complete messages in order. */
  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.#phase !== 'over') {
        const cut = this.#frames.next();
        if (cut.is === 'broken') throw new ProtocolError('08P01', cut.why);
        if (cut.is === 'more') break;
        await this.#handle(cut.frame);
      }
    } catch (error) {
      if (error instanceof ClientGone) this.destroy();
      else this.refuse(fatal(error));
    } finally {
      this.#isBusy = false;
      if (this.#phase !== 'over' && this.#hasEnded) this.#close();
      if (this.#phase !== 'over') this.#socket.resume();
    }
    if (this.#phase === 'session') this.#endAfter(this.#context.limits.idleSecondsMax);
  }

  async #handle(frame: Frame): Promise<void> {
    if (this.#phase === 'first') this.#first(frame.body);
    else if (this.#phase === 'password') this.#password(frame);
    else if (frame.kind === 'X'.charCodeAt(0)) this.#close();
    else {
      if (!KINDS.includes(String.fromCharCode(frame.kind))) {
        throw new ProtocolError('08P01', `there is no message of kind ${frame.kind}`);
      }
      this.#endAfter(null);
      await this.#session?.handle(frame);
    }
  }

  #first(body: MessageReader): void {
    const first = firstOf(body);
    if (first.is === 'tls') this.#secure();
    else if (first.is === 'gss') this.#socket.write('N');
    else if (first.is === 'cancel') {
      this.#context.cancel(first.processId, first.secret);
      this.#close();
    } else {
      if (!this.#isSecure && !LOCAL.test(this.#address)) throw new ProtocolError('28000', NO_TLS);
      if (first.isNewer || first.unknownOptions.length > 0) {
        this.#socket.write(messages.negotiateVersion(first.unknownOptions));
      }
      this.#start = first;
      this.#frames.startupReceived();
      this.#phase = 'password';
      this.#authentication = this.#context.authentication(first.database ?? first.user);
      this.#socket.write(this.#authentication.request);
    }
  }

  #secure(): void {
    if (this.#isSecure) throw new ProtocolError('08P01', 'the connection has TLS already');
    if (this.#frames.byteCount > 0)
      throw new ProtocolError('08P01', 'unexpected data before TLS negotiation');
    const plain = this.#socket;
    plain.removeAllListeners('data').removeAllListeners('drain').removeAllListeners('end');
    plain.write('S');
    this.#isSecure = true;
    this.#socket = new TLSSocket(plain, { isServer: true, secureContext: this.#context.secureContext() });
    this.#listen(this.#socket);
  }

  #password({ kind, body }: Frame): void {
    const authentication = this.#authentication;
    if (kind !== 'p'.charCodeAt(0) || authentication === null) {
      throw new ProtocolError('08P01', 'expected a password message with the key');
    }
    const { reply, key } = authentication.receive(body);
    if (key === null) this.#socket.write(reply);
    else this.#enter(key, reply);
  }

  /** Starts the session of a client with that key; `reply` ends the authentication. */
  #enter(key: PresentedKey, reply: Uint8Array): void {
    const start = this.#start;
    invariant(start !== null, 'clients authenticate after their first message');
    const client = this.#context.client(key, this.#address);
    const { model, databaseId } = client.open();
    const database = start.database ?? start.user;
    if (database !== model.name) {
      throw new ProtocolError('3D000', 'the key does not belong to the requested database');
    }
    const keyHash = hashOfPresented(key);
    const settings = new Settings();
    for (const [name, value] of start.settings) settings.set(name, value);
    const processId = this.#context.enter(this);
    if (processId === null) throw new ProtocolError('53300', 'too many clients are connected');
    const activity = new Activity(this.#context.clock);
    const session = new Session({
      client,
      engine: this.#context.engine,
      catalog: this.#context.catalog,
      counters: this.#context.counters,
      settings,
      databaseName: model.name,
      userName: userNameOf(start.user),
      processId,
      activity,
      sessions: (context) => this.#context.sessions(context, keyHash),
      send: (bytes) => this.#send(bytes),
    });
    this.#session = session;
    const row = (): ReturnType<VisibleSession['row']> => ({
      ...{ pid: processId, usename: session.userName, client_addr: this.#address },
      ...{ application_name: settings.show('application_name'), ...activity.columns(session.transaction) },
    });
    this.#visible = { databaseId, keyHash, row };
    this.#phase = 'session';
    this.#frames.bytesMax = this.#context.limits.messageBytesMax;
    this.#socket.write(
      Buffer.concat([
        reply,
        messages.authenticated(),
        ...settings.reported().map(([name, value]) => messages.parameterStatus(name, value)),
        messages.backendKey(processId, this.secret),
        messages.readyForQuery('I'),
      ]),
    );
  }

  /** Resolves when the socket accepts more data. Rejects with ClientGone. */
  async #send(bytes: Uint8Array): Promise<void> {
    if (this.#phase === 'over') throw new ClientGone();
    if (this.#socket.write(bytes)) return;
    this.#endAfter(this.#context.limits.stallSecondsMax);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
    this.#endAfter(null);
    if (this.#socket.destroyed) throw new ClientGone();
  }

  /** Restarts the connection's timer; null stops it. */
  #endAfter(seconds: number | null): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (seconds === null || this.#phase === 'over') return;
    this.#timer = setTimeout(() => this.#late(seconds), seconds * 1000);
    this.#timer.unref();
  }

  #late(seconds: number): void {
    if (this.#phase !== 'session' || this.#isBusy) this.destroy();
    else this.refuse(new ProtocolError('57P05', `no data was received for ${seconds} s`));
  }

  #close(): void {
    if (this.#phase === 'over') return;
    this.#gone();
    const socket = this.#socket;
    socket.end();
    socket.resume();
    // A client that does not read the rest is disconnected.
    const timer = setTimeout(() => socket.destroy(), this.#context.limits.startSecondsMax * 1000);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  }

  #gone(): void {
    if (this.#phase === 'over' && this.#session === null) return;
    this.#phase = 'over';
    this.#endAfter(null);
    this.#session?.leave();
    this.#session = null;
    this.#context.leave(this);
    this.#wake?.();
  }
}

/** Converts an IPv4-mapped IPv6 address to IPv4. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Converts an error before the session starts to one that ends the connection. */
function fatal(error: unknown): unknown {
  const { state, message, position } = errorFieldsOf(error, null);
  if (state === 'XX000' && !(error instanceof ProtocolError)) return error;
  return new ProtocolError(state, message, null, position);
}
