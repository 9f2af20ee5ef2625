/**
 * How often data has changed, as numbers that grow with every record about the rows of a dimension or the catalog: two
 * queries of a dimension under the same version read the same data.
 */
import type { DimensionKey } from '../../storage/index.js';

/** Whose rows a record changes. */
export interface Touched {
  readonly databaseId: number;
  readonly dimensionIds: readonly number[];
}

interface OfDatabase {
  /** The last record about any of its rows. */
  lsn: number;
  /** The last record about the rows of each, and when it was sent to the lanes. */
  readonly dimensions: Map<number, { readonly lsn: number; readonly elapsedMs: number }>;
}

export class DataVersions {
  readonly #databases = new Map<number, OfDatabase>();
  /** The last record about the catalog. */
  #catalogLsn = 0;

  /** The record `lsn` changed the catalog. */
  catalogChanged(lsn: number): void {
    this.#catalogLsn = lsn;
  }

  /** `elapsedMs`: of a clock that never goes back. */
  rowsChanged(lsn: number, { databaseId, dimensionIds }: Touched, elapsedMs: number): void {
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

  /** When rows of the dimension changed last; -Infinity when they never did. */
  changedMs({ databaseId, dimensionId }: DimensionKey): number {
    const dimension = this.#databases.get(databaseId)?.dimensions.get(dimensionId);
    return dimension?.elapsedMs ?? Number.NEGATIVE_INFINITY;
  }

  forget(databaseId: number): void {
    this.#databases.delete(databaseId);
  }
}
