/**
 * For attempts of one length: how early an attempt can end that has reached a step in a second, by the number of optional
 * steps that it still leaves out. Computed from the last second to the first.
 * Terms  a block is the steps that an attempt takes in one second: from step `first` to step `last`, counted from 1.
 * Cost   seconds x steps x (optional steps + 1); a second with several events: times the square of its possible steps.
 */
import type { QueryRun } from '../../query-run.js';
import type { SecondMatching } from './matching.js';
import type { AttemptRules, DateList } from './rules.js';
import type { Strand } from './strand.js';

export const NONE = 0xffffffff;
/** Bytes of obstacles per second. */
const OBSTACLE_BYTES = 10;

/** Which exclusions and events of the stream lie at each second of a strand, and between it and the next. */
export class Obstacles {
  /** Bit x: exclusion x has an event at the second, or strictly between it and the next. */
  at = new Uint32Array(0);
  after = new Uint32Array(0);
  /** 1 = the stream has one. */
  streamAt = new Uint8Array(0);
  streamAfter = new Uint8Array(0);

  read(strand: Strand, excluded: readonly DateList[], stream: DateList | null, run: QueryRun): void {
    const { secondCount: count, dates } = strand;
    if (this.at.length < count) this.#grow(count * 2, run);
    if (excluded.length === 0 && stream === null) return;
    for (let second = 0; second < count; second++) {
      const date = dates[second];
      const next = second + 1 < count ? dates[second + 1] : date;
      let [at, after] = [0, 0];
      for (let exclusion = 0; exclusion < excluded.length; exclusion++) {
        if (excluded[exclusion].has(date)) at |= 1 << exclusion;
        if (excluded[exclusion].hasBetween(date, next)) after |= 1 << exclusion;
      }
      this.at[second] = at;
      this.after[second] = after;
      this.streamAt[second] = stream?.has(date) === true ? 1 : 0;
      this.streamAfter[second] = stream?.hasBetween(date, next) === true ? 1 : 0;
    }
  }

  #grow(capacity: number, run: QueryRun): void {
    run.reserve((capacity - this.at.length) * OBSTACLE_BYTES);
    this.at = new Uint32Array(capacity);
    this.after = new Uint32Array(capacity);
    this.streamAt = new Uint8Array(capacity);
    this.streamAfter = new Uint8Array(capacity);
  }
}

/** Two steps that an attempt takes one after the other. */
interface Pair {
  readonly from: number;
  readonly to: number;
  /** Bits of the exclusions that may lie between them. */
  readonly exclusions: number;
  /** By number of steps left out after `to`: the earliest end. */
  readonly ends: Uint32Array;
}

export interface CompletionScope {
  readonly rules: AttemptRules;
  readonly obstacles: Obstacles;
  readonly matching: SecondMatching;
  readonly run: QueryRun;
}

export class Completions {
  readonly length: number;
  /** Numbers of optional steps that attempts of the length may leave out: 0 to width - 1. */
  readonly width: number;
  readonly #rules: AttemptRules;
  readonly #obstacles: Obstacles;
  readonly #matching: SecondMatching;
  readonly #pairs: readonly Pair[];
  readonly #run: QueryRun;
  #strand: Strand;
  /** By second, first step of its block, and steps left out from there on. */
  #begun = new Uint32Array(0);
  /** By second, last step of its block, and steps left out after it. */
  #reached = new Uint32Array(0);

  constructor(strand: Strand, length: number, { rules, obstacles, matching, run }: CompletionScope) {
    this.length = length;
    this.#strand = strand;
    this.#rules = rules;
    this.#obstacles = obstacles;
    this.#matching = matching;
    this.#run = run;
    this.width = 1 + this.optionalBetween(1, length);
    this.#pairs = this.#makePairs();
  }

  /** Computes all ends of a strand, whose obstacles have been read. Throws 9005, 9006. */
  compute(strand: Strand): void {
    this.#strand = strand;
    const size = strand.secondCount * this.length * this.width;
    if (this.#begun.length < size) {
      this.#run.reserve((size * 2 - this.#begun.length) * 8);
      this.#begun = new Uint32Array(size * 2);
      this.#reached = new Uint32Array(size * 2);
    }
    this.#begun.fill(NONE, 0, size);
    this.#reached.fill(NONE, 0, size);
    for (const { ends } of this.#pairs) ends.fill(NONE);
    for (let second = strand.secondCount - 1; second >= 0; second--) {
      if ((second & 0xfff) === 0xfff) this.#run.check();
      this.#compute(second);
    }
  }

  /** The earliest end of an attempt whose block in the second begins with `first`. */
  begun(second: number, first: number, skipped: number): number {
    return this.#begun[(second * this.length + first - 1) * this.width + skipped];
  }

  /** The earliest end of an attempt whose block in the second ends with `last`, which is not the last step of all. */
  reached(second: number, last: number, skipped: number): number {
    return this.#reached[(second * this.length + last - 1) * this.width + skipped];
  }

  /** The number of optional steps strictly between two. */
  optionalBetween(from: number, to: number): number {
    let count = 0;
    for (let step = from + 1; step < to; step++) if (this.#rules.optional[step - 1]) count++;
    return count;
  }

  /** Bits of the exclusions that may lie between two steps taken one after the other. */
  exclusionsBetween(from: number, to: number): number {
    let bits = 0;
    this.#rules.exclusions.forEach(({ after, before }, exclusion) => {
      if (from < before && to > after) bits |= 1 << exclusion;
    });
    return bits;
  }

