/**
 * The keys of lines that were inserted within RETENTION_MS, by which a line that is sent again is recognized.
 * Invariants
 *   A key is added in the turn in which the record of its line is appended, in the order of LSNs, or comes from a record or a
 *   snapshot at the start. Who finds a key must not answer before all records appended so far are durable.
 *   A key is stored for RETENTION_MS. A full table refuses lines with new keys; it never removes a younger key.
 *   The keys of records up to an LSN are the oldest ones of the table, so a snapshot has those and no others.
 *
 * Layout. Entries are in a ring of chunks, in the order of addition. An entry has ENTRY_WORDS words: the four of its key, and the
 * time of its record in seconds. PART_COUNT hash tables, by the first bits of a key, have the positions of its entries + 1 (open
 * addressing, 0 = free), so that no growth of a table takes long.
 */
import { hasLineKey, invariant, LINE_KEY_BYTES, QuarryError } from '../../base/index.js';
import { LINE_KEY_ENTRY_BYTES } from '../../format/index.js';
import { RETENTION_MS } from './deduplication.js';

const CHUNK_BITS = 14;
const CHUNK_ENTRIES = 2 ** CHUNK_BITS;
const ENTRY_WORDS = LINE_KEY_ENTRY_BYTES / 4;
const TIME_WORD = 4;
const PART_BITS = 10;
const PART_COUNT = 2 ** PART_BITS;
const SLOTS_MIN = 16;
/** Positions of entries are in [0, RING_ENTRIES). */
const RING_ENTRIES = 2 ** 29;
const RING_MASK = RING_ENTRIES - 1;
/** The largest maximum of a table. */
export const LINE_KEYS_MAX = RING_ENTRIES - CHUNK_ENTRIES;
/** Of a mark: two numbers. */
const MARK_BYTES = 16;
/** Expired entries that an addition of a few removes. */
const EXPIRED_MIN = 64;

interface Part {
  slots: Int32Array;
  count: number;
}

const NO_SLOTS = new Int32Array(0);

