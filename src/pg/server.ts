/**
 * The listener of the protocol of Postgres, for reading.
 * Invariants: CONNECTIONS_MAX connections at most, of which sessionsMax are let in; a certificate that is replaced is used for
 * new connections, open ones go on.
 */
import { randomInt, timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { TLS_1_2_CIPHERS } from '../base/index.js';
import type { EngineApi } from '../engine/index.js';
import { CatalogHost, type CatalogSettings } from './catalog-host.js';
import { Connection, type ConnectionLimits, type Hall } from './connection.js';
import { ProtocolFault } from './fault.js';
import { Figures } from './figures.js';
import type { DatabaseContext, PostgresRequest } from './select.js';

/** What a client presents. */
interface PostgresClient {
  readonly key: string;
  readonly address: string;
}

/** Authorizes sessions and statements as the HTTP endpoints do. */
export interface PostgresRequests {
  connect(client: PostgresClient): DatabaseContext;
  execute(client: PostgresClient, scope: 'rows' | 'columns', text: string): PostgresRequest;
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
  /** Of messages that are not whole, or wait, over all connections. */
  readonly heldBytesMax: number;
  readonly catalog: Omit<CatalogSettings, 'holdMemory'>;
}

export const POSTGRES_DEFAULTS = {
  connectionsMax: 1_000,
  sessionsMax: 200,
  heldBytesMax: 64 * 2 ** 20,
  messageBytesMax: 5 * 2 ** 20,
  startSecondsMax: 10,
  idleSecondsMax: 3_600,
  stallSecondsMax: 120,
} as const;

export interface PostgresNeeds {
  readonly engine: Pick<EngineApi, 'select' | 'holdMemory'>;
  readonly requests: PostgresRequests;
  readonly log: Logger;
}

export interface PostgresFigures extends Pick<Figures, 'statements' | 'refusedConnectionCount'> {
  readonly openConnectionCount: number;
  /** Of those that were let in. */
  readonly sessionCount: number;
}

const INT32_MAX = 2 ** 31 - 1;

export class PostgresServer {
  readonly #settings: PostgresSettings;
  readonly #needs: PostgresNeeds;
  readonly #server: Server;
  readonly #hall: Hall;
  readonly #catalog: CatalogHost;
  readonly #figures = new Figures();
  readonly #connections = new Set<Connection>();
  readonly #sessions = new Map<number, Connection>();
  #secureContext: SecureContext;
  #lastId = 0;

  /** Throws when the certificate cannot be used. */
  constructor(settings: PostgresSettings, needs: PostgresNeeds, certificate: Certificate) {
    this.#settings = settings;
    this.#needs = needs;
    this.#secureContext = contextOf(certificate);
    const { engine } = needs;
    this.#catalog = new CatalogHost({ ...settings.catalog, holdMemory: (bytes) => engine.holdMemory(bytes) });
    this.#hall = this.#hallOf();
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: false }, (socket) =>
      this.#accept(socket),
    );
  }

  /** Resolves with the real port. Rejects when it cannot be taken. */
  listen(): Promise<number> {
    const { host, port } = this.#settings;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) =>
        reject(new Error(`--pg-port ${port} on ${host} cannot be listened on: ${error.message}`)),
      );
      this.#server.listen({ host, port }, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** New connections get it. Throws, and the old one stays, when it cannot be used. */
  useCertificate(certificate: Certificate): void {
    this.#secureContext = contextOf(certificate);
  }

  /** Connections and statements since the start, and now. */
  figures(): PostgresFigures {
    const { statements, refusedConnectionCount } = this.#figures;
    return {
      openConnectionCount: this.#connections.size,
      sessionCount: this.#sessions.size,
      refusedConnectionCount,
      statements,
    };
  }

  /** Stops what runs and closes every connection. */
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
    const connection = new Connection(this.#hall, socket, randomInt(INT32_MAX));
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
    if (this.#connections.size > this.#settings.connectionsMax) {
      connection.refuse(new ProtocolFault('53300', 'too many connections'));
      socket.destroySoon();
    }
  }

  #hallOf(): Hall {
    const { engine, requests, log } = this.#needs;
    return {
      engine,
      catalog: this.#catalog,
      figures: this.#figures,
      limits: this.#settings,
      secureContext: () => this.#secureContext,
      asking: (key, address) => ({
        open: () => requests.connect({ key, address }),
        ask: (scope, text) => requests.execute({ key, address }, scope, text),
      }),
      enter: (connection) => this.#enter(connection),
      leave: (connection) => {
        for (const [id, known] of this.#sessions) if (known === connection) this.#sessions.delete(id);
      },
      cancel: (processId, secret) => {
        const found = this.#sessions.get(processId);
        if (found !== undefined && isSame(found.secret, secret)) found.session?.cancel();
      },
      mayHold: () => {
        let bytes = 0;
        for (const { heldBytes } of this.#connections) bytes += heldBytes;
        return bytes <= this.#settings.heldBytesMax;
      },
      unexpected: (error) => log.error({ err: error }, 'unexpected error in a Postgres session'),
    };
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

function isSame(own: number, given: number): boolean {
  const bytes = (value: number): Buffer => {
    const buffer = Buffer.alloc(4);
    buffer.writeInt32BE(value | 0);
    return buffer;
  };
  return timingSafeEqual(bytes(own), bytes(given));
}
