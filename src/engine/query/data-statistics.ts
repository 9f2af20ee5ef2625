/**
 * What the planner knows of the data: the number of entities per dimension, counted by the workers and kept for a while.
 * Invariant: statistics only influence the choice of a plan, so that old ones never make an answer wrong.
 */
import type { Statistics } from '../../plan/index.js';
import type { DimensionKey } from '../../storage/index.js';
import type { DataVersions } from '../write/data-versions.js';
import type { RunningQuery } from './running-query.js';

/** Time for which the number of a changed dimension is used. */
const VALID_MS = 1_000;
/** Above this number of dimensions all are forgotten, because some of them may be deleted. */
const DIMENSIONS_MAX = 10_000;

interface Counted {
  readonly entityCount: number;
  readonly version: number;
  readonly countedMs: number;
}

export class DataStatistics {
  readonly #versions: Pick<DataVersions, 'of'>;
  readonly #elapsedMs: () => number;
  readonly #counted = new Map<string, Counted>();

  constructor(versions: Pick<DataVersions, 'of'>, elapsedMs: () => number) {
    this.#versions = versions;
    this.#elapsedMs = elapsedMs;
  }

  /** Rejects with 9004, 9005. */
  async of(dimensions: readonly DimensionKey[], query: RunningQuery): Promise<Statistics> {
    const missing = dimensions.filter((dimension) => !this.#isFresh(dimension));
    if (missing.length > 0) await this.#count(missing, query);
    const counts = new Map(
      dimensions.map((dimension) => [
        dimension.dimensionId,
        this.#counted.get(keyOf(dimension))?.entityCount ?? 0,
      ]),
    );
    return { rows: (dimensionId) => counts.get(dimensionId) ?? 0, distinctValues: () => null };
  }

  #isFresh(dimension: DimensionKey): boolean {
    const found = this.#counted.get(keyOf(dimension));
    if (found === undefined) return false;
    return found.version === this.#versions.of(dimension) || this.#elapsedMs() - found.countedMs < VALID_MS;
  }

  async #count(dimensions: readonly DimensionKey[], query: RunningQuery): Promise<void> {
    if (this.#counted.size > DIMENSIONS_MAX) this.#counted.clear();
    const versions = dimensions.map((dimension) => this.#versions.of(dimension));
    const countedMs = this.#elapsedMs();
    const plans = dimensions.map((dimension) => ({ ...dimension, condition: null }));
    const workers = await query.sendAll((worker, bounds) => worker.send('count-entities', { plans, bounds }));
    for (const [index, dimension] of dimensions.entries()) {
      const entityCount = workers.reduce((sum, counts) => sum + counts[index], 0);
      this.#counted.set(keyOf(dimension), { entityCount, version: versions[index], countedMs });
    }
  }
}

const keyOf = ({ databaseId, dimensionId }: DimensionKey): string => `${databaseId} ${dimensionId}`;
