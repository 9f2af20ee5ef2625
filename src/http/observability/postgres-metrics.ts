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
      help: 'open connections of Postgres clients, authenticated or not',
      type: 'gauge',
      read: read(({ openConnectionCount }) => [{ value: openConnectionCount }]),
    },
    {
      name: 'quarry_pg_sessions_open',
      help: 'open connections of authenticated Postgres clients',
      type: 'gauge',
      read: read(({ sessionCount }) => [{ value: sessionCount }]),
    },
    {
      name: 'quarry_pg_refused_total',
      help: 'refused connections of Postgres clients',
      type: 'counter',
      read: read(({ refusedConnectionCount }) => [{ value: refusedConnectionCount }]),
    },
    {
      name: 'quarry_pg_statements_total',
      help: 'statements of Postgres clients by outcome',
      type: 'counter',
      read: read(({ statements }) =>
        Object.entries(statements).map(([outcome, value]) => ({ labels: { outcome }, value })),
      ),
    },
  ];
}
