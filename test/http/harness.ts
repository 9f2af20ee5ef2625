/** A front end on free ports with a fake engine, and raw sockets to send requests byte by byte. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { type Logger, pino } from 'pino';
import type { Test } from 'tap';
import { systemClock } from '../../src/base/index.js';
import {
  ensureCertificate,
  HTTP_DEFAULTS,
  type HttpDependencies,
  HttpServer,
  type HttpSettings,
  ParquetThreads,
  type Ports,
} from '../../src/http/index.js';
import { NodeFileSystem } from '../../src/io/index.js';
import { FakeEngine } from './fake-engine.js';

export interface Front extends Ports {
  readonly engine: FakeEngine;
  readonly server: HttpServer;
  readonly settings: HttpSettings;
  /** All logged lines. */
  readonly logLines: string[];
}

function logInto(lines: string[]): Logger {
  return pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
}

export const PARQUET_THREAD_FILE = fileURLToPath(
  new URL('../../src/http/parquet/thread.js', import.meta.url),
);

export const parquetThreads = (engine: Pick<FakeEngine, 'holdMemory'>): ParquetThreads =>
  new ParquetThreads({
    threadFile: PARQUET_THREAD_FILE,
    memoryBytesMax: 2 ** 28,
    batchBytesMax: HTTP_DEFAULTS.arrowBatchBytesMax,
    reserveMemory: (bytes) => engine.holdMemory(bytes),
  });

/** Starts a server that ends with the test. By default it has no limits and uses the real clock. */
export async function startFront(
  t: Test,
  settings: Partial<HttpSettings> = {},
  dependencies: Partial<
    Pick<HttpDependencies, 'clock' | 'elapsedMs' | 'lookUpHost' | 'endpoints' | 'consoleFiles'>
  > = {},
): Promise<Front> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-http-'));
  const pair = await ensureCertificate(new NodeFileSystem(), dir, Date.now());
  const whole: HttpSettings = {
    host: '127.0.0.1',
    httpsPort: 0,
    httpPort: 0,
    ...pair,
    proxies: null,
    limits: null,
    ...HTTP_DEFAULTS,
    ...settings,
  };
  const engine = new FakeEngine();
  const logLines: string[] = [];
  const server = new HttpServer(whole, {
    engine,
    clock: systemClock,
    elapsedMs: () => performance.now(),
    log: logInto(logLines),
    instanceId: 'test',
    randomBytes,
    parquet: parquetThreads(engine),
    ...dependencies,
  });
  const ports = server.listen();
  t.teardown(async () => {
    await server.close();
    fs.rmSync(dir, { recursive: true });
  });
  return { ...ports, engine, server, settings: whole, logLines };
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection to which the test writes bytes directly. */
export class RawConnection {
  readonly socket: net.Socket;
  /** Settles when the server closed the connection, with the code of the error if the connection was reset. */
  readonly closed: Promise<string>;
  #received = Buffer.alloc(0);
  #wake: (() => void) | null = null;
  #over = false;

  constructor(socket: net.Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#wake?.();
    });
    this.closed = new Promise((resolve) => {
      let code = 'closed';
      socket.on('error', (error: NodeJS.ErrnoException) => {
        code = error.code ?? 'error';
      });
      socket.on('close', () => {
        this.#over = true;
        this.#wake?.();
        resolve(code);
      });
    });
  }

  static async open(port: number, overTls: boolean): Promise<RawConnection> {
    const socket = overTls
      ? tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : net.connect(port, '127.0.0.1');
    await new Promise((resolve, reject) => {
      socket.once(overTls ? 'secureConnect' : 'connect', resolve);
      socket.once('error', reject);
    });
    return new RawConnection(socket);
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** The next answer; rejects when the connection ends before the answer is complete. */
  async reply(): Promise<Reply> {
    for (;;) {
      const whole = this.#takeReply();
      if (whole !== null) return whole;
      if (this.#over)
        throw new Error(`no whole answer: ${JSON.stringify(this.#received.toString('latin1'))}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #takeReply(): Reply | null {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return null;
    const [statusLine, ...lines] = this.#received.toString('latin1', 0, headEnd).split('\r\n');
    const status = Number(statusLine.split(' ')[1]);
    if (status === 100) {
      this.#received = this.#received.subarray(headEnd + 4);
      return this.#takeReply();
    }
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    );
    const end = headEnd + 4 + Number(headers['content-length']);
    if (this.#received.length < end) return null;
    const body = this.#received.toString('utf8', headEnd + 4, end);
    this.#received = this.#received.subarray(end);
    return { status, headers, body };
  }
}

/** Checks that the answer has the form of an error answer, and returns the code of its first error. */
export function codeOf(reply: Reply): number {
  const parsed = JSON.parse(reply.body) as { errors: { code: number; message: string }[]; status: string };
  if (parsed.status !== 'error' || parsed.errors.length === 0 || parsed.errors[0].message === '') {
    throw new Error(`no error answer: ${reply.body}`);
  }
  return parsed.errors[0].code;
}

export interface TestRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Over the HTTP port instead of HTTPS. */
  readonly plain?: boolean;
}

/** Sends one request on a new connection, with a Content-Length unless the headers specify another framing. */
export async function sendRequest(front: Ports, request: TestRequest): Promise<Reply> {
  const plain = request.plain ?? false;
  const connection = await RawConnection.open(plain ? front.httpPort : front.httpsPort, !plain);
  connection.write(requestBytes(request));
  const reply = await connection.reply();
  connection.socket.destroy();
  return reply;
}

export function requestBytes(request: TestRequest): Uint8Array {
  const { path: url, headers = {}, body } = request;
  const method = request.method ?? (body === undefined ? 'GET' : 'POST');
  const bytes = Buffer.from(body ?? '');
  const lines = [`${method} ${url} HTTP/1.1`, 'Host: quarry'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (body !== undefined && !names.includes('content-length') && !names.includes('transfer-encoding')) {
    lines.push(`Content-Length: ${bytes.length}`);
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}
