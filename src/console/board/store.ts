/** The dashboards of a database, in this browser. */
import type { KeyStore } from '../server/session.js';
import { type Board, boardOfText, boardText } from './board.js';

const PREFIX = 'quarry-dashboards ';

export class BoardStore {
  readonly #storage: KeyStore;
  readonly #name: string;

  /** `database` separates the dashboards of several databases. */
  constructor(storage: KeyStore, database: string) {
    this.#storage = storage;
    this.#name = `${PREFIX}${database}`;
  }

  /** The dashboards by name; damaged ones are left out. */
  read(): readonly Board[] {
    try {
      const texts = JSON.parse(this.#storage.getItem(this.#name) ?? '[]') as readonly string[];
      return texts.map(boardOfText).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch {
      return [];
    }
  }

  /** Stores a dashboard instead of the one of this name. Throws the browser's error if the storage is full. */
  write(board: Board): void {
    this.#writeAll([...this.read().filter(({ name }) => name !== board.name), board]);
  }

  remove(name: string): void {
    this.#writeAll(this.read().filter((board) => board.name !== name));
  }

  #writeAll(boards: readonly Board[]): void {
    if (boards.length === 0) this.#storage.removeItem(this.#name);
    else this.#storage.setItem(this.#name, JSON.stringify(boards.map(boardText)));
  }
}
