/**
 * The temporary tables and views of a session. Their rows are in memory, which is reserved. What a transaction block that is
 * rolled back did to them is undone.
 */
import type * as sql from '../../sql/index.js';
import { ProtocolError } from '../protocol/errors.js';

const TABLES_MAX = 100;

interface Entry {
  readonly table: sql.SessionTable;
  /** ON COMMIT: what happens to the table at the end of the transaction. */
  readonly onCommit: sql.OnCommit;
  /** Frees the memory of the table. */
  readonly release: () => void;
}

type Entries = ReadonlyMap<string, Entry>;

export class SessionTables {
  #entries: Entries = new Map();
  /** Those at the begin of the transaction. */
  #before: Entries = this.#entries;
  #tables: ReadonlyMap<string, sql.SessionTable> = new Map();
  /** Replaced within the transaction. */
  readonly #replaced = new Set<Entry>();
  /** Release tables that were dropped while there were views, which may still read the rows. */
  readonly #retained: (() => void)[] = [];

  /** By name in lower case. Never modified: a view keeps the tables that it was made over. */
  get all(): ReadonlyMap<string, sql.SessionTable> {
    return this.#tables;
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /** Throws 42P07 if the name exists, 53200 if there are too many. */
  checkNew(name: string): void {
    if (this.has(name)) {
      throw new ProtocolError('42P07', `relation ${JSON.stringify(name)} already exists`);
    }
    if (this.#entries.size >= TABLES_MAX) {
      throw new ProtocolError('53200', `a session has at most ${TABLES_MAX} temporary tables and views`);
    }
  }

  /** Adds or replaces a table. `release` frees its memory. */
  add(name: string, table: sql.SessionTable, release: () => void, onCommit?: sql.OnCommit): void {
    const key = name.toLowerCase();
    const known = this.#entries.get(key)?.onCommit ?? 'preserve';
    this.#set(new Map([...this.#entries, [key, { table, release, onCommit: onCommit ?? known }]]));
  }

  drop(name: string): void {
    const key = name.toLowerCase();
    this.#set(new Map([...this.#entries].filter(([other]) => other !== key)));
  }

  dropAll(): void {
    this.#set(new Map());
    this.endTransaction(true);
    for (const release of this.#retained.splice(0)) release();
  }

  endTransaction(isCommitted: boolean): void {
    if (!isCommitted) this.#set(this.#before);
    else if ([...this.#entries.values()].some(({ onCommit }) => onCommit !== 'preserve')) this.#commit();
    const present = new Set(this.#entries.values());
    const hasViews = [...present].some(({ table }) => table.is === 'view');
    for (const entry of this.#replaced) {
      if (present.has(entry)) continue;
      if (hasViews) this.#retained.push(entry.release);
      else entry.release();
    }
    this.#replaced.clear();
    this.#before = this.#entries;
  }

  /** Drops or empties the tables as ON COMMIT says. */
  #commit(): void {
    const entries = [...this.#entries].filter(([, { onCommit }]) => onCommit !== 'drop');
    this.#set(
      new Map(
        entries.map(([key, entry]) => {
          const { table, onCommit } = entry;
          const isEmptied = onCommit === 'delete rows' && table.is === 'rows' && table.rows.length > 0;
          return [key, isEmptied ? { table: { ...table, rows: [] }, onCommit, release: () => {} } : entry];
        }),
      ),
    );
  }

  #set(entries: Entries): void {
    for (const entry of this.#entries.values()) this.#replaced.add(entry);
    this.#entries = entries;
    this.#tables = new Map([...entries].map(([key, { table }]) => [key, table]));
  }
}
