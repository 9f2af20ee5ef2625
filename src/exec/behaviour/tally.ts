/** Counts and samples of seconds by slot, of one worker. Throws 9006 if samples exceed the query's memory. */
import type { BehaviourPartial, Samples } from '../../ir/index.js';
import type { QueryRun } from '../query-run.js';

const SAMPLES_MIN = 1_024;
/** Slots of at most this many counts are allocated. */
const SLOT_BYTES = 8;

export class Tally {
  readonly counts: Float64Array;
  readonly #run: QueryRun;
  #slots = new Uint32Array(SAMPLES_MIN);
  #seconds = new Uint32Array(SAMPLES_MIN);
  #sampleCount = 0;

  constructor(slotCount: number, run: QueryRun) {
    run.reserve(slotCount * SLOT_BYTES);
    this.#run = run;
    this.counts = new Float64Array(slotCount);
  }

  sample(slot: number, seconds: number): void {
    if (this.#sampleCount === this.#slots.length) this.#grow();
    this.#slots[this.#sampleCount] = slot;
    this.#seconds[this.#sampleCount++] = seconds;
  }

  #grow(): void {
    const capacity = this.#slots.length * 2;
    this.#run.reserve(capacity * 4);
    const [slots, seconds] = [new Uint32Array(capacity), new Uint32Array(capacity)];
    slots.set(this.#slots);
    seconds.set(this.#seconds);
    this.#slots = slots;
    this.#seconds = seconds;
  }

  partial(): BehaviourPartial {
    return { counts: this.counts, samples: this.#samples() };
  }

  #samples(): Samples {
    const count = this.#sampleCount;
    // 24 bytes: a key of 53 bits, and the arrays of the result.
    this.#run.reserve(count * 24);
    const keys = new Float64Array(count);
    for (let at = 0; at < count; at++) keys[at] = this.#slots[at] * 2 ** 32 + this.#seconds[at];
    keys.sort();
    const [slots, seconds] = [new Uint32Array(count), new Uint32Array(count)];
    const counts = new Float64Array(count);
    let end = 0;
    for (let at = 0; at < count; at++) {
      if (at > 0 && keys[at] === keys[at - 1]) {
        counts[end - 1]++;
        continue;
      }
      slots[end] = Math.floor(keys[at] / 2 ** 32);
      seconds[end] = keys[at] % 2 ** 32;
      counts[end++] = 1;
    }
    return { slots: slots.slice(0, end), seconds: seconds.slice(0, end), counts: counts.slice(0, end) };
  }
}
