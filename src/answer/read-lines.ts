/** Reads an answer in NDJSON on the server, for statements that use rows of a query. */
import type { RowStream } from './row-stream.js';

/**
 * The lines of the answer. `check` is called after each part, with the number of complete lines so far and the bytes of the part; an
 * error that it throws ends the answer.
 */
export async function readLines(
  { parts, done }: Pick<RowStream, 'parts' | 'done'>,
  check: (lineCount: number, partBytes: number) => void,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const part of parts) {
    const { byteLength } = part;
    const found = (rest + decoder.decode(part, { stream: true })).split('\n');
    done?.(part);
    rest = found.pop() ?? '';
    for (const line of found) lines.push(line);
    check(lines.length, byteLength);
  }
  return rest === '' ? lines : [...lines, rest];
}
