/**
 * One connection, from its first byte to its end: TLS, who it is, then its session's messages one behind the other.
 *
 *   first -> password -> session -> over        a cancel request and what is refused go over at once
 *
 * Invariants: a key is never asked for without TLS but from this machine; nothing that came before TLS is taken as if it had come
 * over it; what waits here is bounded, for each connection and for all together; nothing is made while the client takes nothing; a connection is closed when it is slow to say who it
 * is, when it is idle or stalls for too long; no key gets into a message or a log.
 */
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { EngineApi } from '../engine/index.js';
import type { CatalogAsker } from './catalog-answer.js';
import { userNameOf } from './catalog-view.js';
import { ClientGone, fieldsOf, ProtocolFault } from './fault.js';
import type { Figures } from './figures.js';
import { type Frame, Frames } from './frames.js';
import type { MessageReader } from './message-reader.js';
import * as messages from './messages.js';
import { Session } from './session.js';
import { Settings } from './settings.js';
import { firstOf, type Start } from './startup.js';
import type { Asking } from './statement-answers.js';

/** What the connections of one server share. */
export interface Hall {
  readonly engine: Pick<EngineApi, 'select'>;
  readonly catalog: CatalogAsker;
  readonly figures: Figures;
  readonly limits: ConnectionLimits;
  secureContext(): SecureContext;
  /** Binds a key and an address. */
  asking(key: string, address: string): Asking;
  /** A number for a session, or null when there are too many. */
  enter(connection: Connection): number | null;
  leave(connection: Connection): void;
  /** Stops what runs in the session, if the secret is its own. */
  cancel(processId: number, secret: number): void;
  /** Whether all connections together hold no more bytes of messages than they may. */
  mayHold(): boolean;
  /** What is no refusal: a bug. */
  unexpected(error: unknown): void;
}

export interface ConnectionLimits {
  readonly messageBytesMax: number;
  readonly startSecondsMax: number;
  readonly idleSecondsMax: number;
  readonly stallSecondsMax: number;
}

/** What comes while a statement runs is taken up to here: it shows that the client is there, and that it is not. */
const WAITING_BYTES_MAX = 64 * 1024;
const KEY_BYTES_MAX = 10_000;
const LOCAL = /^(127\.|::1$|::ffff:127\.)/;
const KEEP_ALIVE_MS = 60_000;
const KINDS = 'QSHPBDECXpdcfF';
const NO_TLS =
  'this server asks for the key over TLS only: connect with sslmode=require (without TLS it serves its own machine alone)';

export class Connection {
  readonly secret: number;
  readonly #hall: Hall;
  #socket: Socket;
  readonly #address: string;
  readonly #frames = new Frames(KEY_BYTES_MAX);
  #phase: 'first' | 'password' | 'session' | 'over' = 'first';
  #start: Start | null = null;
  #session: Session | null = null;
  #isSecure = false;
  #isBusy = false;
  /** The client sends nothing any more. */
  #hasEnded = false;
  #timer: NodeJS.Timeout | null = null;
  /** Set while the client takes nothing. */
  #wake: (() => void) | null = null;

  constructor(hall: Hall, socket: Socket, secret: number) {
    this.#hall = hall;
    this.#socket = socket;
    this.secret = secret;
    this.#address = plainAddress(socket.remoteAddress ?? '');
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.#endAfter(hall.limits.startSecondsMax);
    this.#listen(socket);
  }

  /** Of messages that are not whole, or wait. */
  get heldBytes(): number {
    return this.#frames.byteCount;
  }

  get session(): Session | null {
    return this.#session;
  }

