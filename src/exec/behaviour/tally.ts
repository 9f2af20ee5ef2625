/** Counts and samples by slot, of one worker. Throws 9006 if different samples exceed the query's memory. */
import type { BehaviourPartial, Samples } from '../../ir/index.js';
import type { QueryRun } from '../query-run.js';
import { SampleList } from './sample-list.js';

const SLOT_BYTES = 8;
/** Memory of a list besides its samples. */
const LIST_BYTES = 200;
const RESULT_BYTES = 4;

export class Tally {
  readonly counts: Float64Array;
  readonly #run: QueryRun;
  readonly #lists: (SampleList | undefined)[];

  constructor(slotCount: number, run: QueryRun) {
    run.reserve(slotCount * SLOT_BYTES * 2);
    this.#run = run;
    this.counts = new Float64Array(slotCount);
    this.#lists = new Array<SampleList | undefined>(slotCount).fill(undefined);
  }

  sample(slot: number, value: number): void {
    this.samplesOf(slot).add(value);
  }

  /** The list to which samples of a slot are added. Throws 9006. */
  samplesOf(slot: number): SampleList {
    return this.#lists[slot] ?? this.#newList(slot);
  }

  #newList(slot: number): SampleList {
    this.#run.reserve(LIST_BYTES);
    const list = new SampleList(this.#run);
    this.#lists[slot] = list;
    return list;
  }

  partial(): BehaviourPartial {
    return { counts: this.counts, samples: [this.#samples()] };
  }

  #samples(): Samples {
    const slots = [...this.#lists.keys()].filter((slot) => this.#lists[slot] !== undefined);
    const lists = slots.map((slot) => this.#lists[slot] as SampleList);
    const [starts, endStarts] = [new Uint32Array(lists.length + 1), new Uint32Array(lists.length + 1)];
    for (const [index, list] of lists.entries()) {
      const count = list.finish();
      starts[index + 1] = starts[index] + count.values;
      endStarts[index + 1] = endStarts[index] + count.ends;
    }
    const [valueCount, endCount] = [starts[lists.length], endStarts[lists.length]];
    this.#run.reserve((valueCount + endCount) * RESULT_BYTES);
    const [values, ends] = [sharedWords(valueCount), sharedWords(endCount)];
    const sums = Float64Array.from(lists, (list, index) =>
      list.writeTo(
        values.subarray(starts[index], starts[index + 1]),
        ends.subarray(endStarts[index], endStarts[index + 1]),
      ),
    );
    return { slots: Uint32Array.from(slots), starts, values, endStarts, ends, sums };
  }
}

/** In shared memory, which is sent to another thread without a copy. */
const sharedWords = (count: number): Uint32Array => new Uint32Array(new SharedArrayBuffer(count * 4));
