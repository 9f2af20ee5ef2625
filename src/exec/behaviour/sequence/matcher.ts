/**
 * Finds the matches of a pattern in the string of one entity's events.
 * Method  from the last step of the pattern to the first, the earliest end of a match of the remaining steps is computed for
 *         every event that the step can take: the least end over a window of later events. Both ends of the window only move
 *         backward with the event, so the least is taken from a monotone queue.
 * Cost    linear in events times steps, whatever the pattern; 12 bytes per event.
 */
import type { PatternStep } from '../../../ir/index.js';
import type { QueryRun } from '../../query-run.js';

const NONE = 0x7fffffff;
const CAPACITY_MIN = 1_024;
/** The stop of the query is checked for longer strings; shorter ones are checked by the block. */
const CHECK_EVENTS = 4_096;

export class SequenceMatcher {
  readonly #steps: readonly PatternStep[];
  readonly #run: QueryRun;
  /** Bits of events without which there is no match. */
  readonly #required: number;
  /** Per event: the end of the shortest match that the step and those behind it have from there; NONE = no match. */
  #ends = new Int32Array(0);
  #laterEnds = new Int32Array(0);
  #queue = new Int32Array(0);

  constructor(steps: readonly PatternStep[], run: QueryRun) {
    this.#steps = steps;
    this.#run = run;
    this.#required = steps
      .filter(({ event, isNegated }) => event !== null && !isNegated)
      .reduce((bits, { event }) => bits | (1 << (event as number)), 0);
  }

  /** The number of matches without overlaps in the events [from, to), from left to right. Throws 9005, 9006. */
  count(dates: Uint32Array, masks: Uint32Array, from: number, to: number): number {
    if (!this.#mayMatch(masks, from, to)) return 0;
    const count = to - from;
    this.#grow(count);
    for (let step = this.#steps.length - 1; step >= 0; step--) {
      if (count > CHECK_EVENTS) this.#run.check();
      [this.#ends, this.#laterEnds] = [this.#laterEnds, this.#ends];
      if (step === this.#steps.length - 1) this.#endHere(count);
      else this.#fill(this.#steps[step + 1], dates, from, count);
      this.#keepMatching(this.#steps[step], masks, from, count);
    }
    return this.#scan(count);
  }

  #mayMatch(masks: Uint32Array, from: number, to: number): boolean {
    let all = 0;
    for (let at = from; at < to; at++) all |= masks[at];
    return (all & this.#required) === this.#required;
  }

  #grow(count: number): void {
    if (this.#ends.length >= count) return;
    const capacity = Math.max(CAPACITY_MIN, count + (count >> 1));
    this.#run.reserve((capacity - this.#ends.length) * 12);
    this.#ends = new Int32Array(capacity);
    this.#laterEnds = new Int32Array(capacity);
    this.#queue = new Int32Array(capacity);
  }

  #endHere(count: number): void {
    for (let at = 0; at < count; at++) this.#ends[at] = at + 1;
  }

  /** Sets the end for each event, whatever the step, by the ends of the next step. */
  #fill({ gap, secondsMin, secondsMax }: PatternStep, dates: Uint32Array, from: number, count: number): void {
    if (gap === 'next') {
      for (let at = 0; at < count; at++) this.#ends[at] = at + 1 < count ? this.#laterEnds[at + 1] : NONE;
    } else if (gap === 'later') {
      let least = NONE;
      for (let at = count - 1; at >= 0; at--) {
        this.#ends[at] = least;
        if (this.#laterEnds[at] < least) least = this.#laterEnds[at];
      }
    } else {
      this.#fillTimed(secondsMin, secondsMax, dates, from, count);
    }
  }

  #fillTimed(secondsMin: number, secondsMax: number, dates: Uint32Array, from: number, count: number): void {
    const [ends, later, queue] = [this.#ends, this.#laterEnds, this.#queue];
    // Events in the queue descend, their ends descend too: the head has the least end.
    let [head, tail] = [0, 0];
    let next = count - 1;
    for (let at = count - 1; at >= 0; at--) {
      for (; next > at && dates[from + next] - dates[from + at] >= secondsMin; next--) {
        if (later[next] === NONE) continue;
        while (tail > head && later[queue[tail - 1]] >= later[next]) tail--;
        queue[tail++] = next;
      }
      while (head < tail && dates[from + queue[head]] - dates[from + at] > secondsMax) head++;
      ends[at] = head < tail ? later[queue[head]] : NONE;
    }
  }

  #keepMatching({ event, isNegated }: PatternStep, masks: Uint32Array, from: number, count: number): void {
    if (event === null) return;
    const wanted = isNegated ? 0 : 1;
    for (let at = 0; at < count; at++) {
      if (((masks[from + at] >>> event) & 1) !== wanted) this.#ends[at] = NONE;
    }
  }

  #scan(count: number): number {
    const ends = this.#ends;
    if (this.#steps[0].gap === 'later') {
      // A match begins at once and takes any number of events, so that its end is the least of all later ones.
      for (let at = count - 2; at >= 0; at--) if (ends[at + 1] < ends[at]) ends[at] = ends[at + 1];
    }
    let matches = 0;
    for (let at = 0; at < count; ) {
      if (ends[at] === NONE) at++;
      else {
        matches++;
        at = ends[at];
      }
    }
    return matches;
  }
}
