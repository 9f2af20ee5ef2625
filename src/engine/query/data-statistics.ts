/**
 * Statistics of the data for the planner: entities per dimension and distinct values per column, computed by the workers
 * and retained for a while.
 * Invariant: statistics only influence the choice of a plan, so outdated ones never make an answer wrong.
 */
import type { Statistics } from '../../plan/index.js';
import type { ColumnStatistics, DimensionStatistics } from '../../protocol/index.js';
import type { DimensionKey } from '../../storage/index.js';
import type { DataVersions } from '../write/data-versions.js';
import type { RunningQuery } from './running-query.js';

/** Time for which the statistics of a changed dimension are used. */
const VALID_MS = 1_000;
/** Above this number of dimensions all statistics are dropped, because some of them may be deleted. */
const DIMENSIONS_MAX = 10_000;
/** If a column has more distinct values per value, its values are assumed to be unique. */
const UNIQUE_SHARE = 0.9;

interface Described {
  readonly entityCount: number;
  /** By column: the number of distinct values, if most values are repeated. */
  readonly distinctValues: ReadonlyMap<number, number>;
  readonly version: number;
  readonly describedMs: number;
}

export class DataStatistics {
  readonly #versions: Pick<DataVersions, 'of'>;
  readonly #elapsedMs: () => number;
  readonly #described = new Map<string, Described>();

  constructor(versions: Pick<DataVersions, 'of'>, elapsedMs: () => number) {
    this.#versions = versions;
    this.#elapsedMs = elapsedMs;
  }

  /** Rejects with 9004, 9005. */
  async of(dimensions: readonly DimensionKey[], query: RunningQuery): Promise<Statistics> {
    const missing = dimensions.filter((dimension) => !this.#isFresh(dimension));
    if (missing.length > 0) await this.#describe(missing, query);
    const known = new Map(
      dimensions.map((dimension) => [dimension.dimensionId, this.#described.get(keyOf(dimension))]),
    );
    return {
      rows: (dimensionId) => known.get(dimensionId)?.entityCount ?? 0,
      distinctValues: (dimensionId, columnId) => known.get(dimensionId)?.distinctValues.get(columnId) ?? null,
    };
  }

  #isFresh(dimension: DimensionKey): boolean {
    const found = this.#described.get(keyOf(dimension));
    if (found === undefined) return false;
    return found.version === this.#versions.of(dimension) || this.#elapsedMs() - found.describedMs < VALID_MS;
  }

  async #describe(dimensions: readonly DimensionKey[], query: RunningQuery): Promise<void> {
    if (this.#described.size > DIMENSIONS_MAX) this.#described.clear();
    const versions = dimensions.map((dimension) => this.#versions.of(dimension));
    const describedMs = this.#elapsedMs();
    const workers = await query.sendAll((worker) => worker.send('describe-columns', { dimensions }));
    for (const [index, dimension] of dimensions.entries()) {
      const parts = workers.map((found) => found[index]);
      this.#described.set(keyOf(dimension), {
        entityCount: parts.reduce((sum, { entityCount }) => sum + entityCount, 0),
        distinctValues: distinctValuesOf(parts),
        version: versions[index],
        describedMs,
      });
    }
  }
}

function distinctValuesOf(parts: readonly DimensionStatistics[]): ReadonlyMap<number, number> {
  const byColumn = new Map<number, ColumnStatistics[]>();
  for (const column of parts.flatMap(({ columns }) => columns)) {
    byColumn.set(column.columnId, [...(byColumn.get(column.columnId) ?? []), column]);
  }
  const distinct = new Map<number, number>();
  for (const [columnId, columns] of byColumn) {
    const valueCount = columns.reduce((sum, column) => sum + column.valueCount, 0);
    const most = mostDistinct(columns);
    if (most < valueCount * UNIQUE_SHARE) distinct.set(columnId, most);
  }
  return distinct;
}

/** An upper bound: the range of numbers; the texts of the worker with most of them. */
function mostDistinct(columns: readonly ColumnStatistics[]): number {
  const texts = columns.flatMap(({ textCount }) => textCount ?? []);
  if (texts.length > 0) return Math.max(...texts);
  return Math.max(...columns.map(({ max }) => max)) - Math.min(...columns.map(({ min }) => min)) + 1;
}

const keyOf = ({ databaseId, dimensionId }: DimensionKey): string => `${databaseId} ${dimensionId}`;
