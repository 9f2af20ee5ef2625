/**
 * Finds equal entries by their 32-bit hashes. Entries are partitioned by the lowest bits of the hash, and a hash
 * table that fits the cache finds the equal entries of a partition. In slices.
 * Cost  one pass of a sort, one or two probes, and one comparison per equal entry. Clients that choose the entries
 *       can choose their hashes: a partition that takes too many probes is sorted by comparison instead.
 */
import { inSlices, type MemoryAccount, SLICE_TEXTS, type Task } from '../../base/index.js';
import { type Compare, mergeSort } from '../merge-sort.js';
import { type KeyedEntries, sortByKey } from '../radix-sort.js';

export interface Equality {
  readonly same: (a: number, b: number) => boolean;
  /** Whether a[i] equals b[i] for all i below `count`. */
  readonly allSame: (a: Uint32Array, b: Uint32Array, count: number) => boolean;
  /** An arbitrary order that compares exactly equal entries as 0. */
  readonly order: Compare;
}

/** Low hash bits that select the partition: one digit of the sort. */
const PARTITION_BITS = 11;
/** At most this many entries form a single partition. */
const UNSORTED_MAX = 4_096;
/** A table that is half full needs one or two probes per entry. */
const STEPS_PER_ENTRY = 8;
const STEPS_MIN = 64;

/** For every entry, the first entry that equals it; entry e has hash hashes[e]. May overwrite `hashes`. Throws 9006. */
export function* firstEntries(
  hashes: Uint32Array,
  equality: Equality,
  budget: MemoryAccount,
): Task<Uint32Array> {
  budget.reserve(hashes.length * 4);
  const firsts = new Uint32Array(hashes.length);
  yield* eachPartition(hashes, equality, budget.remainder(), (partition, heads) => {
    putFirsts(partition, heads, firsts);
  });
  return firsts;
}

/** The number of distinct entries. May overwrite `hashes`. Throws 9006. */
export function* countDifferent(
  hashes: Uint32Array,
  equality: Equality,
  budget: MemoryAccount,
): Task<number> {
  let different = 0;
  yield* eachPartition(hashes, equality, budget.remainder(), ({ from, to }, heads) => {
    for (let index = 0; index < to - from; index++) if (heads[index] === index) different++;
  });
  return different;
}

/** Entries [from, to), grouped by hash; entries of one hash ascend. */
interface Partition extends KeyedEntries {
  readonly from: number;
  readonly to: number;
}

/** `heads`: for each position of the partition, from 0 on, the position of the first equal entry. */
type TakePartition = (partition: Partition, heads: Uint32Array) => void;

function putFirsts({ entries, from, to }: Partition, heads: Uint32Array, firsts: Uint32Array): void {
  for (let at = from; at < to; at++) firsts[entries[at]] = entries[from + heads[at - from]];
}

function* eachPartition(
  hashes: Uint32Array,
  equality: Equality,
  budget: MemoryAccount,
  take: TakePartition,
): Task<void> {
  const { length } = hashes;
  const { keys, entries } = yield* partitioned(hashes, budget);
  const table = new Table(equality, budget);
  let left = SLICE_TEXTS;
  for (let from = 0, to = 0; from < length; from = to) {
    to = length <= UNSORTED_MAX ? length : endOfPartition(keys, from);
    const partition = { keys, entries, from, to };
    take(
      partition,
      table.match(partition) ?? (yield* headsBySorting(partition, equality.order, budget.remainder())),
    );
    left -= to - from;
    if (left > 0 || to === length) continue;
    left = SLICE_TEXTS;
    yield;
  }
}

function* partitioned(hashes: Uint32Array, budget: MemoryAccount): Task<KeyedEntries> {
  const { length } = hashes;
  budget.reserve(length * 4);
  const entries = new Uint32Array(length);
  yield* inSlices(length, (from, to) => {
    for (let entry = from; entry < to; entry++) entries[entry] = entry;
  });
  const pairs = { keys: hashes, entries };
  return length <= UNSORTED_MAX ? pairs : yield* sortByKey(pairs, PARTITION_BITS, budget);
}

const partitionOf = (hash: number): number => hash & (2 ** PARTITION_BITS - 1);

function endOfPartition(keys: Uint32Array, from: number): number {
  const partition = partitionOf(keys[from]);
  let to = from + 1;
  while (to < keys.length && partitionOf(keys[to]) === partition) to++;
  return to;
}

const NONE = new Uint32Array(0);

