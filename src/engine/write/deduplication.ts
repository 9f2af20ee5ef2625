/**
 * Writes that take effect once: by what names a request (RecordOnce.id), the hash of its body and its answer.
 * Invariants
 *   An entry exists only for a write whose record is durable; it comes from that record or from a snapshot of them.
 *   An entry is kept for KEPT_MS. A full table refuses new named writes; it never forgets a younger entry.
 *   Of two requests with one name at once, the second waits for the first and then finds its entry, or is the first.
 */
import { QuarryError } from '../../base/index.js';
import type { DeduplicationEntry } from '../../format/index.js';

export const KEPT_MS = 24 * 3_600_000;
/** Two texts of 43 characters, numbers, and a place in the Map. */
const ENTRY_BYTES = 320;

export class OnceTable {
  readonly #entriesMax: number;
  /** In the order in which they were added, which is that of time but for the few that were under way together. */
  readonly #entries = new Map<string, DeduplicationEntry>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get count(): number {
    return this.#entries.size;
  }

  /** About what the entries take on the heap. */
  get memoryBytes(): number {
    return this.#entries.size * ENTRY_BYTES;
  }

  /** Called when the record of a named write has been applied, and at start for every entry found. */
  add(entry: DeduplicationEntry): void {
    // A name that is used again after its time goes behind the younger ones.
    this.#entries.delete(entry.id);
    this.#entries.set(entry.id, entry);
  }

  /** Entries of records up to `lsn`, oldest first; others may be added meanwhile. */
  *upTo(lsn: number, nowMs: number): Generator<DeduplicationEntry> {
    for (const entry of this.#entries.values()) {
      if (entry.lsn <= lsn && !isOver(entry, nowMs)) yield entry;
    }
  }

  /** The answer that was given under this name, or null. Throws 9001 when that was for another body. */
  find(id: string, bodyHash: () => string, nowMs: number): readonly number[] | null {
    const entry = this.#entries.get(id);
    if (entry === undefined || isOver(entry, nowMs)) return null;
    if (entry.bodyHash === bodyHash()) return entry.answer;
    throw new QuarryError(9001, 'this Idempotency-Key was used for a request with another body');
  }

  /**
   * The answer that was given under this name, or that of `write`, which adds the entry. `bodyHash` is asked for only
   * when there is an entry. Rejects with 9001 when that had another body, with 9003 when there is no room for one more.
   */
  async run(
    id: string,
    bodyHash: () => string,
    nowMs: number,
    write: () => Promise<readonly number[]>,
  ): Promise<readonly number[]> {
    for (;;) {
      const answer = this.find(id, bodyHash, nowMs);
      if (answer !== null) return answer;
      const first = this.#underWay.get(id);
      if (first === undefined) break;
      await first;
    }
    this.#makeRoom(nowMs);
    const writing = write();
    this.#underWay.set(
      id,
      writing.then(
        () => {},
        () => {},
      ),
    );
    try {
      return await writing;
    } finally {
      this.#underWay.delete(id);
    }
  }

  #makeRoom(nowMs: number): void {
    for (const entry of this.#entries.values()) {
      if (!isOver(entry, nowMs)) break;
      this.#entries.delete(entry.id);
    }
    if (this.#entries.size + this.#underWay.size < this.#entriesMax) return;
    throw new QuarryError(9003, 'as many Idempotency-Keys as the server keeps are younger than 24 hours');
  }
}

const isOver = ({ timeMs }: DeduplicationEntry, nowMs: number): boolean => timeMs + KEPT_MS <= nowMs;
