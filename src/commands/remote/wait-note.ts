/** Says on a line of its own why a command waits for the server. */
import { type Failure, type Retries, type RetryPolicy, sleep } from '../../client/transport/index.js';

/** The wait before the next attempt of a request, as `Retries.pause`; `note` gets the reason, `waiting ...`. */
export const notedPause =
  (note: (text: string) => void) =>
  async (waitMs: number, signal: AbortSignal, failure: Failure): Promise<void> => {
    note(waitText(waitMs, failure));
    await sleep(waitMs, signal);
  };

/** Waits as long as the server says. The rate limit is per minute: a refusal for it ends within a minute. */
const POLICY: RetryPolicy = {
  ...{ retriesMax: 5, firstWaitMs: 0, waitMsMax: 0, jitter: [0, 0] },
  retryAfter: true,
};

/** Repeats requests that the server refuses with a Retry-After. */
export const waiting = (note: (text: string) => void): Retries => ({
  policy: POLICY,
  pause: notedPause(note),
});

export function waitText(waitMs: number, { error }: Pick<Failure, 'error'>): string {
  return `waiting ${waitMs < 1_000 ? 'a moment' : `${Math.ceil(waitMs / 1_000)} s`}: ${error.message}`;
}
