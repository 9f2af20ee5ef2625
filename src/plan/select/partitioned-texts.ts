/**
 * How many different texts there are in lists, each of different texts, that are put together by their hashes alike (see
 * AggregateState): partition by partition, whose texts and table lie in the cache. In slices.
 * Cost  A step or two in a table per text, and one comparison per text that stands in several lists. Whoever chooses the
 *       texts can choose their hashes: when the steps become too many, nothing is answered, and another way must be gone.
 */
import { TEXT_PARTITIONS } from '../../ir/index.js';
import type { MemoryBudget } from '../memory-budget.js';
import { SLICE_TEXTS, type Sliced } from '../slices.js';

export interface PartitionedList {
  /** Text t is bytes[offsets[t], offsets[t + 1]). */
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
  readonly hashes: Uint32Array;
  readonly partitions: Uint32Array;
}

const PARTITION_BITS = Math.log2(TEXT_PARTITIONS);
/** In a table that is half full at most, a step or two find a place. */
const STEPS_PER_TEXT = 8;
const STEPS_MIN = 64;

/** null: it would take too long. Throws 9006. */
export function* countPartitioned(
  lists: readonly PartitionedList[],
  budget: MemoryBudget,
): Sliced<number | null> {
  const table = new PartitionTable(largestPartition(lists), budget);
  let different = 0;
  let left = SLICE_TEXTS;
  for (let partition = 0; partition < TEXT_PARTITIONS; partition++) {
    const textCount = countOf(lists, partition);
    const found = table.count(lists, partition, textCount);
    if (found === null) return null;
    different += found;
    left -= textCount;
    if (left > 0) continue;
    left = SLICE_TEXTS;
    yield;
  }
  return different;
}

function countOf(lists: readonly PartitionedList[], partition: number): number {
  let count = 0;
  for (const { partitions } of lists) count += partitions[partition + 1] - partitions[partition];
  return count;
}

function largestPartition(lists: readonly PartitionedList[]): number {
  let most = 0;
  for (let partition = 0; partition < TEXT_PARTITIONS; partition++) {
    most = Math.max(most, countOf(lists, partition));
  }
  return most;
}

/** An open table for one partition after the other. */
class PartitionTable {
  /** Number of the text that stands there, plus 1; 0 = none. */
  readonly #slots: Uint32Array;
  /** By number: its hash, its list, and its place in that. */
  readonly #hashes: Uint32Array;
  readonly #owners: Uint32Array;
  readonly #places: Uint32Array;
  #count = 0;

  /** For partitions of `textsMax` texts at most. Throws 9006. */
  constructor(textsMax: number, budget: MemoryBudget) {
    const size = tableSize(textsMax);
    budget.take(size * 4 + textsMax * 12);
    this.#slots = new Uint32Array(size);
    this.#hashes = new Uint32Array(textsMax);
    this.#owners = new Uint32Array(textsMax);
    this.#places = new Uint32Array(textsMax);
  }

  /** The different texts of the partition, of which there are `textCount`; null = it takes too long. */
  count(lists: readonly PartitionedList[], partition: number, textCount: number): number | null {
    const slots = this.#slots.subarray(0, tableSize(textCount));
    slots.fill(0);
    this.#count = 0;
    let steps = STEPS_PER_TEXT * textCount + STEPS_MIN;
    let different = 0;
    for (let owner = 0; owner < lists.length; owner++) {
      const { partitions } = lists[owner];
      for (let text = partitions[partition]; text < partitions[partition + 1]; text++) {
        const taken = this.#add(lists, owner, text, slots);
        if (taken > 0) different++;
        steps -= Math.abs(taken);
        if (steps < 0) return null;
      }
    }
    return different;
  }

  /** Adds a text that is not there; returns the steps that it took, below 0 if it was there. */
  #add(lists: readonly PartitionedList[], owner: number, text: number, slots: Uint32Array): number {
    const hash = lists[owner].hashes[text];
    const last = slots.length - 1;
    let slot = (hash >>> PARTITION_BITS) & last;
    let steps = 1;
    for (let held = slots[slot]; held !== 0; held = slots[slot], steps++) {
      const other = held - 1;
      // Texts of one list differ.
      if (
        this.#hashes[other] === hash &&
        this.#owners[other] !== owner &&
        isSame(lists[this.#owners[other]], this.#places[other], lists[owner], text)
      ) {
        return -steps;
      }
      slot = (slot + 1) & last;
    }
    // Nothing is compared with those of the last list.
    if (owner === lists.length - 1) return steps;
    const number = this.#count++;
    slots[slot] = number + 1;
    this.#hashes[number] = hash;
    this.#owners[number] = owner;
    this.#places[number] = text;
    return steps;
  }
}

/** A power of two, at least twice as many. */
const tableSize = (textCount: number): number => 2 ** (33 - Math.clz32(textCount));

function isSame(a: PartitionedList, text: number, b: PartitionedList, other: number): boolean {
  const start = a.offsets[text];
  const otherStart = b.offsets[other];
  const length = a.offsets[text + 1] - start;
  if (b.offsets[other + 1] - otherStart !== length) return false;
  const [bytes, otherBytes] = [a.bytes, b.bytes];
  for (let index = 0; index < length; index++) {
    if (bytes[start + index] !== otherBytes[otherStart + index]) return false;
  }
  return true;
}
