/** Checks that no exclusion and no other event of a stream lies inside an attempt that leaves out no step. */
import type { FunnelQuestion } from '../../../ir/index.js';
import type { Attempt } from './rules.js';

interface Obstacle {
  readonly words: Uint32Array;
  readonly flag: number;
}

export class AttemptCheck {
  readonly #dates: Uint32Array;
  /** Steps are counted from 1. */
  readonly #exclusions: readonly (Obstacle & { readonly after: number; readonly before: number })[];
  readonly #stream: Obstacle | null;

  /** `columns`: dates and words of bits of the current block. */
  constructor(columns: readonly Uint32Array[], { exclusions, stream }: FunnelQuestion) {
    const obstacleOf = (event: number): Obstacle => ({
      words: columns[1 + (event >> 5)],
      flag: 1 << (event & 31),
    });
    [this.#dates] = columns;
    this.#exclusions = exclusions.map(({ event, after, before }) => ({
      ...obstacleOf(event),
      after,
      before,
    }));
    this.#stream = stream === null ? null : obstacleOf(stream);
  }

  get isNeeded(): boolean {
    return this.#exclusions.length > 0 || this.#stream !== null;
  }

  /** Whether an attempt over the events [from, to) of an entity is one. */
  holds({ dates, length }: Attempt, from: number, to: number): boolean {
    const last = dates[length - 1];
    let step = 0;
    for (let at = from; at < to && this.#dates[at] < last; at++) {
      const date = this.#dates[at];
      if (date <= dates[0]) continue;
      while (dates[step + 1] <= date) step++;
      const stream = this.#stream;
      if (stream !== null && dates[step] < date && (stream.words[at] & stream.flag) !== 0) return false;
      for (const { words, flag, after, before } of this.#exclusions) {
        if ((words[at] & flag) === 0 || length <= after) continue;
        if (dates[after - 1] < date && date < dates[Math.min(before, length) - 1]) return false;
      }
    }
    return true;
  }
}
