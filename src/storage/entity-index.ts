/**
 * Maps entity IDs to rows, for one dimension of one shard: open addressing over typed arrays, because a JS Map is limited to 2^24
 * entries and costs 100 bytes per entry.
 * Invariants: a slot is (hash, row + 1), 0 = free; linear probing; the table is divided into parts by the low bits of the hash,
 * and each part grows separately, so that no insert waits for more than 1/64 of the table to move.
 */
import { invariant, reversedBits } from '../base/index.js';

const PART_BITS = 6;
const PART_COUNT = 1 << PART_BITS;
const PART_MASK = PART_COUNT - 1;
const SLOTS_MIN = 8;
/** Slots that are collected before their entities are visited. */
const ROWS_PER_GATHER = 1_024;

/** Returns whether the entity in `row` has the ID searched for. */
export type SameId = (row: number) => boolean;

/** Negative if the entity in row `a` is before the one in row `b`; called only for entities with equal hashes. */
export type CompareRows = (a: number, b: number) => number;

/** Returns whether the scan continues. */
export type VisitRow = (row: number, hash: number) => boolean;

export type ReadRow = (row: number, hash: number) => void;

export class EntityIndex {
  readonly #parts: Uint32Array<ArrayBuffer>[] = [];
  readonly #counts = new Uint32Array(PART_COUNT);
  #memoryBytes = 0;

