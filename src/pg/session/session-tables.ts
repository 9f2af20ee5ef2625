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
  readonly memory: TableMemory;
}

/** The memory of the rows of a table. */
export interface TableMemory {
  /** Characters of the rows as text. */
  readonly characters: number;
  readonly release: () => void;
}

export const NO_MEMORY: TableMemory = { characters: 0, release: () => {} };

type Entries = ReadonlyMap<string, Entry>;

export class SessionTables {
  #entries: Entries = new Map();
  /** Those at the begin of the transaction, and at each of its savepoints. */
  readonly #marks: Entries[] = [this.#entries];
  #tables: ReadonlyMap<string, sql.SessionTable> = new Map();
  /** Those whose memory is not released: the current ones, those of the marks, and others as long as there are views. */
  readonly #owned = new Set<Entry>();

  /** By name in lower case. Never modified: a view keeps the tables that it was made over. */
  get all(): ReadonlyMap<string, sql.SessionTable> {
    return this.#tables;
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /** Whether the written name means a temporary table or view, and not a lasting one of the same name. */
  hides({ name, database }: Pick<sql.TableName, 'name' | 'database'>): boolean {
    return database === undefined && this.has(name);
  }

  /** Throws 42809 if the temporary table or view of the name is of the other kind. */
  checkKind(name: string, isView: boolean): void {
    const found = this.#entries.get(name.toLowerCase());
    if (found === undefined || (found.table.is === 'view') === isView) return;
    throw new ProtocolError('42809', `${JSON.stringify(name)} is not a ${isView ? 'view' : 'table'}`);
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

  /** Characters of the rows of a table. */
  charactersOf(name: string): number {
    return this.#entries.get(name.toLowerCase())?.memory.characters ?? 0;
  }

  /** Adds or replaces a table. */
  add(name: string, table: sql.SessionTable, memory: TableMemory, onCommit?: sql.OnCommit): void {
    const key = name.toLowerCase();
    const known = this.#entries.get(key)?.onCommit ?? 'preserve';
    this.#set(new Map([...this.#entries, [key, { table, memory, onCommit: onCommit ?? known }]]));
  }

  drop(name: string): void {
    const key = name.toLowerCase();
    this.#set(new Map([...this.#entries].filter(([other]) => other !== key)));
  }

  /** In a transaction block, its end or a savepoint can still undo it. */
  dropAll(): void {
    this.#set(new Map());
  }

  endTransaction(isCommitted: boolean): void {
    const entries = isCommitted ? this.#committed() : this.#marks[0];
    this.#marks.splice(0, this.#marks.length, entries);
    this.#set(entries);
  }

  savepoint(): void {
    this.#marks.push(this.#entries);
  }

  /** Returns to the savepoint with this number, from 0, and forgets those after it. */
  rollbackTo(index: number): void {
    this.#marks.length = index + 2;
    this.#set(this.#marks[index + 1]);
  }

  /** Forgets the savepoint with this number, from 0, and those after it. */
  releaseSavepoint(index: number): void {
    this.#marks.length = index + 1;
    this.#releaseUnused();
  }

  /** The tables after the transaction, dropped or emptied as ON COMMIT says. */
  #committed(): Entries {
    if ([...this.#entries.values()].every(({ onCommit }) => onCommit === 'preserve')) return this.#entries;
    const entries = [...this.#entries].filter(([, { onCommit }]) => onCommit !== 'drop');
    return new Map(
      entries.map(([key, entry]) => {
        const { table, onCommit } = entry;
        const isEmptied = onCommit === 'delete rows' && table.is === 'rows' && table.rows.length > 0;
        return [key, isEmptied ? { table: { ...table, rows: [] }, onCommit, memory: NO_MEMORY } : entry];
      }),
    );
  }

  #set(entries: Entries): void {
    for (const entry of entries.values()) this.#owned.add(entry);
    this.#entries = entries;
    this.#tables = new Map([...entries].map(([key, { table }]) => [key, table]));
    this.#releaseUnused();
  }

  #releaseUnused(): void {
    const used = new Set([this.#entries, ...this.#marks].flatMap((entries) => [...entries.values()]));
    // A view may read tables that are dropped.
    if ([...used].some(({ table }) => table.is === 'view')) return;
    for (const entry of this.#owned) {
      if (used.has(entry)) continue;
      this.#owned.delete(entry);
      entry.memory.release();
    }
  }
}
