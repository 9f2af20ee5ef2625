/**
 * The temporary tables and views of a session. Their rows are in memory, which is reserved. Those made in a transaction block
 * that is rolled back disappear with it.
 */
import type * as sql from '../../sql/index.js';
import { ProtocolError } from '../protocol/errors.js';

const TABLES_MAX = 100;

export class SessionTables {
  #tables: ReadonlyMap<string, sql.SessionTable> = new Map();
  readonly #releases = new Map<string, () => void>();
  /** Release tables that were dropped while there were views. */
  readonly #retained: (() => void)[] = [];
  /** Made in the current transaction. */
  readonly #recent = new Set<string>();

  /** By name in lower case. Never modified: a view keeps the tables that it was made over. */
  get all(): ReadonlyMap<string, sql.SessionTable> {
    return this.#tables;
  }

  has(name: string): boolean {
    return this.#tables.has(name.toLowerCase());
  }

  /** Throws 42P07 if the name exists, 53200 if there are too many. */
  checkNew(name: string): void {
    if (this.has(name)) {
      throw new ProtocolError('42P07', `relation ${JSON.stringify(name)} already exists`);
    }
    if (this.#tables.size >= TABLES_MAX) {
      throw new ProtocolError('53200', `a session has at most ${TABLES_MAX} temporary tables and views`);
    }
  }

  /** `release` frees the memory of the table. */
  add(name: string, table: sql.SessionTable, release: () => void): void {
    const key = name.toLowerCase();
    this.drop(name);
    this.#tables = new Map([...this.#tables, [key, table]]);
    this.#releases.set(key, release);
    this.#recent.add(key);
  }

  drop(name: string): void {
    const key = name.toLowerCase();
    this.#tables = new Map([...this.#tables].filter(([other]) => other !== key));
    const release = this.#releases.get(key);
    if (release !== undefined) {
      // Views may still read the rows.
      if ([...this.#tables.values()].some(({ is }) => is === 'view')) this.#retained.push(release);
      else release();
    }
    this.#releases.delete(key);
    this.#recent.delete(key);
  }

  dropAll(): void {
    for (const name of [...this.#tables.keys()]) this.drop(name);
    for (const release of this.#retained.splice(0)) release();
  }

  endTransaction(isCommitted: boolean): void {
    if (!isCommitted) for (const name of [...this.#recent]) this.drop(name);
    this.#recent.clear();
  }
}
