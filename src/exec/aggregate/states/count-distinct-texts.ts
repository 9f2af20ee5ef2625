/**
 * Counts the distinct texts of several lists, partition by partition, so that a partition's texts and its hash table
 * stay in the cache. Each list holds distinct texts and is partitioned by the same hash. Texts are compared only if
 * their hashes are equal.
 * Cost  one or two probes per text, and one comparison per text that occurs in several lists. Clients that choose the
 *       texts can choose their hashes: if probes exceed a limit, the result is null and the caller uses another
 *       algorithm.
 */
import type { MemoryAccount } from '../../../base/index.js';
import { type PartitionedTexts, TEXT_PARTITIONS, textWords } from '../../../ir/index.js';
import type { QueryRun } from '../../query-run.js';

const PARTITION_BITS = Math.log2(TEXT_PARTITIONS);
/** A table that is at most half full needs one or two probes per text. */
const STEPS_PER_TEXT = 8;
const STEPS_MIN = 64;

/**
 * The number of distinct texts in partitions [from, to) of all lists; null = the probe limit was exceeded. Throws
 * 9005, 9006.
 */
export function countDistinctTexts(
  lists: readonly PartitionedTexts[],
  from: number,
  to: number,
  run: QueryRun,
): number | null {
  const memory = run.child();
  try {
    const table = new PartitionTable(lists, largestPartition(storedLists(lists), from, to), memory);
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

/**
 * The lists whose texts are inserted into the table: all but the last one, because no list is compared with it
 * afterwards.
 */
const storedLists = (lists: readonly PartitionedTexts[]): readonly PartitionedTexts[] => lists.slice(0, -1);

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

/** An open-addressing hash table that is reused for one partition after another. */
class PartitionTable {
  readonly #lists: readonly PartitionedTexts[];
  /** Per slot: the text's hash, its list's index plus 1 (0 = empty), and the offset of its words in that list. */
  readonly #slots: Uint32Array;
  #stepsLeft = 0;

  /** `textsMax`: the largest number of stored texts of a partition. Throws 9006. */
  constructor(lists: readonly PartitionedTexts[], textsMax: number, memory: MemoryAccount) {
    this.#lists = lists;
    this.#slots = memory.u32(tableSize(textsMax) * SLOT_WORDS);
  }

  /** The number of distinct texts of the partition; null = the probe limit was exceeded. */
  count(partition: number): number | null {
    const slots = this.#slots.subarray(
      0,
      tableSize(countOf(storedLists(this.#lists), partition)) * SLOT_WORDS,
    );
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

  /** Adds a list's texts of the partition; returns the number of new texts, or null as `count` does. */
  #add(owner: number, partition: number, slots: Uint32Array): number | null {
    const { starts, words } = this.#lists[owner];
    const isRetained = owner < this.#lists.length - 1;
    const last = slots.length / SLOT_WORDS - 1;
    const end = starts[partition + 1];
    let stepsLeft = this.#stepsLeft;
    let different = 0;
    for (let at = starts[partition]; at < end; ) {
      const hash = words[at];
      const wordCount = textWords(words[at + 1]);
      let slot = (hash >>> PARTITION_BITS) & last;
      let slotAt = slot * SLOT_WORDS;
      for (let holder = slots[slotAt + 1]; holder !== 0; holder = slots[slotAt + 1]) {
        if (--stepsLeft < 0) return null;
        // Texts of the same list are distinct.
        if (slots[slotAt] === hash && holder !== owner + 1) {
          if (isSame(this.#lists[holder - 1].words, slots[slotAt + 2], words, at, wordCount)) break;
        }
        slot = (slot + 1) & last;
        slotAt = slot * SLOT_WORDS;
      }
      if (slots[slotAt + 1] === 0) {
        different++;
        if (isRetained) {
          slots[slotAt] = hash;
          slots[slotAt + 1] = owner + 1;
          slots[slotAt + 2] = at;
        }
      }
      at += wordCount;
    }
    this.#stepsLeft = stepsLeft;
    return different;
  }
}

const SLOT_WORDS = 3;

/** A power of two, at least twice the number of texts. */
const tableSize = (textCount: number): number => 2 ** (33 - Math.clz32(textCount));

/** Whether `count` words are equal, from the length word on. */
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