export class LineKeys {
  readonly #countMax: number;
  readonly #chunks = new Array<Uint32Array | null>(RING_ENTRIES / CHUNK_ENTRIES).fill(null);
  readonly #parts: readonly Part[] = Array.from({ length: PART_COUNT }, () => ({
    slots: NO_SLOTS,
    count: 0,
  }));
  #chunkCount = 0;
  #slotCount = 0;
  #first = 0;
  #end = 0;
  #count = 0;
  /** Entries that were removed since the table was made. */
  #removedCount = 0;
  #duplicateCount = 0;
  /** The LSNs of records, ascending, and the number of entries that had been added with them and before them. */
  readonly #markLsns: number[] = [];
  readonly #markCounts: number[] = [];

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  get count(): number {
    return this.#count;
  }

  /** Lines that were left out since the start. */
  get duplicateCount(): number {
    return this.#duplicateCount;
  }

  noteDuplicates(count: number): void {
    this.#duplicateCount += count;
  }

  get memoryBytes(): number {
    return (
      this.#chunkCount * CHUNK_ENTRIES * LINE_KEY_ENTRY_BYTES +
      this.#slotCount * 4 +
      this.#markLsns.length * MARK_BYTES
    );
  }

  /** The indexes of the lines whose key is in the table, ascending. `keys`: one per line. */
  known(keys: Uint8Array, nowMs: number): number[] {
    const words = wordsOf(keys);
    const found: number[] = [];
    if (this.#count === 0) return found;
    for (let line = 0; line < keys.length / LINE_KEY_BYTES; line++) {
      if (hasLineKey(keys, line) && this.#has(words, line * 4, nowMs)) found.push(line);
    }
    return found;
  }

  /** Removes expired keys. Throws 9003 if the table has no capacity for `count` more. */
  makeCapacity(count: number, nowMs: number): void {
    const removals = Math.max(count * 2, EXPIRED_MIN);
    for (let removed = 0; removed < removals && this.#removeExpired(nowMs); removed++);
    if (this.#count + count <= this.#countMax) return;
    const text = 'the server has its maximum number of keys of lines younger than 24 hours (--line-keys)';
    throw new QuarryError(9003, text);
  }

  /** Adds the keys of a record; each must have one. A store that was opened with a smaller maximum may have more keys. */
  add(lsn: number, timeMs: number, keys: Uint8Array): void {
    const words = wordsOf(keys);
    const seconds = Math.floor(timeMs / 1_000);
    for (let at = 0; at < words.length; at += 4) this.#append(words, at, seconds);
    this.#mark(lsn);
  }

  /** Adds entries of a snapshot at `lsn`, oldest first. */
  restore(lsn: number, entries: Uint8Array): void {
    const words = wordsOf(entries);
    for (let at = 0; at < words.length; at += ENTRY_WORDS) this.#append(words, at, words[at + TIME_WORD]);
    this.#mark(lsn);
  }

  /**
   * The entries of records up to `lsn`, oldest first, in parts. Others may be added and removed during the iteration. Older LSNs
   * are not asked for again.
   */
  *upTo(lsn: number, nowMs: number): Generator<Uint8Array> {
    const endCount = this.#countUpTo(lsn);
    for (let next = this.#removedCount; next < endCount; ) {
      next = Math.max(next, this.#removedCount);
      const position = (this.#first + next - this.#removedCount) & RING_MASK;
      const from = position % CHUNK_ENTRIES;
      const length = Math.min(CHUNK_ENTRIES - from, endCount - next);
      if (length <= 0) return;
      const words = this.#chunkOf(position).slice(from * ENTRY_WORDS, (from + length) * ENTRY_WORDS);
      next += length;
      if (hasLiving(words, nowMs - RETENTION_MS)) yield new Uint8Array(words.buffer);
    }
  }

  /** The number of entries ever added with records up to `lsn`; forgets the marks before it. */
  #countUpTo(lsn: number): number {
    let index = this.#markLsns.findLastIndex((own) => own <= lsn);
    if (index > 0) {
      this.#markLsns.splice(0, index);
      this.#markCounts.splice(0, index);
      index = 0;
    }
    return index < 0 ? 0 : this.#markCounts[index];
  }

  #mark(lsn: number): void {
    const count = this.#removedCount + this.#count;
    const last = this.#markLsns.length - 1;
    invariant(last < 0 || this.#markLsns[last] <= lsn, `keys of record ${lsn} were added out of turn`);
    if (last >= 0 && this.#markLsns[last] === lsn) this.#markCounts[last] = count;
    else {
      this.#markLsns.push(lsn);
      this.#markCounts.push(count);
    }
  }

  #chunkOf(position: number): Uint32Array {
    const chunk = this.#chunks[position >>> CHUNK_BITS];
    invariant(chunk !== null, 'an entry of a line key has no chunk');
    return chunk;
  }

  #append(words: Uint32Array, at: number, seconds: number): void {
    invariant(this.#count < LINE_KEYS_MAX, 'the ring of line keys is full');
    const position = this.#end;
    const index = position >>> CHUNK_BITS;
    let chunk = this.#chunks[index];
    if (chunk === null) {
      chunk = new Uint32Array(CHUNK_ENTRIES * ENTRY_WORDS);
      this.#chunks[index] = chunk;
      this.#chunkCount++;
    }
    const to = (position % CHUNK_ENTRIES) * ENTRY_WORDS;
    for (let word = 0; word < 4; word++) chunk[to + word] = words[at + word];
    chunk[to + TIME_WORD] = seconds;
    this.#link(position, chunk, to);
    this.#end = (position + 1) & RING_MASK;
    this.#count++;
  }

  #link(position: number, chunk: Uint32Array, at: number): void {
    const part = this.#parts[chunk[at] >>> (32 - PART_BITS)];
    if ((part.count + 1) * 3 > part.slots.length * 2) this.#grow(part);
    part.slots[freeSlot(part.slots, chunk[at + 1])] = position + 1;
    part.count++;
  }

  #grow(part: Part): void {
    const old = part.slots;
    const slots = new Int32Array(Math.max(SLOTS_MIN, old.length * 2));
    for (const entry of old) if (entry !== 0) slots[freeSlot(slots, this.#homeOf(entry))] = entry;
    part.slots = slots;
    this.#slotCount += slots.length - old.length;
  }

  /** The hash of an entry, whose position is `entry` - 1. */
  #homeOf(entry: number): number {
    const position = entry - 1;
    return this.#chunkOf(position)[(position % CHUNK_ENTRIES) * ENTRY_WORDS + 1];
  }

  #has(words: Uint32Array, at: number, nowMs: number): boolean {
    const { slots } = this.#parts[words[at] >>> (32 - PART_BITS)];
    const mask = slots.length - 1;
    if (mask < 0) return false;
    for (let slot = words[at + 1] & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const position = slots[slot] - 1;
      const chunk = this.#chunkOf(position);
      const own = (position % CHUNK_ENTRIES) * ENTRY_WORDS;
      const isSame =
        chunk[own] === words[at] &&
        chunk[own + 1] === words[at + 1] &&
        chunk[own + 2] === words[at + 2] &&
        chunk[own + 3] === words[at + 3];
      if (isSame && !isOver(chunk[own + TIME_WORD], nowMs - RETENTION_MS)) return true;
    }
    return false;
  }

  /** Removes the oldest entry if it is expired. */
  #removeExpired(nowMs: number): boolean {
    if (this.#count === 0) return false;
    const position = this.#first;
    const chunk = this.#chunkOf(position);
    const at = (position % CHUNK_ENTRIES) * ENTRY_WORDS;
    if (!isOver(chunk[at + TIME_WORD], nowMs - RETENTION_MS)) return false;
    this.#unlink(position, chunk, at);
    this.#first = (position + 1) & RING_MASK;
    this.#count--;
    this.#removedCount++;
    if (this.#first % CHUNK_ENTRIES === 0) {
      this.#chunks[position >>> CHUNK_BITS] = null;
      this.#chunkCount--;
    }
    return true;
  }

  #unlink(position: number, chunk: Uint32Array, at: number): void {
    const part = this.#parts[chunk[at] >>> (32 - PART_BITS)];
    const { slots } = part;
    const mask = slots.length - 1;
    let free = chunk[at + 1] & mask;
    while (slots[free] !== position + 1) free = (free + 1) & mask;
    // Entries after it move up, unless they would then be before their home.
    for (let slot = (free + 1) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const home = this.#homeOf(slots[slot]) & mask;
      if (((slot - home) & mask) < ((slot - free) & mask)) continue;
      slots[free] = slots[slot];
      free = slot;
    }
    slots[free] = 0;
    part.count--;
  }
}

const freeSlot = (slots: Int32Array, home: number): number => {
  const mask = slots.length - 1;
  let slot = home & mask;
  while (slots[slot] !== 0) slot = (slot + 1) & mask;
  return slot;
};

/** Whether the second ended before `beforeMs`. */
const isOver = (seconds: number, beforeMs: number): boolean => (seconds + 1) * 1_000 <= beforeMs;

/** Whether an entry is not over. Entries are not in the exact order of their times. */
function hasLiving(words: Uint32Array, beforeMs: number): boolean {
  for (let at = TIME_WORD; at < words.length; at += ENTRY_WORDS)
    if (!isOver(words[at], beforeMs)) return true;
  return false;
}

/** The bytes as words, copied unless they are aligned. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}
