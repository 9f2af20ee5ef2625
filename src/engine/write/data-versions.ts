/**
 * Version numbers of the data, which grow with every record that changes the rows of a dimension or the catalog. Two queries of
 * a dimension with the same version read the same data.
 */
import type { DimensionKey } from '../../storage/index.js';

/** The dimensions whose rows a record changes. */
export interface TouchedDimensions {
  readonly databaseId: number;
  readonly dimensionIds: readonly number[];
}

interface OfDatabase {
  /** The last record that changed any of its rows. */
  lsn: number;
  /** For each dimension, the last record that changed its rows and the time when it was sent to the workers. */
  readonly dimensions: Map<number, { readonly lsn: number; readonly elapsedMs: number }>;
}

export class DataVersions {
  readonly #databases = new Map<number, OfDatabase>();
  /** The last record that changed the catalog. */
  #catalogLsn = 0;

  /** Notes that the record `lsn` changed the catalog. */
  catalogChanged(lsn: number): void {
    this.#catalogLsn = lsn;
  }

  /** `elapsedMs` is the time of a monotonic clock. */
  rowsChanged(lsn: number, { databaseId, dimensionIds }: TouchedDimensions, elapsedMs: number): void {
    let database = this.#databases.get(databaseId);
    if (database === undefined) {
      database = { lsn, dimensions: new Map() };
      this.#databases.set(databaseId, database);
    }
    database.lsn = lsn;
    for (const id of dimensionIds) database.dimensions.set(id, { lsn, elapsedMs });
  }

  ofDatabase(databaseId: number): number {
    return Math.max(this.#catalogLsn, this.#databases.get(databaseId)?.lsn ?? 0);
  }

  of({ databaseId, dimensionId }: DimensionKey): number {
    const dimension = this.#databases.get(databaseId)?.dimensions.get(dimensionId);
    return Math.max(this.#catalogLsn, dimension?.lsn ?? 0);
  }

  /** The last record that changed rows of one of the dimensions, or the catalog. */
  ofAll(dimensions: readonly DimensionKey[]): number {
    return dimensions.reduce((lsn, dimension) => Math.max(lsn, this.of(dimension)), this.#catalogLsn);
  }

  /** Time of the last change of the dimension's rows; -Infinity if they never changed. */
  changedMs({ databaseId, dimensionId }: DimensionKey): number {
    const dimension = this.#databases.get(databaseId)?.dimensions.get(dimensionId);
    return dimension?.elapsedMs ?? Number.NEGATIVE_INFINITY;
  }

  forget(databaseId: number): void {
    this.#databases.delete(databaseId);
  }
}
