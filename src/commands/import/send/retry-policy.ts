/**
 * Requests that are sent again until they are answered: connections that break, a server that starts, is full or has had
 * enough. Invariant: whatever is sent again carries the same Idempotency-Key, so it takes effect once.
 */
import { type RemoteClient, RemoteError, type RemoteRequest, UnreachableError } from '../../remote/index.js';
import { ImportError } from '../formats/row-block.js';

const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 5_000;
/** A server that asks for more has a bound of the day. */
const TOLD_SECONDS_MAX = 120;
const AGAIN_STATUSES: readonly number[] = [429, 502, 503, 504];

export interface PatienceNeeds {
  readonly client: RemoteClient;
  readonly key: string;
  readonly elapsedMs: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly retrySeconds: number;
  readonly signal: AbortSignal;
  /** Tells that it waits, once for every time without progress. */
  readonly note: (text: string) => void;
}

export class Patience {
  readonly #needs: PatienceNeeds;
  #lastAnswerMs: number;
  #hasTold = false;

  constructor(needs: PatienceNeeds) {
    this.#needs = needs;
    this.#lastAnswerMs = needs.elapsedMs();
  }

  /** Rejects with RemoteError when the server refuses for good, with ImportError when it took no request for long. */
  async post(body: Uint8Array, idempotencyKey: string): Promise<unknown> {
    const { client, key, elapsedMs, signal } = this.#needs;
    const request: RemoteRequest = {
      method: 'POST',
      path: '/v1/insert',
      key,
      body,
      headers: { 'idempotency-key': idempotencyKey },
    };
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted();
      try {
        const answer = await client.json(request);
        this.#lastAnswerMs = elapsedMs();
        this.#hasTold = false;
        return answer;
      } catch (error) {
        await this.#pause(error, attempt);
      }
    }
  }

  /** Waits until it makes sense to ask again; throws `error` when it never does. */
  async #pause(error: unknown, attempt: number): Promise<void> {
    const isLost = error instanceof UnreachableError;
    if (!isLost && !(error instanceof RemoteError && AGAIN_STATUSES.includes(error.status))) {
      if (error instanceof RemoteError) this.#lastAnswerMs = this.#needs.elapsedMs();
      throw error;
    }
    const { elapsedMs, random, retrySeconds, note, signal } = this.#needs;
    const told = isLost ? null : error.retryAfterSeconds;
    const message = (error as Error).message;
    if (told !== null && told > TOLD_SECONDS_MAX) {
      throw new ImportError(
        `${message}; it asks for a pause of ${told} s: go on then, with the same command`,
      );
    }
    if (elapsedMs() - this.#lastAnswerMs > retrySeconds * 1_000) {
      throw new ImportError(
        `no insert was taken for ${retrySeconds} s: ${message}; go on later with the same command`,
      );
    }
    if (!this.#hasTold) note(`waiting: ${message}`);
    this.#hasTold = true;
    const backOffMs = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(attempt, 10)) * (0.5 + random());
    const toldMs = (told ?? 0) * 1_000;
    await sleep(toldMs + backOffMs, signal);
    // What the server asked for is no time without progress.
    this.#lastAnswerMs += toldMs;
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
