/**
 * The server of the Postgres protocol.
 * Invariants: there are at most connectionsMax connections and sessionsMax sessions; a replaced certificate applies to new
 * connections, open ones continue.
 */
import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { type Clock, TLS_1_2_CIPHERS } from '../base/index.js';
import type { KeySecrets, PresentedKey } from '../catalog/index.js';
import type { EngineApi } from '../engine/index.js';
import type { VisibleSession } from './activity/activity.js';
import { CatalogHost, type CatalogSettings } from './catalog/host.js';
import { Connection, type ConnectionContext, type ConnectionLimits } from './connection.js';
import { PostgresCounters } from './counters.js';
import {
  type AuthenticationMethod,
  PasswordAuthentication,
  ScramAuthentication,
} from './protocol/authentication.js';
import { ProtocolError } from './protocol/errors.js';
import type { DatabaseContext, PostgresRequest } from './session/queries/select.js';

/** The credentials that a client presents. */
interface ClientCredentials {
  readonly key: PresentedKey;
  readonly address: string;
}

/** Authorizes sessions and statements as the HTTP endpoints do. */
export interface PostgresRequests {
  /** The keys of the database that SCRAM can verify. */
  scramKeys(databaseName: string): readonly KeySecrets[];
  /** Queries of a database that have no session of the port. */
  runningElsewhere(databaseId: number): readonly VisibleSession[];
  connect(client: ClientCredentials): DatabaseContext;
  execute(
    client: ClientCredentials,
    scope: 'rows' | 'columns',
    text: string,
    stop: () => void,
  ): PostgresRequest;
}

export interface Certificate {
  /** PEM. */
  readonly cert: Uint8Array;
  readonly key: Uint8Array;
}

export interface PostgresSettings extends ConnectionLimits {
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  readonly connectionsMax: number;
  readonly sessionsMax: number;
  /** Limit of the buffered input of all connections. */
  readonly bufferedBytesMax: number;
  readonly authentication: AuthenticationMethod;
  readonly catalog: Omit<CatalogSettings, 'reserveMemory'>;
}

export const POSTGRES_DEFAULTS = {
  connectionsMax: 1_000,
  sessionsMax: 200,
  bufferedBytesMax: 64 * 2 ** 20,
  messageBytesMax: 5 * 2 ** 20,
  startSecondsMax: 10,
  idleSecondsMax: 3_600,
  stallSecondsMax: 120,
} as const;

export interface PostgresDependencies {
  readonly engine: Pick<EngineApi, 'select' | 'script' | 'change' | 'holdMemory' | 'records'>;
  readonly requests: PostgresRequests;
  readonly log: Logger;
  readonly clock: Pick<Clock, 'nowMs'>;
}

export interface PostgresServerStats extends Pick<PostgresCounters, 'statements' | 'refusedConnectionCount'> {
  readonly openConnectionCount: number;
  /** Connections with a session. */
  readonly sessionCount: number;
}

const INT32_MAX = 2 ** 31 - 1;
const NONCE_BYTES = 18;

export class PostgresServer {
  readonly #settings: PostgresSettings;
  readonly #dependencies: PostgresDependencies;
  readonly #server: Server;
  readonly #context: ConnectionContext;
  readonly #catalog: CatalogHost;
  readonly #counters = new PostgresCounters();
  readonly #connections = new Set<Connection>();
  readonly #sessions = new Map<number, Connection>();
  #secureContext: SecureContext;
  #lastId = 0;