  /** Whether no attempt with this block has a later event. */
  endsAt(second: number, first: number, last: number): boolean {
    const at = this.#obstacles.at[second];
    if (at === 0) return false;
    return this.#rules.exclusions.some(
      ({ after, before }, exclusion) => (at & (1 << exclusion)) !== 0 && after < first && last < before,
    );
  }

  /**
   * The least number of optional steps after `fixed` and before `last` that a block leaves out if it takes all of `fixed`
   * and `last`; -1 if the second does not have different events for them. Uses the matching.
   */
  leastSkipped(fixed: readonly number[], last: number): number {
    const matching = this.#matching;
    const { optional } = this.#rules;
    const previous = fixed[fixed.length - 1];
    matching.clear();
    for (const step of fixed) if (!matching.add(step - 1)) return -1;
    if (last !== previous && !matching.add(last - 1)) return -1;
    for (let step = previous + 1; step < last; step++) {
      if (!optional[step - 1] && !matching.add(step - 1)) return -1;
    }
    let skipped = 0;
    for (let step = previous + 1; step < last; step++) {
      if (optional[step - 1] && !matching.add(step - 1)) skipped++;
    }
    return skipped;
  }

  #makePairs(): Pair[] {
    const pairs: Pair[] = [];
    for (let from = 1; from < this.length; from++) {
      for (let to = from + 1; to <= this.length; to++) {
        const exclusions = this.exclusionsBetween(from, to);
        pairs.push({ from, to, exclusions, ends: new Uint32Array(this.width).fill(NONE) });
        if (!this.#rules.optional[to - 1]) break;
      }
    }
    return pairs;
  }

  #compute(second: number): void {
    const { at, after, streamAt, streamAfter } = this.#obstacles;
    const next = second + 1;
    const { isStrict } = this.#rules;
    if (next < this.#strand.secondCount) {
      this.#drop(at[next], isStrict && streamAt[next] === 1);
      this.#addBegun(next);
      this.#drop(after[second], isStrict && streamAfter[second] === 1);
    }
    this.#setReached(second);
    const { starts } = this.#strand;
    if (this.#rules.distinctInstants || starts[next] - starts[second] === 1) this.#beginSingly(second);
    else this.#beginBlocks(second);
  }

  /** Forgets the attempts with a later event behind an obstacle. */
  #drop(exclusions: number, all: boolean): void {
    if (exclusions === 0 && !all) return;
    for (const pair of this.#pairs) if (all || (pair.exclusions & exclusions) !== 0) pair.ends.fill(NONE);
  }

  #addBegun(second: number): void {
    for (const { to, ends } of this.#pairs) {
      for (let skipped = 0; skipped < this.width; skipped++) {
        const end = this.begun(second, to, skipped);
        if (end < ends[skipped]) ends[skipped] = end;
      }
    }
  }

  #setReached(second: number): void {
    const base = second * this.length;
    for (const { from, to, ends } of this.#pairs) {
      const left = to - from - 1;
      const at = (base + from - 1) * this.width;
      for (let skipped = left; skipped < this.width; skipped++) {
        const end = ends[skipped - left];
        if (end < this.#reached[at + skipped]) this.#reached[at + skipped] = end;
      }
    }
  }

  /** The block is one step. */
  #beginSingly(second: number): void {
    for (let step = 1; step <= this.length; step++) {
      if (this.#strand.has(second, step - 1)) this.#begin(second, step, step, 0, 0);
    }
  }

  #beginBlocks(second: number): void {
    const strand = this.#strand;
    const eventCount = strand.starts[second + 1] - strand.starts[second];
    this.#matching.load(strand, second);
    const has = Array.from(
      { length: this.length + 1 },
      (_, step) => step > 0 && strand.has(second, step - 1),
    );
    for (let first = 1; first <= this.length; first++) {
      if (!has[first]) continue;
      let required = 0;
      for (let last = first; last <= this.length; last++) {
        if (last > first + 1 && !this.#rules.optional[last - 2]) {
          required++;
          if (!has[last - 1]) break;
        }
        if (required + 1 > eventCount) break;
        if (!has[last]) continue;
        const least = last === first ? 0 : this.leastSkipped([first], last);
        if (least >= 0) this.#begin(second, first, last, least, this.optionalBetween(first, last));
      }
    }
  }

  /** Notes a block that leaves out at least `least` and at most `most` of its optional steps. */
  #begin(second: number, first: number, last: number, least: number, most: number): void {
    const at = (second * this.length + first - 1) * this.width;
    const isEnd = last === this.length;
    if (!isEnd && this.endsAt(second, first, last)) return;
    for (let inside = least; inside <= most; inside++) {
      for (let after = 0; inside + after < this.width; after++) {
        const end = !isEnd
          ? this.reached(second, last, after)
          : after === 0
            ? this.#strand.dates[second]
            : NONE;
        if (end < this.#begun[at + inside + after]) this.#begun[at + inside + after] = end;
      }
    }
  }
}
