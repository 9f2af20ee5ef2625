/**
 * The events of one entity that may be steps of one attempt, in seconds: event e satisfies the steps whose bits are set
 * in lo[e] (steps 0 to 31) and hi[e] (32 to 63).
 * Invariant  second s has the events [starts[s], starts[s + 1]) and the date dates[s]; dates ascend.
 */
import { lowerBoundOf } from '../../../base/index.js';

const CAPACITY_MIN = 64;

export class Strand {
  lo = new Uint32Array(CAPACITY_MIN);
  hi = new Uint32Array(CAPACITY_MIN);
  starts = new Uint32Array(CAPACITY_MIN + 1);
  dates = new Float64Array(CAPACITY_MIN);
  /** Events with the same link are one event with several dates; 0 = none. */
  links = new Uint32Array(CAPACITY_MIN);
  secondCount = 0;
  eventCount = 0;
  /** The bits of all events together. */
  allLo = 0;
  allHi = 0;

  clear(): void {
    this.secondCount = 0;
    this.eventCount = 0;
    this.allLo = 0;
    this.allHi = 0;
    this.starts[0] = 0;
  }

  /** Adds an event that is not earlier than the last. */
  add(date: number, lo: number, hi: number, link: number): void {
    if (this.eventCount === this.lo.length) this.#grow();
    this.lo[this.eventCount] = lo;
    this.links[this.eventCount] = link;
    this.hi[this.eventCount++] = hi;
    if (this.secondCount === 0 || this.dates[this.secondCount - 1] !== date) {
      this.dates[this.secondCount++] = date;
    }
    this.starts[this.secondCount] = this.eventCount;
    this.allLo |= lo;
    this.allHi |= hi;
  }

  #grow(): void {
    const capacity = this.lo.length * 2;
    this.lo = longer(this.lo, new Uint32Array(capacity));
    this.hi = longer(this.hi, new Uint32Array(capacity));
    this.starts = longer(this.starts, new Uint32Array(capacity + 1));
    this.dates = longer(this.dates, new Float64Array(capacity));
    this.links = longer(this.links, new Uint32Array(capacity));
  }

  /** Whether an event of the second satisfies the step. */
  has(second: number, step: number): boolean {
    const words = step < 32 ? this.lo : this.hi;
    const flag = 1 << (step & 31);
    for (let event = this.starts[second]; event < this.starts[second + 1]; event++) {
      if ((words[event] & flag) !== 0) return true;
    }
    return false;
  }

  satisfies(event: number, step: number): boolean {
    return (((step < 32 ? this.lo[event] : this.hi[event]) >>> (step & 31)) & 1) !== 0;
  }

  /** The second of a date, which is one of the strand's. */
  secondOf(date: number): number {
    return lowerBoundOf(this.dates, date, 0, this.secondCount - 1);
  }

  /** Whether any event satisfies the step. */
  hasStep(step: number): boolean {
    return ((step < 32 ? this.allLo : this.allHi) & (1 << (step & 31))) !== 0;
  }
}

function longer<A extends Uint32Array | Float64Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
