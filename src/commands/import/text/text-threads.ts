/** Threads that make columns of blocks of text. A thread has at most one task; others wait in the order of their calls. */
import { Worker } from 'node:worker_threads';
import type { TextPlan } from './text-plan.js';
import type { TextResult, TextTask } from './thread.js';

interface Call {
  readonly task: TextTask;
  readonly resolve: (result: TextResult) => void;
  readonly reject: (error: Error) => void;
}

export class TextThreads {
  readonly #workers: readonly Worker[];
  readonly #idle: Worker[];
  readonly #running = new Map<Worker, Call>();
  readonly #waiting: Call[] = [];
  #failure: Error | null = null;

  constructor(threadFile: string, plan: TextPlan, count: number) {
    this.#workers = Array.from({ length: count }, () => new Worker(threadFile, { workerData: plan }));
    this.#idle = [...this.#workers];
    for (const worker of this.#workers) {
      worker.on('message', (result: TextResult) => this.#finish(worker, result));
      worker.on('error', (error) => this.#fail(error));
    }
  }

  get count(): number {
    return this.#workers.length;
  }

  /** The block of `task` moves to a thread, and back with the result. Rejects with a bug of the thread. */
  run(task: TextTask): Promise<TextResult> {
    const result = new Promise<TextResult>((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject });
    });
    // Whoever waits for results waits for this one later.
    result.catch(() => {});
    this.#next();
    return result;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #next(): void {
    if (this.#failure !== null) this.#fail(this.#failure);
    while (this.#waiting.length > 0) {
      const worker = this.#idle.pop();
      if (worker === undefined) return;
      const call = this.#waiting.shift() as Call;
      this.#running.set(worker, call);
      const { bytes, bounds } = call.task.block;
      worker.postMessage(call.task, [bytes.buffer, bounds.buffer]);
    }
  }

  #finish(worker: Worker, result: TextResult): void {
    const call = this.#running.get(worker);
    this.#running.delete(worker);
    this.#idle.push(worker);
    call?.resolve(result);
    this.#next();
  }

  #fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of [...this.#running.values(), ...this.#waiting.splice(0)]) reject(error);
    this.#running.clear();
  }
}
