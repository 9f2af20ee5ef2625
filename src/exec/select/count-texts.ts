/**
 * How many different texts there are in lists, each of different texts, that are put together by their hashes alike: partition
 * by partition, whose texts and table lie in the cache. Texts are compared where their hashes agree.
 * Cost  A step or two in a table per text, and one comparison per text that stands in several lists. Whoever chooses the
 *       texts can choose their hashes: when the steps become too many, nothing is answered, and another way must be gone.
 */
import type { MemoryAccount } from '../../base/index.js';
import { type PartitionedTexts, TEXT_PARTITIONS, textWords } from '../../ir/index.js';
import type { QueryRun } from '../query-run.js';

const PARTITION_BITS = Math.log2(TEXT_PARTITIONS);
/** In a table that is half full at most, a step or two find a place. */
const STEPS_PER_TEXT = 8;
const STEPS_MIN = 64;

/** The different texts of the partitions [from, to) of all lists; null: it would take too long. Throws 9005, 9006. */
export function countDifferentTexts(
  lists: readonly PartitionedTexts[],
  from: number,
  to: number,
  run: QueryRun,
): number | null {
  const memory = run.child();
  try {
    const table = new PartitionTable(lists, largestPartition(keptOf(lists), from, to), memory);
    let different = 0;
    for (let partition = from; partition < to; partition++) {
      run.check();
      const found = table.count(partition);
      if (found === null) return null;
      different += found;
    }
    return different;
  } finally {
    memory.releaseAll();
  }
}

/** Nothing is compared with the texts of the last list. */
const keptOf = (lists: readonly PartitionedTexts[]): readonly PartitionedTexts[] => lists.slice(0, -1);

function countOf(lists: readonly PartitionedTexts[], partition: number): number {
  let count = 0;
  for (const { counts } of lists) count += counts[partition];
  return count;
}

function largestPartition(lists: readonly PartitionedTexts[], from: number, to: number): number {
  let most = 0;
  for (let partition = from; partition < to; partition++) most = Math.max(most, countOf(lists, partition));
  return most;
}

/** An open table for one partition after the other. */
class PartitionTable {
  readonly #lists: readonly PartitionedTexts[];
  /** Per slot: the hash of the text that stands there, its list plus 1 (0 = none), and where its words begin in that. */
  readonly #slots: Uint32Array;
  #stepsLeft = 0;

  /** For partitions of which `textsMax` texts at most are kept. Throws 9006. */
  constructor(lists: readonly PartitionedTexts[], textsMax: number, memory: MemoryAccount) {
    this.#lists = lists;
    this.#slots = memory.u32(tableSize(textsMax) * SLOT_WORDS);
  }

  /** The different texts of the partition; null = it takes too long. */
  count(partition: number): number | null {
    const slots = this.#slots.subarray(0, tableSize(countOf(keptOf(this.#lists), partition)) * SLOT_WORDS);
    slots.fill(0);
    this.#stepsLeft = STEPS_PER_TEXT * countOf(this.#lists, partition) + STEPS_MIN;
    let different = 0;
    for (let owner = 0; owner < this.#lists.length; owner++) {
      const found = this.#add(owner, partition, slots);
      if (found === null) return null;
      different += found;
    }
    return different;
  }

  /** Adds a list's texts of the partition; returns how many of them were not there, null as `count`. */
  #add(owner: number, partition: number, slots: Uint32Array): number | null {
    const { starts, words } = this.#lists[owner];
    const isKept = owner < this.#lists.length - 1;
    const last = slots.length / SLOT_WORDS - 1;
    const end = starts[partition + 1];
    let stepsLeft = this.#stepsLeft;
    let different = 0;
    for (let at = starts[partition]; at < end; ) {
      const hash = words[at];
      const wordCount = textWords(words[at + 1]);
      let place = (hash >>> PARTITION_BITS) & last;
      let slot = place * SLOT_WORDS;
      for (let holder = slots[slot + 1]; holder !== 0; holder = slots[slot + 1]) {
        if (--stepsLeft < 0) return null;
        // Texts of one list differ.
        if (slots[slot] === hash && holder !== owner + 1) {
          if (isSame(this.#lists[holder - 1].words, slots[slot + 2], words, at, wordCount)) break;
        }
        place = (place + 1) & last;
        slot = place * SLOT_WORDS;
      }
      if (slots[slot + 1] === 0) {
        different++;
        if (isKept) {
          slots[slot] = hash;
          slots[slot + 1] = owner + 1;
          slots[slot + 2] = at;
        }
      }
      at += wordCount;
    }
    this.#stepsLeft = stepsLeft;
    return different;
  }
}

const SLOT_WORDS = 3;

/** A power of two, at least twice as many. */
const tableSize = (textCount: number): number => 2 ** (33 - Math.clz32(textCount));

/** Whether `count` words, the text's length among them, are the same. */
function isSame(
  words: Uint32Array,
  at: number,
  others: Uint32Array,
  otherAt: number,
  count: number,
): boolean {
  for (let word = 1; word < count; word++) {
    if (words[at + word] !== others[otherAt + word]) return false;
  }
  return true;
}
