/** Starts the listener for Postgres clients of a running server. */

import { systemClock } from '../../base/index.js';
import type { CertificateFiles } from '../../http/index.js';
import type { FileSystem } from '../../io/index.js';
import type {
  Certificate,
  PostgresDependencies,
  PostgresRequests,
  PostgresServerStats,
} from '../../pg/index.js';
import { POSTGRES_DEFAULTS, PostgresServer } from '../../pg/index.js';
import type { ServerDependencies } from './create-engine.js';
import type { ServeConfig } from './serve-config.js';

const CATALOG_RUN_MS_MAX = 5_000;
const CATALOG_IDLE_MS_MAX = 60_000;

export interface RunningPostgres {
  readonly port: number;
  stats(): PostgresServerStats;
  /** Reads the certificate's files again. If they cannot be used, logs the error and keeps the old pair. */
  reloadCertificate(): void;
  close(): Promise<void>;
}

/** Returns null if no port is configured. Rejects when the port is in use or the certificate cannot be used. */
export async function startPostgres(
  { host, pgPort, pgAuth }: Pick<ServeConfig, 'host' | 'pgPort' | 'pgAuth'>,
  { log, postgres }: Pick<ServerDependencies, 'log' | 'postgres'>,
  fs: FileSystem,
  files: CertificateFiles,
  parts: { readonly engine: PostgresDependencies['engine']; readonly requests: PostgresRequests },
): Promise<RunningPostgres | null> {
  if (pgPort === null) return null;
  if (postgres === undefined)
    throw new Error('--pg-port: this build does not include the catalog for Postgres clients');
  const certificate = async (): Promise<Certificate> => ({
    cert: await fs.readFile(files.certFile),
    key: await fs.readFile(files.keyFile),
  });
  const server = new PostgresServer(
    {
      ...POSTGRES_DEFAULTS,
      host,
      port: pgPort,
      authentication: pgAuth,
      catalog: {
        threadFile: postgres.threadFile,
        template: () => fs.readFile(postgres.templateFile),
        runMsMax: CATALOG_RUN_MS_MAX,
        idleMsMax: CATALOG_IDLE_MS_MAX,
      },
    },
    { ...parts, log, clock: systemClock },
    await certificate(),
  );
  const reload = async (): Promise<void> => server.useCertificate(await certificate());
  return {
    port: await server.listen(),
    stats: () => server.stats(),
    reloadCertificate: () => {
      reload().catch((error) => log.error({ err: error }, 'Postgres clients keep the old certificate'));
    },
    close: () => server.close(),
  };
}
