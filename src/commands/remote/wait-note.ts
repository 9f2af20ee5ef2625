/** Says on a line of its own why a command waits for the server. */
import { type Failure, sleep } from '../../client/transport/index.js';

/** The wait before the next attempt of a request, as `Retries.pause`; `note` gets the reason, `waiting ...`. */
export const notedPause =
  (note: (text: string) => void) =>
  async (waitMs: number, signal: AbortSignal, failure: Failure): Promise<void> => {
    note(waitText(waitMs, failure));
    await sleep(waitMs, signal);
  };

export function waitText(waitMs: number, { error }: Pick<Failure, 'error'>): string {
  return `waiting ${waitMs < 1_000 ? 'a moment' : `${Math.ceil(waitMs / 1_000)} s`}: ${error.message}`;
}
