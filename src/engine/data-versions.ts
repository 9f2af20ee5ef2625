/**
 * How often a database has changed, as a number that grows with every record about its rows or the catalog: two
 * queries under the same version read the same data.
 */
export class DataVersions {
  /** The last record about the rows of a database, by its id. */
  readonly #rows = new Map<number, number>();
  /** The last record about the catalog. */
  #catalog = 0;

  /** `databaseId` null: the record changed the catalog. */
  changed(lsn: number, databaseId: number | null): void {
    if (databaseId === null) this.#catalog = lsn;
    else this.#rows.set(databaseId, lsn);
  }

  of(databaseId: number): number {
    return Math.max(this.#catalog, this.#rows.get(databaseId) ?? 0);
  }

  forget(databaseId: number): void {
    this.#rows.delete(databaseId);
  }
}
