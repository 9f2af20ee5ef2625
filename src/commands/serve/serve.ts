/**
 * Composes a running server: the data directory and its lock, certificate, engine, listeners, admin socket.
 * Order: the lock is taken before anything is read; the ports open before the store is loaded, so that probes are answered;
 * the socket opens after the load; everything is closed in reverse order, also when the start fails.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { systemClock } from '../../base/index.js';
import {
  type Audit,
  ConsoleFiles,
  ensureCertificate,
  HTTP_DEFAULTS,
  HttpServer,
  type InletSetting,
  nativeFault,
  ParquetThreads,
  type Ports,
  type ProxyList,
  parseInlets,
  parseProxies,
} from '../../http/index.js';
import {
  type AdminSocket,
  type FileSystem,
  isForeignFile,
  lockDirectory,
  NodeFileSystem,
  openAdminSocket,
} from '../../io/index.js';
import { refuseHalfStore } from '../../recovery/index.js';
import type { AdminDependencies } from '../admin/administer.js';
import { answerLines } from '../admin/answer-lines.js';
import { openAudit } from '../admin/audit-file.js';
import { type ServerFacts, type StoreStatus, statusOf } from '../status/store-status.js';
import { createEngine, type ServerDependencies } from './create-engine.js';
import type { ServeConfig } from './serve-config.js';
import { startPostgres } from './serve-postgres.js';

/** A record batch of Arrow takes at most this part of the memory limit, before it is parsed. */
const ARROW_MEMORY_PART = 32;
/** Memory of the package that reads a Parquet file, in record batches of Arrow of the longest kind. */
const PARQUET_BATCHES = 8;

export interface RunningServer {
  readonly ports: Ports;
  /** Port for Postgres clients; null = they are not served. */
  readonly pgPort: number | null;
  /** The certificate's PEM file, which clients of a self-signed server trust. */
  readonly certFile: string;
  readonly dataDir: string;
  /** The file of the first start's keys; null = the operator removed it. */
  readonly keysFile: string | null;
  readonly hasConsole: boolean;
  /** Writes a snapshot now. */
  checkpoint(): Promise<void>;
  /**
   * Opens the audit log again by its name, so that a rotated file is replaced, and reads the files of the certificate and
   * the key again. Throws and keeps the old pair when the new one cannot be used.
   */
  reload(): void;
  /** Waits for running requests, makes everything durable and releases the directory. */
  close(): Promise<void>;
}

/** File handles for the log, a checkpoint and spill files of SELECTs, with a margin. */
const SPARE_HANDLES = 16;

