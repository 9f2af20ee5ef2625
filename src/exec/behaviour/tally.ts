/**
 * Counts and samples of seconds by slot, of one worker. Equal samples are joined whenever there are many new ones, so that memory
 * grows with different samples only. Throws 9006 if they exceed the query's memory.
 */
import type { BehaviourPartial, Samples } from '../../ir/index.js';
import type { QueryRun } from '../query-run.js';

const SAMPLES_MIN = 1_024;
/** So many new samples are joined at least. */
const NEW_MAX = 2 ** 18;
/** Slots of at most this many counts are allocated. */
const SLOT_BYTES = 8;
/** Memory of a sample as a key, and as a key with a count. */
const KEY_BYTES = 8;
const JOINED_BYTES = 16;

/** Different samples in ascending order: slot * 2^32 + seconds, and how often each occurs. */
interface Joined {
  readonly keys: Float64Array;
  readonly counts: Float64Array;
}

export class Tally {
  readonly counts: Float64Array;
  readonly #run: QueryRun;
  #new = new Float64Array(SAMPLES_MIN);
  #newCount = 0;
  #joined: Joined = { keys: new Float64Array(0), counts: new Float64Array(0) };

  constructor(slotCount: number, run: QueryRun) {
    run.reserve(slotCount * SLOT_BYTES);
    this.#run = run;
    this.counts = new Float64Array(slotCount);
  }

  sample(slot: number, seconds: number): void {
    if (this.#newCount === this.#new.length) this.#growOrJoin();
    this.#new[this.#newCount++] = slot * 2 ** 32 + seconds;
  }

  #growOrJoin(): void {
    // As many as there are different ones, so that each is copied a few times only.
    if (this.#newCount >= Math.max(NEW_MAX, this.#joined.keys.length)) {
      this.#join();
      return;
    }
    const capacity = this.#new.length * 2;
    this.#run.reserve((capacity - this.#new.length) * KEY_BYTES);
    const longer = new Float64Array(capacity);
    longer.set(this.#new);
    this.#new = longer;
  }

  /** Joins the new samples with the others. */
  #join(): void {
    const fresh = this.#new.subarray(0, this.#newCount).sort();
    const { keys, counts } = this.#joined;
    const most = fresh.length + keys.length;
    this.#run.reserve(most * JOINED_BYTES);
    const [allKeys, allCounts] = [new Float64Array(most), new Float64Array(most)];
    let [at, old, end] = [0, 0, 0];
    while (at < fresh.length || old < keys.length) {
      const key = Math.min(fresh[at] ?? Number.POSITIVE_INFINITY, keys[old] ?? Number.POSITIVE_INFINITY);
      let count = 0;
      if (keys[old] === key) count = counts[old++];
      for (; fresh[at] === key; at++) count++;
      allKeys[end] = key;
      allCounts[end++] = count;
    }
    this.#joined = { keys: allKeys.slice(0, end), counts: allCounts.slice(0, end) };
    this.#run.release((most + keys.length - end) * JOINED_BYTES);
    this.#newCount = 0;
  }

  partial(): BehaviourPartial {
    return { counts: this.counts, samples: this.#samples() };
  }

  #samples(): Samples {
    if (this.#newCount > 0) this.#join();
    const { keys, counts } = this.#joined;
    this.#run.reserve(keys.length * KEY_BYTES);
    const [slots, seconds] = [new Uint32Array(keys.length), new Uint32Array(keys.length)];
    keys.forEach((key, at) => {
      slots[at] = Math.floor(key / 2 ** 32);
      seconds[at] = key % 2 ** 32;
    });
    return { slots, seconds, counts };
  }
}