  /** Refuses, and closes. */
  refuse(error: unknown): void {
    if (this.#phase === 'over') return;
    if (!(error instanceof ProtocolFault)) this.#hall.unexpected(error);
    if (this.#phase !== 'session') this.#hall.figures.connectionRefused();
    this.#socket.write(messages.errorResponse(fieldsOf(error, null), 'FATAL'));
    this.#close();
  }

  /** What runs is stopped; what was answered is sent. */
  end(): void {
    this.refuse(new ProtocolFault('57P01', 'the server is stopping'));
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
    // Whoever sends nothing any more is gone, as a process that was killed is: nothing goes on for it.
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
      // Not while a message is incomplete: nothing would complete it.
      if (this.#isBusy) this.#socket.pause();
      if (!this.#hall.mayHold()) {
        this.refuse(new ProtocolFault('53200', 'too many long messages at once; send it again'));
        return;
      }
    }
    void this.#work();
  }

  /** Takes whole messages, one behind the other. */
  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.#phase !== 'over') {
        const cut = this.#frames.next();
        if (cut.is === 'broken') throw new ProtocolFault('08P01', cut.why);
        if (cut.is === 'more') break;
        await this.#take(cut.frame);
      }
    } catch (error) {
      if (error instanceof ClientGone) this.destroy();
      else this.refuse(fatal(error));
    } finally {
      this.#isBusy = false;
      if (this.#phase !== 'over' && this.#hasEnded) this.#close();
      if (this.#phase !== 'over') this.#socket.resume();
    }
    if (this.#phase === 'session') this.#endAfter(this.#hall.limits.idleSecondsMax);
  }

  async #take(frame: Frame): Promise<void> {
    if (this.#phase === 'first') this.#first(frame.body);
    else if (this.#phase === 'password') this.#password(frame);
    else if (frame.kind === 'X'.charCodeAt(0)) this.#close();
    else {
      if (!KINDS.includes(String.fromCharCode(frame.kind))) {
        throw new ProtocolFault('08P01', `there is no message of kind ${frame.kind}`);
      }
      this.#endAfter(null);
      await this.#session?.take(frame);
    }
  }

  #first(body: MessageReader): void {
    const first = firstOf(body);
    if (first.asks === 'tls') this.#secure();
    else if (first.asks === 'gss') this.#socket.write('N');
    else if (first.asks === 'cancel') {
      this.#hall.cancel(first.processId, first.secret);
      this.#close();
    } else {
      if (!this.#isSecure && !LOCAL.test(this.#address)) throw new ProtocolFault('28000', NO_TLS);
      if (first.isNewer || first.unknownOptions.length > 0) {
        this.#socket.write(messages.negotiateVersion(first.unknownOptions));
      }
      this.#start = first;
      this.#frames.begun();
      this.#phase = 'password';
      this.#socket.write(messages.askPassword());
    }
  }

  #secure(): void {
    if (this.#isSecure) throw new ProtocolFault('08P01', 'the connection has TLS already');
    if (this.#frames.byteCount > 0)
      throw new ProtocolFault('08P01', 'something came before TLS was agreed on');
    const plain = this.#socket;
    plain.removeAllListeners('data').removeAllListeners('drain').removeAllListeners('end');
    plain.write('S');
    this.#isSecure = true;
    this.#socket = new TLSSocket(plain, { isServer: true, secureContext: this.#hall.secureContext() });
    this.#listen(this.#socket);
  }

  #password({ kind, body }: Frame): void {
    const start = this.#start;
    if (kind !== 'p'.charCodeAt(0) || start === null) {
      throw new ProtocolFault('08P01', 'the key is expected, as password');
    }
    const asking = this.#hall.asking(body.text(), this.#address);
    const { model } = asking.open();
    const database = start.database ?? start.user;
    if (database !== model.name) {
      throw new ProtocolFault('3D000', 'this key is not of the database that is named');
    }
    const settings = new Settings();
    for (const [name, value] of start.settings) settings.set(name, value);
    const processId = this.#hall.enter(this);
    if (processId === null) throw new ProtocolFault('53300', 'too many clients are connected');
    this.#session = new Session({
      asking,
      engine: this.#hall.engine,
      catalog: this.#hall.catalog,
      figures: this.#hall.figures,
      settings,
      databaseName: model.name,
      userName: userNameOf(start.user),
      processId,
      send: (bytes) => this.#send(bytes),
    });
    this.#phase = 'session';
    this.#frames.bytesMax = this.#hall.limits.messageBytesMax;
    this.#socket.write(
      Buffer.concat([
        messages.authenticated(),
        ...settings.reported().map(([name, value]) => messages.parameterStatus(name, value)),
        messages.backendKey(processId, this.secret),
        messages.readyForQuery('I'),
      ]),
    );
  }

  /** Resolves when the client took enough for more. */
  async #send(bytes: Uint8Array): Promise<void> {
    if (this.#phase === 'over') throw new ClientGone();
    if (this.#socket.write(bytes)) return;
    this.#endAfter(this.#hall.limits.stallSecondsMax);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
    this.#endAfter(null);
    if (this.#socket.destroyed) throw new ClientGone();
  }

  /** null = no more. */
  #endAfter(seconds: number | null): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (seconds === null || this.#phase === 'over') return;
    this.#timer = setTimeout(() => this.#late(seconds), seconds * 1000);
    this.#timer.unref();
  }

  #late(seconds: number): void {
    if (this.#phase !== 'session' || this.#isBusy) this.destroy();
    else this.refuse(new ProtocolFault('57P05', `nothing came for ${seconds} s`));
  }

  #close(): void {
    if (this.#phase === 'over') return;
    this.#gone();
    const socket = this.#socket;
    socket.end();
    socket.resume();
    // Whoever takes nothing of what was sent is not waited for.
    const timer = setTimeout(() => socket.destroy(), this.#hall.limits.startSecondsMax * 1000);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  }

  #gone(): void {
    if (this.#phase === 'over' && this.#session === null) return;
    this.#phase = 'over';
    this.#endAfter(null);
    this.#session?.leave();
    this.#session = null;
    this.#hall.leave(this);
    this.#wake?.();
  }
}

/** An IPv4 address as such, also when it came as IPv6. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** A refusal at the start ends the connection, whatever table it is of. */
function fatal(error: unknown): unknown {
  const { state, message, position } = fieldsOf(error, null);
  if (state === 'XX000' && !(error instanceof ProtocolFault)) return error;
  return new ProtocolFault(state, message, null, position);
}
