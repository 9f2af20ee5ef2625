/**
 * Answers that are remembered, each with the version of the data that it was worked out from.
 * Invariants: an answer is given again only for the same key and the same version, so it is never stale; the least
 * recently used ones go when `bytesMax` is reached.
 */
export interface Remembered<T> {
  readonly value: T;
  /** When it was asked, milliseconds of a clock that never goes back. */
  readonly askedMs: number;
}

interface Entry {
  readonly remembered: Remembered<unknown>;
  readonly version: number;
  readonly bytes: number;
}

/** What an entry takes beside its key and value. */
const ENTRY_BYTES = 200;
/** Of the whole cache, that one entry may take. */
const ENTRY_PART_MAX = 8;

export class ResultCache {
  readonly #bytesMax: number;
  /** The most recently used last. */
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

  /** What `put` took under the key, if it is still here and of this version. */
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

  /** `valueBytes`: about what the value takes. */
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
