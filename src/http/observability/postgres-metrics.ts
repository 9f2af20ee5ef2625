/** Statistics of the Postgres port as metrics. Without a Postgres port these metrics have no samples. */
import type { Metric, Sample } from './metric.js';

export interface PostgresStats {
  readonly openConnectionCount: number;
  /** Connections that were authorized. */
  readonly sessionCount: number;
  readonly refusedConnectionCount: number;
  /** By outcome. */
  readonly statements: Readonly<Record<string, number>>;
}

export function postgresMetrics(stats: () => PostgresStats | null): Metric[] {
  const read = (samples: (stats: PostgresStats) => Sample[]) => (): Sample[] => {
    const now = stats();
    return now === null ? [] : samples(now);
  };
  return [
    {
      name: 'quarry_pg_connections_open',
      help: 'connections of Postgres clients, let in or not yet',
      type: 'gauge',
      read: read(({ openConnectionCount }) => [{ value: openConnectionCount }]),
    },
    {
      name: 'quarry_pg_sessions_open',
      help: 'connections of Postgres clients that were let in',
      type: 'gauge',
      read: read(({ sessionCount }) => [{ value: sessionCount }]),
    },
    {
      name: 'quarry_pg_refused_total',
      help: 'connections of Postgres clients that were not let in',
      type: 'counter',
      read: read(({ refusedConnectionCount }) => [{ value: refusedConnectionCount }]),
    },
    {
      name: 'quarry_pg_statements_total',
      help: 'statements of Postgres clients, by how they ended',
      type: 'counter',
      read: read(({ statements }) =>
        Object.entries(statements).map(([outcome, value]) => ({ labels: { outcome }, value })),
      ),
    },
  ];
}
