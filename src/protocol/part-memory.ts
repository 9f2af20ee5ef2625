/**
 * A pool of memory for the parts of results: a worker fills it, the main thread sends it and returns it with the next request.
 * Fresh memory would have to be cleared by the system page by page and collected by the garbage collectors. The memory is shared,
 * not transferred: in a thread that has ever transferred a buffer, loops over any arrays take half as long again, because the
 * compiler then checks in each iteration whether an array is detached.
 * Invariant: a buffer has one owner; whoever passes it on does not access it any more.
 */
import type { AggregateState, GroupPartial, PartitionedPart, PartitionedState } from '../ir/index.js';
import type { SharedColumn } from '../vector/index.js';
import type { Exchange } from './exchange/sent-part.js';

/** Smaller buffers are not worth pooling. */
const SHARED_BYTES_MIN = 64 * 1024;
/** The total of the pooled buffers is this part of the limit of the process, and at most POOLED_BYTES_MAX. */
const POOLED_PART = 64;
const POOLED_BYTES_MAX = 64 * 2 ** 20;
/** Sizes are rounded up, so that parts of similar length can reuse the same memory. */
const STEP_BYTES = 64 * 1024;
/** The maximum ratio of a buffer's size to the size requested. */
const SIZE_RATIO_MAX = 2;

export class PartMemory {
  readonly #exchange: Exchange;
  #spare: SharedArrayBuffer[] = [];
  #bytes = 0;
  /** The buffers that were allocated here. */
  readonly #own = new WeakSet<ArrayBufferLike>();
  readonly #bytesMax: number;

  /** With bytes, the pool stays empty. `processBytesMax`: the limit of the process. */
  constructor(exchange: Exchange, processBytesMax: number) {
    this.#exchange = exchange;
    this.#bytesMax = Math.min(POOLED_BYTES_MAX, processBytesMax / POOLED_PART);
  }

  /** The number of pooled buffers. */
  get count(): number {
    return this.#spare.length;
  }

  /** Returns the memory of a part that is not used any more, if it came from this pool. */
  release({ buffer }: Uint8Array): void {
    if (buffer instanceof SharedArrayBuffer) this.add([buffer]);
  }

  /** Returns the memory of partial results that are no longer read. */
  releasePartials(partials: readonly GroupPartial[]): void {
    // Aggregates of the same values share their memory.
    const buffers = new Set(partials.flatMap(({ states }) => states.map(sharedOf)));
    for (const buffer of buffers) if (buffer !== null) this.release(new Uint8Array(buffer));
  }

  /**
   * Returns the memory of integers, counts and sums of partial results of this thread, in so far as it came from this pool. No other
   * thread and no result may have it.
   */
  releaseOwn(partials: readonly GroupPartial[]): void {
    const buffers = new Set(partials.flatMap(({ keys, states }) => [...keys, ...states].flatMap(buffersOf)));
    for (const buffer of buffers) if (this.#own.has(buffer)) this.release(new Uint8Array(buffer));
  }

  /**
   * Returns the memory of integers, counts and sums in partitions that no thread reads any more. Texts may be a part of the result.
   */
  releasePartitions(partials: readonly PartitionedPart[]): void {
    const groups = partials.filter((partial) => 'states' in partial);
    const buffers = new Set(groups.flatMap(({ keys, states }) => [...keys, ...states].flatMap(buffersOf)));
    for (const buffer of buffers) this.release(new Uint8Array(buffer));
  }

  /** Adds buffers that have no other owner. */
  add(buffers: readonly SharedArrayBuffer[]): void {
    for (const buffer of buffers) {
      const { byteLength } = buffer;
      if (this.#bytes + byteLength > this.#bytesMax) continue;
      this.#spare.push(buffer);
      this.#bytes += byteLength;
    }
  }

  /** Removes at most `count` buffers, for another thread. */
  take(count: number): SharedArrayBuffer[] {
    const parts = this.#spare.splice(0, count);
    for (const { byteLength } of parts) this.#bytes -= byteLength;
    return parts;
  }

  /** Like `allocate`, in shared memory of any length. */
  allocateShared(byteCount: number): Uint8Array {
    if (byteCount >= SHARED_BYTES_MIN && this.#exchange === 'shared') return this.allocate(byteCount);
    return new Uint8Array(new SharedArrayBuffer(byteCount));
  }

  /** Returns memory for a part, from the start of its buffer, with arbitrary contents. */
  allocate(byteCount: number): Uint8Array {
    if (byteCount < SHARED_BYTES_MIN || this.#exchange === 'bytes') return new Uint8Array(byteCount);
    const index = this.#spare.findIndex(
      ({ byteLength }) => byteLength >= byteCount && byteLength <= byteCount * SIZE_RATIO_MAX,
    );
    if (index === -1) {
      const fresh = new SharedArrayBuffer(Math.ceil(byteCount / STEP_BYTES) * STEP_BYTES);
      this.#own.add(fresh);
      return new Uint8Array(fresh, 0, byteCount);
    }
    const [buffer] = this.#spare.splice(index, 1);
    this.#bytes -= buffer.byteLength;
    this.#own.add(buffer);
    return new Uint8Array(buffer, 0, byteCount);
  }
}

/** The memory of a state that a worker allocated from its pool; null = none. */
function sharedOf(state: AggregateState): ArrayBufferLike | null {
  if (state.holds === 'texts') return state.texts.words.buffer;
  if (state.holds === 'runs') return state.values.buffer;
  return state.holds === 'bits' ? state.words.buffer : null;
}

/** The memory of an integer key, or of counts, sums and extremes. */
function buffersOf(of: SharedColumn | AggregateState | PartitionedState): ArrayBufferLike[] {
  if ('kind' in of) {
    if (of.kind === 'wide') return [of.integers.words.buffer];
    if (of.kind !== 'exact') return [];
    const values = of.numbers ?? of.wide;
    return values === null || Array.isArray(values) ? [] : [(values as Float64Array | BigInt64Array).buffer];
  }
  switch (of.holds) {
    case 'count':
      return [of.counts.buffer];
    case 'sum':
      return [of.counts.buffer, ...buffersOf(of.sums)];
    case 'squares':
      return [of.counts.buffer, ...buffersOf(of.sums), ...buffersOf(of.squares)];
    case 'extreme':
      return buffersOf(of.values);
    default:
      return [];
  }
}
