/** The records that queries see, for answers that are to be given again when they change. */
import type { Clock } from '../base/index.js';
import type { DimensionKey } from '../storage/index.js';
import type { DatabaseUsage } from './database-usage.js';
import type { DataVersions } from './write/data-versions.js';
import type { UsageBook } from './write/usage.js';

export interface RecordsDependencies {
  readonly versions: DataVersions;
  readonly usage: UsageBook;
  /** The order of writes: the last record that was sent to the workers, and the promise that they have applied it. */
  readonly order: { readonly lsnSent: number; settled(lsn: number): Promise<void> };
  readonly clock: Clock;
}

/** The usage of a database by all records up to `lsn`. */
export interface UsageAtLsn {
  readonly lsn: number;
  readonly usage: DatabaseUsage;
}

export class Records {
  readonly #dependencies: RecordsDependencies;
  readonly #followers = new Set<() => void>();

  constructor(dependencies: RecordsDependencies) {
    this.#dependencies = dependencies;
  }

  /** LSN of the last record that a query sees which starts now. */
  get lsn(): number {
    return this.#dependencies.order.lsnSent;
  }

  /**
   * LSN of the last record that changed rows of one of the dimensions, or the catalog. For records before the start of the server
   * it is the LSN of the last of them, whatever they changed.
   */
  changedLsn(dimensions: readonly DimensionKey[]): number {
    return this.#dependencies.versions.ofAll(dimensions);
  }

  /** The same for all rows of a database. */
  databaseChangedLsn(databaseId: number): number {
    return this.#dependencies.versions.ofDatabase(databaseId);
  }

  /** Calls `act` after each record that queries see. Returns the function that ends this. */
  follow(act: () => void): () => void {
    this.#followers.add(act);
    return () => this.#followers.delete(act);
  }

  /** To be called after a record was sent to the workers. */
  sent(): void {
    for (const act of this.#followers) act();
  }

  /** Resolves when all workers have applied the records that queries see now. Rejects if a worker cannot be rebuilt. */
  async usageOf(databaseId: number): Promise<UsageAtLsn> {
    const { usage: book, order, clock } = this.#dependencies;
    const lsn = order.lsnSent;
    const { usage, end } = book.follow(databaseId, lsn, clock.nowMs());
    try {
      await order.settled(lsn);
      return { lsn, usage };
    } finally {
      end();
    }
  }
}
