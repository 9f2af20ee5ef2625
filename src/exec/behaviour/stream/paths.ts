/**
 * The paths of one entity in a flow: from an event that begins one over the next events of the stream.
 * Cost  linear in events, and depth per path; 16 bytes per event.
 */
import type { FlowQuestion } from '../../../ir/index.js';
import type { QueryRun } from '../../query-run.js';
import type { EntityEvents } from '../entity-events.js';
import type { StreamOrder } from './order.js';

const STREAM = 1;
const START = 2;
const CAPACITY_MIN = 1_024;
/** Paths between two checks for a stop of the query. */
const CHECK_PATHS = 65_536;

export class EntityPaths {
  readonly #dates: Uint32Array;
  readonly #masks: Uint32Array;
  readonly #question: FlowQuestion;
  readonly #order: StreamOrder;
  readonly #run: QueryRun;
  /** One event more than levels, which tells whether the path has ended. */
  readonly #path: Uint32Array;
  /** The events of the stream. */
  #stream = new Uint32Array(0);
  #streamCount = 0;
  /** The events that begin a path, and the number of events of the stream up to and with each. */
  #starts = new Uint32Array(0);
  #streamAt = new Uint32Array(0);
  #startCount = 0;

  constructor(events: EntityEvents, question: FlowQuestion, order: StreamOrder, run: QueryRun) {
    [this.#dates, this.#masks] = events.columns;
    this.#question = question;
    this.#order = order;
    this.#run = run;
    this.#path = new Uint32Array(question.depth + 1);
  }

  /** Calls `visit` with each path of the ordered events [from, to); the path is valid during the call. */
  each(from: number, to: number, visit: (path: Uint32Array, length: number) => void): void {
    this.#read(from, to);
    for (let index = 0; index < this.#startCount; index++) {
      if (index % CHECK_PATHS === CHECK_PATHS - 1) this.#run.check();
      visit(this.#path, this.#follow(index));
    }
  }

  #read(from: number, to: number): void {
    this.#grow(to - from);
    this.#streamCount = 0;
    this.#startCount = 0;
    const { collapse, isEvery } = this.#question;
    for (let at = from; at < to; at++) {
      if (collapse && at > from && this.#order.areEqual(at - 1, at)) continue;
      const mask = this.#masks[at];
      if ((mask & STREAM) !== 0) this.#stream[this.#streamCount++] = at;
      if ((mask & START) === 0 || (!isEvery && this.#startCount > 0)) continue;
      this.#starts[this.#startCount] = at;
      this.#streamAt[this.#startCount++] = this.#streamCount;
    }
  }

  #grow(count: number): void {
    if (this.#stream.length >= count) return;
    const capacity = Math.max(CAPACITY_MIN, count + (count >> 1));
    this.#run.reserve((capacity - this.#stream.length) * 12);
    this.#stream = new Uint32Array(capacity);
    this.#starts = new Uint32Array(capacity);
    this.#streamAt = new Uint32Array(capacity);
  }

  /** Fills the path; returns its length. */
  #follow(index: number): number {
    const { isBackward, within } = this.#question;
    const [path, dates] = [this.#path, this.#dates];
    const first = this.#starts[index];
    const isInStream = (this.#masks[first] & STREAM) !== 0;
    const step = isBackward ? -1 : 1;
    const before = this.#streamAt[index] - 1;
    let at = isBackward ? (isInStream ? before - 1 : before) : before + 1;
    let length = 1;
    path[0] = first;
    for (; length < path.length && at >= 0 && at < this.#streamCount; at += step) {
      const event = this.#stream[at];
      if (within !== null && Math.abs(dates[event] - dates[path[length - 1]]) > within) break;
      path[length++] = event;
    }
    return length;
  }
}
