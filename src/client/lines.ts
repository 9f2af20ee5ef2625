/** Reads bodies of lines as they arrive. */
import { ConnectionError } from './errors.js';
import { parseExact } from './json.js';

/** One JSON value per line. Throws ConnectionError if the answer is incomplete; leaving the loop ends the request. */
export async function* linesOf(response: Response): AsyncGenerator<unknown, void, void> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let rest = '';
  let isWhole = false;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        throw new ConnectionError('the answer was cut before its end', { cause: error });
      });
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield parseExact(line);
      if (done) break;
    }
    isWhole = true;
  } finally {
    if (!isWhole) await reader.cancel().catch(() => undefined);
  }
  if (rest !== '') yield parseExact(rest);
}
