/**
 * The cursors of a session by name. One without HOLD ends with its transaction, one with HOLD only if the transaction in which it
 * was declared is rolled back.
 */
import { ProtocolError } from '../../protocol/errors.js';
import type { Cursor } from './cursor.js';

const CURSORS_MAX = 20;

export class Cursors {
  readonly #open = new Map<string, Cursor>();
  /** Declared in the current transaction. */
  readonly #recent = new Set<string>();

  /** Throws 42P03 if the name exists, 53200 if there are too many. */
  checkNew(name: string): void {
    if (this.#open.has(name))
      throw new ProtocolError('42P03', `cursor ${JSON.stringify(name)} already exists`);
    if (this.#open.size >= CURSORS_MAX) {
      throw new ProtocolError('53200', `too many cursors; the limit of a session is ${CURSORS_MAX}`);
    }
  }

  add(name: string, cursor: Cursor): void {
    this.#open.set(name, cursor);
    this.#recent.add(name);
  }

  /** Throws 34000. */
  get(name: string): Cursor {
    const cursor = this.#open.get(name);
    if (cursor !== undefined) return cursor;
    throw new ProtocolError('34000', `cursor ${JSON.stringify(name)} does not exist`);
  }

  /** null = all. Throws 34000. */
  close(name: string | null): void {
    const names = name === null ? [...this.#open.keys()] : [name];
    for (const one of names) {
      this.get(one).close();
      this.#open.delete(one);
      this.#recent.delete(one);
    }
  }

  endTransaction(isCommitted: boolean): void {
    for (const [name, cursor] of [...this.#open]) {
      if (!cursor.withHold || (!isCommitted && this.#recent.has(name))) this.close(name);
    }
    this.#recent.clear();
  }
}
