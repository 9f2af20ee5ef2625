/**
 * The queue of requests to one worker. It decides which requests the next task contains.
 * Invariants: requests leave in their order of arrival, except bodies to be parsed, which read no data: a few of them travel
 * with batches or alternate with the other requests, so that neither kind waits for more than one task of the other. A
 * request whose reply may be large is the last of its task.
 */
import { LARGE_OPS, type WorkerRequest } from '../../protocol/index.js';

const REQUESTS_PER_TASK_MAX = 64;
/** A body of a thousand entities takes about a millisecond. */
const PARSES_PER_TASK_MAX = 2;

export class WorkerQueue<Waiting extends { readonly request: Pick<WorkerRequest, 'op'> }> {
  #ordered: Waiting[] = [];
  #parses: Waiting[] = [];
  /** The last task left out waiting bodies, so the next one takes them first. */
  #parsesAreDue = false;

  get isEmpty(): boolean {
    return this.#ordered.length + this.#parses.length === 0;
  }

  push(waiting: Waiting): void {
    (waiting.request.op === 'parse' ? this.#parses : this.#ordered).push(waiting);
  }

  /** Removes the requests of the next task. The queue must not be empty. */
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

  /** Removes all requests, which will get no reply. */
  drain(): readonly Waiting[] {
    this.#parsesAreDue = false;
    return [...this.#ordered.splice(0), ...this.#parses.splice(0)];
  }

  #takeParses(): Waiting[] {
    return this.#parses.splice(0, PARSES_PER_TASK_MAX);
  }
}