  constructor() {
    for (let part = 0; part < PART_COUNT; part++) this.#parts.push(this.#table(SLOTS_MIN));
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Returns the row of the entity with that hash for which `same` holds, or -1. */
  find(hash: number, same: SameId): number {
    const part = this.#parts[hash & PART_MASK];
    const last = (part.length >> 1) - 1;
    for (let slot = (hash >>> PART_BITS) & last; ; slot = (slot + 1) & last) {
      const row = part[slot * 2 + 1];
      if (row === 0) return -1;
      if (part[slot * 2] === hash && same(row - 1)) return row - 1;
    }
  }

  /**
   * Sets rows[i] to the row + 1 in the slot where the search for hashes[i] starts, 0 if that slot is free. Calling this for many
   * hashes before searching overlaps the memory latencies.
   */
  approach(hashes: Uint32Array, rows: Uint32Array): void {
    const parts = this.#parts;
    for (let index = 0; index < hashes.length; index++) {
      const hash = hashes[index];
      const part = parts[hash & PART_MASK];
      rows[index] = part[((hash >>> PART_BITS) & ((part.length >> 1) - 1)) * 2 + 1];
    }
  }

  /** Adds an entity that does not exist yet. */
  add(hash: number, row: number): void {
    const index = hash & PART_MASK;
    let part = this.#parts[index];
    const slots = part.length >> 1;
    if ((this.#counts[index] + 1) * 5 > slots * 4) part = this.#grow(index);
    putEntry(part, hash, row + 1);
    this.#counts[index]++;
  }

  /**
   * Fills an empty index with all entities at once, sorted by part, so that each part is filled while it is in the cache.
   * hashes[i] belongs to rows[i].
   */
  fill(hashes: Uint32Array, rows: Uint32Array): void {
    invariant(
      this.#counts.every((count) => count === 0),
      'only an empty index can be filled',
    );
    const counts = this.#counts;
    for (let index = 0; index < hashes.length; index++) counts[hashes[index] & PART_MASK]++;
    const next = new Uint32Array(PART_COUNT);
    for (let part = 1; part < PART_COUNT; part++) next[part] = next[part - 1] + counts[part - 1];
    const byPart = new Uint32Array(hashes.length * 2);
    for (let index = 0; index < hashes.length; index++) {
      const at = next[hashes[index] & PART_MASK]++ * 2;
      byPart[at] = hashes[index];
      byPart[at + 1] = rows[index] + 1;
    }
    let at = 0;
    for (let part = 0; part < PART_COUNT; part++) {
      const slots = slotsFor(counts[part]);
      this.#memoryBytes -= this.#parts[part].byteLength;
      const table = this.#table(slots);
      this.#parts[part] = table;
      for (const end = next[part] * 2; at < end; at += 2) putEntry(table, byPart[at], byPart[at + 1]);
    }
  }

  /** Removes the entity in `row`, which exists with that hash; the following entries close the gap. */
  remove(hash: number, row: number): void {
    const index = hash & PART_MASK;
    const part = this.#parts[index];
    const last = (part.length >> 1) - 1;
    let hole = (hash >>> PART_BITS) & last;
    while (part[hole * 2 + 1] !== row + 1) {
      invariant(part[hole * 2 + 1] !== 0, 'the entity to remove is not in the index');
      hole = (hole + 1) & last;
    }
    for (let slot = (hole + 1) & last; part[slot * 2 + 1] !== 0; slot = (slot + 1) & last) {
      const home = (part[slot * 2] >>> PART_BITS) & last;
      // An entry whose search starts after the hole does not move.
      if (((slot - home) & last) < ((slot - hole) & last)) continue;
      part[hole * 2] = part[slot * 2];
      part[hole * 2 + 1] = part[slot * 2 + 1];
      hole = slot;
    }
    part[hole * 2] = 0;
    part[hole * 2 + 1] = 0;
    this.#counts[index]--;
  }

  /** Moves every entity from its row r to rows[r]; parts that are far too large shrink. */
  remap(rows: Uint32Array): void {
    for (let index = 0; index < PART_COUNT; index++) {
      const part = this.#parts[index];
      for (let at = 1; at < part.length; at += 2) if (part[at] !== 0) part[at] = rows[part[at] - 1] + 1;
      const slots = slotsFor(this.#counts[index]);
      if (slots * 4 <= part.length >> 1) this.#moveTo(index, slots);
    }
  }

  /**
   * Calls `visit` with the entities ordered by bit-reversed hash, then by `compare`, from `fromHash` on until it returns false.
   * The order does not depend on the sizes of the parts: first come the bits that select the part, then those that select the
   * slot, lowest first.
   */
  scan(fromHash: number, compare: CompareRows, visit: VisitRow): void {
    const fromRank = reversedBits(fromHash);
    for (let at = fromRank >>> (32 - PART_BITS); at < PART_COUNT; at++) {
      const part = this.#parts[reversedBits(at) >>> (32 - PART_BITS)];
      const first = at === fromRank >>> (32 - PART_BITS) ? fromRank : 0;
      if (!scanPart(part, first, compare, visit)) return;
    }
  }

  /**
   * Calls `take`, in no particular order, with the entities whose hashes end in the low `bits` bits of `ending`, so that their
   * reversed bits start alike, and whose bits in `words` are set (null = all): bit row & 31 of word row >> 5. Parts are read
   * completely, at some nanoseconds per slot; more than 6 bits do not reduce the cost.
   */
  gather(bits: number, ending: number, words: Uint32Array | null, take: ReadRow): void {
    const mask = 2 ** bits - 1;
    for (let part = 0; part < PART_COUNT; part++) {
      if (((part ^ ending) & mask & PART_MASK) === 0)
        gatherPart(this.#parts[part], mask, ending, words, take);
    }
  }

  #grow(index: number): Uint32Array<ArrayBuffer> {
    return this.#moveTo(index, this.#parts[index].length);
  }

  /** Moves a part to a table of `slots` slots. */
  #moveTo(index: number, slots: number): Uint32Array<ArrayBuffer> {
    const from = this.#parts[index];
    const to = this.#table(slots);
    for (let at = 0; at < from.length; at += 2) if (from[at + 1] !== 0) putEntry(to, from[at], from[at + 1]);
    this.#memoryBytes -= from.byteLength;
    this.#parts[index] = to;
    return to;
  }

  #table(slots: number): Uint32Array<ArrayBuffer> {
    const table = new Uint32Array(slots * 2);
    this.#memoryBytes += table.byteLength;
    return table;
  }
}

/** Returns the number of slots for `count` entities: at most four fifths are used. */
function slotsFor(count: number): number {
  let slots = SLOTS_MIN;
  while (count * 5 > slots * 4) slots *= 2;
  return slots;
}

function putEntry(part: Uint32Array, hash: number, rowPlusOne: number): void {
  const last = (part.length >> 1) - 1;
  let slot = (hash >>> PART_BITS) & last;
  while (part[slot * 2 + 1] !== 0) slot = (slot + 1) & last;
  part[slot * 2] = hash;
  part[slot * 2 + 1] = rowPlusOne;
}

/** Like `scan` for one part, from the hash whose reversed bits are `fromRank`; returns whether to continue. */
function scanPart(part: Uint32Array, fromRank: number, compare: CompareRows, visit: VisitRow): boolean {
  const slots = part.length >> 1;
  const last = slots - 1;
  const homeShift = Math.clz32(last);
  const [hashes, rows]: [number[], number[]] = [[], []];
  for (let at = (fromRank << PART_BITS) >>> homeShift; at < slots; at++) {
    const home = reversedBits(at) >>> homeShift;
    let count = 0;
    for (let slot = home; part[slot * 2 + 1] !== 0; slot = (slot + 1) & last) {
      const hash = part[slot * 2];
      if (((hash >>> PART_BITS) & last) !== home || reversedBits(hash) < fromRank) continue;
      const row = part[slot * 2 + 1] - 1;
      // A slot is the start of the search for one or two entities, so insertion sort suffices.
      let nth = count++;
      for (; nth > 0 && isBefore(hash, row, hashes[nth - 1], rows[nth - 1], compare); nth--) {
        hashes[nth] = hashes[nth - 1];
        rows[nth] = rows[nth - 1];
      }
      hashes[nth] = hash;
      rows[nth] = row;
    }
    for (let nth = 0; nth < count; nth++) if (!visit(rows[nth], hashes[nth])) return false;
  }
  return true;
}

/** Like `gather` for one part. */
function gatherPart(
  part: Uint32Array,
  mask: number,
  ending: number,
  words: Uint32Array | null,
  take: ReadRow,
): void {
  const occupied = new Uint32Array(Math.min(part.length >> 1, ROWS_PER_GATHER));
  for (let slot = 0; slot < part.length >> 1; slot += occupied.length) {
    const count = occupiedSlots(
      part,
      slot,
      Math.min(slot + occupied.length, part.length >> 1),
      mask,
      ending,
      occupied,
    );
    for (let index = 0; index < count; index++) {
      const at = occupied[index] * 2;
      const row = part[at + 1] - 1;
      if (words === null || ((words[row >>> 5] >>> (row & 31)) & 1) !== 0) take(row, part[at]);
    }
  }
}

/**
 * Writes the used slots of [from, to) whose hashes have the ending to `taken` and returns their number. Branch-free, because slot
 * use is unpredictable.
 */
function occupiedSlots(
  part: Uint32Array,
  from: number,
  to: number,
  mask: number,
  ending: number,
  occupied: Uint32Array,
): number {
  let count = 0;
  for (let slot = from; slot < to; slot++) {
    const differs = (part[slot * 2] ^ ending) & mask;
    const row = part[slot * 2 + 1] | 0;
    occupied[count] = slot;
    count += ((row | -row) & ~(differs | -differs)) >>> 31;
  }
  return count;
}

function isBefore(hashA: number, rowA: number, hashB: number, rowB: number, compare: CompareRows): boolean {
  return hashA === hashB ? compare(rowA, rowB) < 0 : reversedBits(hashA) < reversedBits(hashB);
}
