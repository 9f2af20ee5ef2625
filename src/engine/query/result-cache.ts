/**
 * Cache of answers, each with the version of the data that it was computed from.
 * Invariants: a cached answer is returned only for the same key and the same version, so it is never stale. When `bytesMax`
 * is reached, the least recently used entries are removed.
 */
export interface Remembered<T> {
  readonly value: T;
  /** Start of the query, in milliseconds of a monotonic clock. */
  readonly startedMs: number;
}

interface Entry {
  readonly remembered: Remembered<unknown>;
  readonly version: number;
  readonly bytes: number;
}

/** Memory of an entry in addition to its key and value. */
const ENTRY_BYTES = 200;
/** The size of the cache divided by this number is the limit of one entry. */
const ENTRY_PART_MAX = 8;

export class ResultCache {
  readonly #bytesMax: number;
  /** In order of use, the most recently used entry last. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #hitCount = 0;
  #missCount = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }
  get hitCount(): number {
    return this.#hitCount;
  }
  get missCount(): number {
    return this.#missCount;
  }

  /** The value stored under the key, if it is in the cache and has this version. */
  get<T>(key: string, version: number): Remembered<T> | null {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.version !== version) {
      this.#missCount++;
      return null;
    }
    this.#hitCount++;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.remembered as Remembered<T>;
  }

  /** `valueBytes`: the approximate size of the value. */
  put<T>(key: string, version: number, remembered: Remembered<T>, valueBytes: number): void {
    this.#drop(key);
    // A character of a JS string may take two bytes.
    const bytes = key.length * 2 + valueBytes + ENTRY_BYTES;
    if (bytes * ENTRY_PART_MAX > this.#bytesMax) return;
    this.#entries.set(key, { remembered, version, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
