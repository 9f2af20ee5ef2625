/**
 * What waits for a lane's worker, and what of it goes in the next task.
 * Invariants: requests leave in the order in which they came, but for bodies to be parsed, which read no data: a few of
 * them go along with batches, or take turns with the other requests, so that neither waits for more than a task of the
 * other. A request whose answer may be large is the last of its task.
 */
import { LARGE_OPS, type WorkerRequest } from '../../protocol/index.js';

const REQUESTS_PER_TASK_MAX = 64;
/** A body of a thousand entities takes about a millisecond. */
const PARSES_PER_TASK_MAX = 2;

export class LaneQueue<Waiting extends { readonly request: Pick<WorkerRequest, 'op'> }> {
  #ordered: Waiting[] = [];
  #parses: Waiting[] = [];
  /** Bodies stood back in the last task. */
  #parsesAreDue = false;

  get isEmpty(): boolean {
    return this.#ordered.length + this.#parses.length === 0;
  }

  push(waiting: Waiting): void {
    (waiting.request.op === 'parse' ? this.#parses : this.#ordered).push(waiting);
  }

  /** The next task; there must be something. */
  take(): readonly Waiting[] {
    if (this.#parsesAreDue) {
      this.#parsesAreDue = false;
      return this.#takeParses();
    }
    const large = this.#ordered.findIndex(({ request }) => LARGE_OPS.has(request.op));
    const count = Math.min(large === -1 ? this.#ordered.length : large + 1, REQUESTS_PER_TASK_MAX);
    const task = this.#ordered.splice(0, count);
    if (task.every(({ request }) => request.op === 'apply')) return [...task, ...this.#takeParses()];
    this.#parsesAreDue = this.#parses.length > 0;
    return task;
  }

  /** Everything, for whom nothing will come. */
  drain(): readonly Waiting[] {
    this.#parsesAreDue = false;
    return [...this.#ordered.splice(0), ...this.#parses.splice(0)];
  }

  #takeParses(): Waiting[] {
    return this.#parses.splice(0, PARSES_PER_TASK_MAX);
  }
}
