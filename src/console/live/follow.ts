/** Calls back whenever data was inserted, or every few seconds for keys that may not know that. */
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
    await pause(AGAIN_MS, signal);
    if (!signal.aborted) onChange();
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
