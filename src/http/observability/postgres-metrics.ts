/** The figures of clients of Postgres as metrics; without a port for them there is nothing to tell of each. */
import type { Metric, Sample } from './metric.js';

export interface PostgresFigures {
  readonly openConnectionCount: number;
  /** Of those that were let in. */
  readonly sessionCount: number;
  readonly refusedConnectionCount: number;
  /** By how they ended. */
  readonly statements: Readonly<Record<string, number>>;
}

export function postgresMetrics(figures: () => PostgresFigures | null): Metric[] {
  const read = (samples: (figures: PostgresFigures) => Sample[]) => (): Sample[] => {
    const now = figures();
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