/** Resolves when requests are served. Rejects with an Error whose message says what to do. */
export async function startServer(
  config: ServeConfig,
  dependencies: ServerDependencies,
): Promise<RunningServer> {
  if (nativeFault !== null)
    throw new Error(`the native binary of uWebSockets.js did not load: ${nativeFault}`);
  const fs = new NodeFileSystem(SPARE_HANDLES);
  const dir = path.resolve(config.dataDir);
  await fs.makeDir(dir);
  await checkOwner(fs, dir);
  const lock = await lockDirectory(dir);
  const closers: (() => Promise<void>)[] = [() => lock.release()];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.reverse()) await close();
  };
  try {
    await refuseHalfStore(fs, dir);
    const certificate =
      config.cert !== null && config.key !== null
        ? { certFile: config.cert, keyFile: config.key }
        : await ensureCertificate(fs, dir, systemClock.nowMs());
    const { audit, reopen, close: closeAudit } = await openAudit(config, dependencies.log);
    closers.push(closeAudit);
    const { consoleDir } = dependencies;
    const consoleFiles = consoleDir === null ? ConsoleFiles.none() : await ConsoleFiles.read(fs, consoleDir);
    const engine = await createEngine(config, dependencies, fs, dir);
    closers.push(() => engine.close());
    const arrowBatchBytesMax = Math.min(
      HTTP_DEFAULTS.arrowBatchBytesMax,
      Math.floor(config.memoryLimitBytes / ARROW_MEMORY_PART),
    );
    const server = new HttpServer(
      {
        ...HTTP_DEFAULTS,
        arrowBatchBytesMax,
        ...certificate,
        host: config.host,
        httpsPort: config.httpsPort,
        httpPort: config.httpPort,
        proxies: proxiesOf(config),
        inlets: inletsOf(config),
        limits: config.limits,
        slowQueryMs: config.slowQueryMs,
      },
      {
        engine,
        clock: systemClock,
        elapsedMs: () => performance.now(),
        log: dependencies.log,
        audit,
        consoleFiles,
        parquet: new ParquetThreads({
          threadFile: dependencies.parquetThreadFile,
          memoryBytesMax: PARQUET_BATCHES * arrowBatchBytesMax,
          batchBytesMax: arrowBatchBytesMax,
          reserveMemory: (bytes) => engine.holdMemory(bytes),
        }),
        instanceId: randomBytes(6).toString('hex'),
        randomBytes,
      },
    );
    const ports = server.listen();
    closers.push(() => server.close());
    await engine.start();
    await server.ready();
    const postgres = await startPostgres(config, dependencies, fs, certificate, {
      engine,
      requests: server.postgresRequests,
    });
    if (postgres !== null) {
      closers.push(() => postgres.close());
      server.showPostgres(() => postgres.stats());
    }
    const stopping = new AbortController();
    const pgPort = postgres?.port ?? null;
    const facts = factsOf(config, dependencies, dir, addressesOf(config.host, { ports, pgPort }));
    const status = (): Promise<StoreStatus> => statusOf(engine, facts);
    const certFile = path.resolve(certificate.certFile);
    const address = { host: config.host, httpsPort: ports.httpsPort, certFile };
    const socket = await openSocket(
      dir,
      { engine, randomBytes, stopping: stopping.signal, status, address },
      dependencies.log,
      audit,
    );
    if (socket !== null) closers.push(() => socket.close());
    const keysFile = path.join(dir, 'keys.json');
    closers.push(async () => stopping.abort());
    return {
      ports,
      pgPort,
      certFile: certificate.certFile,
      dataDir: dir,
      keysFile: (await fs.exists(keysFile)) ? keysFile : null,
      hasConsole: consoleFiles.exists,
      checkpoint: () => engine.checkpoint(),
      reload: () => {
        reopen();
        server.reloadCertificate();
        postgres?.reloadCertificate();
      },
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Refuses to run as root on another user's store: the owner could not write to the files that root makes. */
async function checkOwner(fs: FileSystem, dir: string): Promise<void> {
  const manifest = path.join(dir, 'manifest');
  if (!(await fs.exists(manifest)) || !(await isForeignFile(manifest))) return;
  throw new Error(
    `${dir} belongs to another user; run the server as that user, or change the owner of the directory and its contents`,
  );
}

function proxiesOf({ trustProxy }: ServeConfig): ProxyList | null {
  if (trustProxy.length === 0) return null;
  const proxies = parseProxies(trustProxy);
  if ('bad' in proxies) throw new Error(`${proxies.bad} is not a network`);
  return proxies;
}

function inletsOf({ inlets }: ServeConfig): readonly InletSetting[] {
  const settings = parseInlets(inlets);
  if ('bad' in settings) throw new Error(`${settings.bad} is not an inlet`);
  return settings;
}

export interface Addresses {
  readonly https: string;
  readonly http: string;
  /** null = clients of Postgres are not served. */
  readonly postgres: string | null;
}

/** As URLs. */
export function addressesOf(
  host: string,
  { ports: { httpsPort, httpPort }, pgPort }: Pick<RunningServer, 'ports' | 'pgPort'>,
): Addresses {
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    https: `https://${name}:${httpsPort}`,
    http: `http://${name}:${httpPort}`,
    postgres: pgPort === null ? null : `postgres://${name}:${pgPort}`,
  };
}

function factsOf(
  config: ServeConfig,
  { release }: ServerDependencies,
  dir: string,
  { https, http, postgres }: Addresses,
): ServerFacts {
  const startedMs = performance.now();
  return {
    release,
    pid: process.pid,
    dataDir: dir,
    httpsAddress: https,
    httpAddress: http,
    postgresAddress: postgres,
    durability: config.durability,
    archiveDir: config.archiveDir === null ? null : path.resolve(config.archiveDir),
    uptimeSeconds: () => (performance.now() - startedMs) / 1000,
    processBytes: () => process.memoryUsage.rss(),
  };
}

/** Opens the admin socket. Without it the server still serves; only administrative commands need a stopped server. */
async function openSocket(
  dir: string,
  dependencies: AdminDependencies,
  log: ServerDependencies['log'],
  audit: Audit,
): Promise<AdminSocket | null> {
  try {
    return await openAdminSocket(dir, answerLines(dependencies, log, audit));
  } catch (error) {
    log.warn(
      { error: String(error) },
      'the admin socket could not be opened: quarry keys, account, retention and backup require a stopped server, and quarry status cannot reach this one',
    );
    return null;
  }
}
