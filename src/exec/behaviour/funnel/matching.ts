/**
 * Assigns steps to different events of one second.
 * Bound  a step with as many events as there are steps can always be assigned, so at most stepCount events per step are
 *        considered: stepCount^2 events, however many the second has. Adding a step looks at each of them once.
 */
import type { Strand } from './strand.js';

export class SecondMatching {
  readonly #stepCount: number;
  #lo: number[] = [];
  #hi: number[] = [];
  /** By considered event: the step that it is assigned to, or -1. */
  #steps: number[] = [];
  #visited: number[] = [];
  #visit = 0;
  readonly #seen: Int32Array;

  constructor(stepCount: number) {
    this.#stepCount = stepCount;
    this.#seen = new Int32Array(stepCount);
  }

  /** Considers the events of a second. */
  load(strand: Strand, second: number): void {
    this.#lo = [];
    this.#hi = [];
    this.#seen.fill(0);
    for (let event = strand.starts[second]; event < strand.starts[second + 1]; event++) {
      const [lo, hi] = [strand.lo[event], strand.hi[event]];
      if (!this.#isUseful(lo, hi)) continue;
      this.#lo.push(lo);
      this.#hi.push(hi);
    }
    this.#visited = this.#lo.map(() => 0);
    this.#visit = 0;
    this.clear();
  }

  /** Whether some step of the event has too few events yet; counts the event for its steps then. */
  #isUseful(lo: number, hi: number): boolean {
    const seen = this.#seen;
    let isUseful = false;
    for (let step = 0; step < this.#stepCount; step++) {
      const word = step < 32 ? lo : hi;
      if ((word & (1 << (step & 31))) !== 0 && seen[step] < this.#stepCount) isUseful = true;
    }
    if (!isUseful) return false;
    for (let step = 0; step < this.#stepCount; step++) {
      const word = step < 32 ? lo : hi;
      if ((word & (1 << (step & 31))) !== 0) seen[step]++;
    }
    return true;
  }

  clear(): void {
    this.#steps = this.#lo.map(() => -1);
  }

  /** Assigns one more step; returns false and changes nothing if the steps cannot all have different events. */
  add(step: number): boolean {
    this.#visit++;
    return this.#assign(step);
  }

  #assign(step: number): boolean {
    const words = step < 32 ? this.#lo : this.#hi;
    const flag = 1 << (step & 31);
    for (let event = 0; event < words.length; event++) {
      if ((words[event] & flag) === 0 || this.#visited[event] === this.#visit) continue;
      this.#visited[event] = this.#visit;
      const other = this.#steps[event];
      if (other >= 0 && !this.#assign(other)) continue;
      this.#steps[event] = step;
      return true;
    }
    return false;
  }
}
