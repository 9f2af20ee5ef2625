/**
 * Deduplicates writes by their ID (RecordOnce.id): stores the hash of the body and the answer of each.
 * Invariants
 *   An entry exists only for a write whose record is durable; it comes from that record or from a snapshot of them.
 *   An entry is kept for RETENTION_MS. A full table refuses writes with new IDs; it never removes a younger entry.
 *   Of two concurrent requests with one ID, the second waits for the first, then returns its answer or runs if it failed.
 */
import { QuarryError } from '../../base/index.js';
import type { DeduplicationEntry } from '../../format/index.js';

export const RETENTION_MS = 24 * 3_600_000;
/** Two texts of 43 characters, numbers and the Map's own entry. */
const ENTRY_BYTES = 320;

export class DeduplicationTable {
  readonly #entriesMax: number;
  /** In the order of addition, which is the order of time except for a few concurrent writes. */
  readonly #entries = new Map<string, DeduplicationEntry>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get count(): number {
    return this.#entries.size;
  }

  /** Approximate heap memory of the entries. */
  get memoryBytes(): number {
    return this.#entries.size * ENTRY_BYTES;
  }

  /** Adds an entry when the record of its write has been applied, and at the start for every stored entry. */
  add(entry: DeduplicationEntry): void {
    // An ID that is used again after RETENTION_MS moves to the end of the order.
    this.#entries.delete(entry.id);
    this.#entries.set(entry.id, entry);
  }

  /** Entries of records up to `lsn`, oldest first. Others may be added during the iteration. */
  *upTo(lsn: number, nowMs: number): Generator<DeduplicationEntry> {
    for (const entry of this.#entries.values()) {
      if (entry.lsn <= lsn && !isOver(entry, nowMs)) yield entry;
    }
  }

  /** The stored answer of this ID, or null. Throws 9001 if it belongs to another body. */
  find(id: string, bodyHash: () => string, nowMs: number): readonly number[] | null {
    const entry = this.#entries.get(id);
    if (entry === undefined || isOver(entry, nowMs)) return null;
    if (entry.bodyHash === bodyHash()) return entry.answer;
    throw new QuarryError(9001, 'this Idempotency-Key was used for a request with another body');
  }

  /**
   * Returns the stored answer of this ID, or the answer of `write`, which adds the entry. `bodyHash` is called only if there is
   * an entry. Rejects with 9001 if the entry belongs to another body, and with 9003 if the table is full.
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
    this.#removeExpired(nowMs);
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

  #removeExpired(nowMs: number): void {
    for (const entry of this.#entries.values()) {
      if (!isOver(entry, nowMs)) break;
      this.#entries.delete(entry.id);
    }
    if (this.#entries.size + this.#underWay.size < this.#entriesMax) return;
    throw new QuarryError(
      9003,
      'the server has its maximum number of Idempotency-Keys younger than 24 hours',
    );
  }
}

const isOver = ({ timeMs }: DeduplicationEntry, nowMs: number): boolean => timeMs + RETENTION_MS <= nowMs;