/** An open-addressing hash table that partitions use one after another. */
class Table {
  readonly #equality: Equality;
  readonly #budget: MemoryAccount;
  /** By slot: the position of its entry plus 1; 0 = none. */
  #slots = NONE;
  #heads = NONE;
  /** Entries that are assumed to be equal. */
  #firsts = NONE;
  #others = NONE;

  constructor(equality: Equality, budget: MemoryAccount) {
    this.#equality = equality;
    this.#budget = budget;
  }

  /** The heads of the partition; null = too many probes. Throws 9006. */
  match(partition: Partition): Uint32Array | null {
    const count = partition.to - partition.from;
    const size = 2 ** (33 - Math.clz32(count));
    if (size > this.#slots.length) this.#grow(size);
    const slots = this.#slots.subarray(0, size);
    const heads = this.#heads;
    const { same, allSame } = this.#equality;
    // Entries with the same hash are nearly always equal. Comparing them afterwards lets many memory reads overlap.
    if (!matchHashes(partition, slots, heads)) return null;
    const equalCount = putEqual(partition, heads, this.#firsts, this.#others);
    if (allSame(this.#firsts, this.#others, equalCount)) return heads;
    return matchEntries(partition, slots, heads, same) ? heads : null;
  }

  #grow(size: number): void {
    // The number of entries is half the number of slots.
    this.#budget.reserve(size * 10);
    this.#slots = new Uint32Array(size);
    this.#heads = new Uint32Array(size / 2);
    this.#firsts = new Uint32Array(size / 2);
    this.#others = new Uint32Array(size / 2);
  }
}

/** Assumes that entries with the same hash are equal; returns false after too many probes. */
function matchHashes({ keys, from, to }: Partition, slots: Uint32Array, heads: Uint32Array): boolean {
  const last = slots.length - 1;
  let steps = STEPS_PER_ENTRY * (to - from) + STEPS_MIN;
  slots.fill(0);
  for (let at = from; at < to; at++) {
    const key = keys[at];
    let slot = (key >>> PARTITION_BITS) & last;
    let entry = slots[slot];
    while (entry !== 0 && keys[from + entry - 1] !== key) {
      if (steps-- === 0) return false;
      slot = (slot + 1) & last;
      entry = slots[slot];
    }
    const index = at - from;
    if (entry === 0) slots[slot] = index + 1;
    heads[index] = entry === 0 ? index : entry - 1;
  }
  return true;
}

/** Writes the pairs of entries that are assumed equal; returns their number. */
function putEqual(
  { entries, from, to }: Partition,
  heads: Uint32Array,
  firsts: Uint32Array,
  others: Uint32Array,
): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const head = heads[at - from];
    if (head === at - from) continue;
    firsts[count] = entries[from + head];
    others[count++] = entries[at];
  }
  return count;
}

/** Compares the entries themselves; returns false after too many probes. */
function matchEntries(
  { keys, entries, from, to }: Partition,
  slots: Uint32Array,
  heads: Uint32Array,
  same: Equality['same'],
): boolean {
  const last = slots.length - 1;
  let steps = STEPS_PER_ENTRY * (to - from) + STEPS_MIN;
  slots.fill(0);
  for (let at = from; at < to; at++) {
    const [key, entry] = [keys[at], entries[at]];
    let slot = (key >>> PARTITION_BITS) & last;
    let number = slots[slot];
    while (number !== 0 && !(keys[from + number - 1] === key && same(entries[from + number - 1], entry))) {
      if (steps-- === 0) return false;
      slot = (slot + 1) & last;
      number = slots[slot];
    }
    const index = at - from;
    if (number === 0) slots[slot] = index + 1;
    heads[index] = number === 0 ? index : number - 1;
  }
  return true;
}

/** The heads of a partition; a stable sort puts the first of equal entries first. */
function* headsBySorting(
  { entries, from, to }: Partition,
  order: Compare,
  budget: MemoryAccount,
): Task<Uint32Array> {
  const count = to - from;
  budget.reserve(count * 12);
  const positions = new Uint32Array(count);
  for (let index = 0; index < count; index++) positions[index] = index;
  const compare: Compare = (a, b) => order(entries[from + a], entries[from + b]);
  const sorted = yield* mergeSort(positions, new Uint32Array(count), compare);
  const heads = new Uint32Array(count);
  let first = sorted[0];
  yield* inSlices(
    count,
    (start, end) => {
      for (let at = start; at < end; at++) {
        if (compare(first, sorted[at]) !== 0) first = sorted[at];
        heads[sorted[at]] = first;
      }
    },
    SLICE_TEXTS,
  );
  return heads;
}
