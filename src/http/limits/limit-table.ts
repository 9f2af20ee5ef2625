/** The limits of all rates and plans. `--limits FILE` replaces single ones. */
import type { LoadPlan } from '../../catalog/index.js';

export interface LimitTable {
  /** Replaces the endpoint's own rate; by `METHOD path`. */
  readonly requestsPerMinute: ReadonlyMap<string, number>;
  /** Entity IDs of inserts, per key of a database. */
  readonly entitiesPerMinute: number;
  /** Requests of all endpoints with rate `query-load` together, per key of a database. */
  readonly queriesPerMinute: Readonly<Record<LoadPlan, number>>;
  /** Entities inserted or updated in a UTC day, per database. */
  readonly writesPerDay: Readonly<Record<LoadPlan, number>>;
}

export const SPEC_LIMITS: LimitTable = {
  requestsPerMinute: new Map(),
  entitiesPerMinute: 300_000,
  queriesPerMinute: { normal: 60, high: 300, ultra: 600, mega: 6_000 },
  writesPerDay: { normal: 10_000_000, high: 100_000_000, ultra: 500_000_000, mega: 1_000_000_000 },
};
