/** Calls back whenever data was inserted, or every few seconds for keys that may not know that. */
import { sleep } from '../../client/transport/index.js';
import { type Client, RequestError } from '../server/client.js';

const PATH = '/v1/status/live?min-interval=2sec';
const AGAIN_MS = 10_000;

/** Calls `onChange` until the signal is aborted, not at the beginning. */
export async function followData(client: Client, onChange: () => void, signal: AbortSignal): Promise<void> {
  let isKnown = false;
  while (!signal.aborted) {
    try {
      for await (const _ of client.events(PATH, signal)) {
        // The first event tells what there is already.
        if (isKnown) onChange();
        isKnown = true;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof RequestError && error.status === 401) return;
    }
    // Rejects when the signal is aborted.
    await sleep(AGAIN_MS, signal).then(onChange, () => {});
  }
}
