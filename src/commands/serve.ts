/**
 * A running server, composed: data directory and its lock, certificate, engine, listeners.
 * Order  lock before anything is read; the ports open before the store is loaded, so that probes answer; what was
 * opened is closed in the opposite order, also when the start fails.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Logger } from 'pino';
import { systemClock } from '../base/index.js';
import { Engine } from '../engine/index.js';
import {
  ensureCertificate,
  HTTP_DEFAULTS,
  HttpServer,
  nativeLoaded,
  type Ports,
  type ProxyList,
  parseProxies,
} from '../http/index.js';
import { lockDirectory, NodeFileSystem } from '../io/index.js';
import type { ServeConfig } from './serve-config.js';

export interface ServeNeeds {
  readonly log: Logger;
  /** Files of this release: the worker's entry and the kernels. */
  readonly laneFile: string;
  /** Path of kernels.wasm; null = run the kernels' TypeScript twins. */
  readonly kernelsFile: string | null;
  /** Nothing can be promised any more: end the process, answer nobody. */
  readonly onFatal: (error: Error) => void;
}

export interface RunningServer {
  readonly ports: Ports;
  /** The certificate's file, PEM: what a client of a self-signed server trusts. */
  readonly certFile: string;
  readonly dataDir: string;
  /** Writes a snapshot now. */
  checkpoint(): Promise<void>;
  /** Lets running requests finish, makes everything durable, frees the directory. */
  close(): Promise<void>;
}

/** Resolves when requests are served. Rejects with an Error whose message says what to do about it. */
export async function startServer(config: ServeConfig, needs: ServeNeeds): Promise<RunningServer> {
  const fs = new NodeFileSystem();
  const dir = path.resolve(config.dataDir);
  await fs.makeDir(dir);
  const lock = await lockDirectory(dir);
  const closers: (() => Promise<void>)[] = [() => lock.release()];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.reverse()) await close();
  };
  try {
    const certificate =
      config.cert !== null && config.key !== null
        ? { certFile: config.cert, keyFile: config.key }
        : await ensureCertificate(fs, dir, systemClock.nowMs());
    const engine = await createEngine(config, needs, fs, dir);
    closers.push(() => engine.close());
    const server = new HttpServer(
      {
        ...HTTP_DEFAULTS,
        ...certificate,
        host: config.host,
        httpsPort: config.httpsPort,
        httpPort: config.httpPort,
        proxies: proxiesOf(config),
      },
      {
        engine,
        clock: systemClock,
        elapsedMs: () => performance.now(),
        log: needs.log,
        instanceId: randomBytes(6).toString('hex'),
      },
    );
    const ports = server.listen();
    closers.push(() => server.close());
    if (!nativeLoaded)
      needs.log.warn('uWebSockets.js runs without its native part: expect a fraction of the speed');
    await engine.start();
    return {
      ports,
      certFile: certificate.certFile,
      dataDir: dir,
      checkpoint: () => engine.checkpoint(),
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function proxiesOf({ trustProxy }: ServeConfig): ProxyList | null {
  if (trustProxy.length === 0) return null;
  const proxies = parseProxies(trustProxy);
  if ('bad' in proxies) throw new Error(`${proxies.bad} is no network`);
  return proxies;
}

async function createEngine(
  config: ServeConfig,
  needs: ServeNeeds,
  fs: NodeFileSystem,
  dir: string,
): Promise<Engine> {
  const { log } = needs;
  return Engine.create({
    fs,
    dir,
    laneFile: needs.laneFile,
    kernels: needs.kernelsFile === null ? null : await fs.readFile(needs.kernelsFile),
    laneCount: config.workers,
    shardCount: config.shards,
    memoryLimitBytes: config.memoryLimitBytes,
    durability: config.durability,
    clock: systemClock,
    random64: () => randomBytes(8).readBigUInt64LE(),
    randomBytes: (count) => randomBytes(count),
    events: {
      info: (event, details) => log.info(details, event),
      warn: (event, details) => log.warn(details, event),
      fatal: needs.onFatal,
    },
  });
}