  /** Throws if the certificate is unusable. */
  constructor(settings: PostgresSettings, dependencies: PostgresDependencies, certificate: Certificate) {
    this.#settings = settings;
    this.#dependencies = dependencies;
    this.#secureContext = contextOf(certificate);
    const { engine } = dependencies;
    this.#catalog = new CatalogHost({
      ...settings.catalog,
      reserveMemory: (bytes) => engine.holdMemory(bytes),
    });
    this.#context = this.#connectionContext();
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: false }, (socket) =>
      this.#accept(socket),
    );
  }

  /** Resolves with the actual port. Rejects if the server cannot listen on it. */
  listen(): Promise<number> {
    const { host, port } = this.#settings;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) =>
        reject(new Error(`cannot listen on --pg-port ${port} of ${host}: ${error.message}`)),
      );
      this.#server.listen({ host, port }, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** Replaces the certificate for new connections. Throws and keeps the old one if it is unusable. */
  useCertificate(certificate: Certificate): void {
    this.#secureContext = contextOf(certificate);
  }

  /** Counts of open connections and sessions, and of statements and refused connections since the start. */
  stats(): PostgresServerStats {
    const { statements, refusedConnectionCount } = this.#counters;
    return {
      openConnectionCount: this.#connections.size,
      sessionCount: this.#sessions.size,
      refusedConnectionCount,
      statements,
    };
  }

  /** Cancels running statements and closes every connection. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of [...this.#connections]) connection.end();
    const timer = setTimeout(() => {
      for (const connection of [...this.#connections]) connection.destroy();
    }, 2_000);
    this.#catalog.close();
    await closed;
    clearTimeout(timer);
  }

  #accept(socket: Socket): void {
    const connection = new Connection(this.#context, socket, randomInt(INT32_MAX));
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
    if (this.#connections.size > this.#settings.connectionsMax) {
      connection.refuse(new ProtocolError('53300', 'too many connections'));
      socket.destroySoon();
    }
  }

  #connectionContext(): ConnectionContext {
    const { engine, requests, log, clock } = this.#dependencies;
    return {
      engine,
      clock,
      sessions: (context, keyHash) => this.#visibleSessions(context, keyHash),
      catalog: this.#catalog,
      counters: this.#counters,
      limits: this.#settings,
      secureContext: () => this.#secureContext,
      authentication: (databaseName) =>
        this.#settings.authentication === 'password'
          ? new PasswordAuthentication()
          : new ScramAuthentication(randomBytes(NONCE_BYTES).toString('base64'), () =>
              requests.scramKeys(databaseName),
            ),
      client: (key, address) => ({
        open: () => requests.connect({ key, address }),
        execute: (scope, text, stop) => requests.execute({ key, address }, scope, text, stop),
      }),
      enter: (connection) => this.#enter(connection),
      leave: (connection) => {
        for (const [id, known] of this.#sessions) if (known === connection) this.#sessions.delete(id);
      },
      cancel: (processId, secret) => {
        const found = this.#sessions.get(processId);
        if (found !== undefined && isSame(found.secret, secret)) found.session?.cancel();
      },
      hasCapacity: () => {
        let bytes = 0;
        for (const { bufferedBytes } of this.#connections) bytes += bufferedBytes;
        return bytes <= this.#settings.bufferedBytesMax;
      },
      unexpected: (error) => log.error({ err: error }, 'unexpected error in a Postgres session'),
    };
  }

  #visibleSessions({ databaseId, caller }: DatabaseContext, keyHash: string): readonly VisibleSession[] {
    const isMaster = caller.kind === 'master';
    const elsewhere = isMaster ? this.#dependencies.requests.runningElsewhere(databaseId) : [];
    const sessions = [...this.#sessions].flatMap(([processId, connection]): readonly VisibleSession[] => {
      const { visible } = connection;
      if (visible === null || visible.databaseId !== databaseId) return [];
      if (!isMaster && visible.keyHash !== keyHash) return [];
      const cancel = (): void => connection.session?.cancel();
      return [{ processId, row: visible.row, cancel, terminate: () => connection.terminate() }];
    });
    return [...sessions, ...elsewhere];
  }

  #enter(connection: Connection): number | null {
    if (this.#sessions.size >= this.#settings.sessionsMax) return null;
    this.#lastId = (this.#lastId % INT32_MAX) + 1;
    this.#sessions.set(this.#lastId, connection);
    return this.#lastId;
  }
}

function contextOf({ cert, key }: Certificate): SecureContext {
  return createSecureContext({
    cert: Buffer.from(cert),
    key: Buffer.from(key),
    minVersion: 'TLSv1.2',
    ciphers: TLS_1_2_CIPHERS.join(':'),
  });
}

function isSame(own: number, secret: number): boolean {
  const bytes = (value: number): Buffer => {
    const buffer = Buffer.alloc(4);
    buffer.writeInt32BE(value | 0);
    return buffer;
  };
  return timingSafeEqual(bytes(own), bytes(secret));
}
