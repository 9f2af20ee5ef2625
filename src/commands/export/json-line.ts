/**
 * Splits NDJSON of the server into lines and members, whose JSON texts stay unchanged: JSON.parse would round integers
 * beyond 2^53.
 */
import { invariant } from '../../base/index.js';

const NEWLINE = 0x0a;

/** The lines of a stream, without line ends; the last line may lack one. */
export async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  /** The parts of the current, incomplete line. */
  let open: Uint8Array[] = [];
  for await (const part of parts) {
    const end = part.lastIndexOf(NEWLINE);
    if (end === -1) {
      open.push(part);
      continue;
    }
    const whole = Buffer.concat([...open, part.subarray(0, end)]).toString('utf8');
    open = end + 1 < part.length ? [part.subarray(end + 1)] : [];
    yield* whole.split('\n');
  }
  if (open.length > 0) yield Buffer.concat(open).toString('utf8');
}

/** A member of a row. */
export interface Member {
  readonly name: string;
  /** The unchanged JSON text. */
  readonly json: string;
}

/** The members of the object in `line`, which has no white space between tokens, as the server writes rows. */
export function membersOf(line: string): Member[] {
  const members: Member[] = [];
  invariant(line.startsWith('{') && line.endsWith('}'), 'a line of the answer is not a JSON object');
  for (let at = 1; at < line.length - 1; ) {
    const nameEnd = endOfString(line, at);
    const valueEnd = endOfValue(line, nameEnd + 1);
    members.push({ name: JSON.parse(line.slice(at, nameEnd)), json: line.slice(nameEnd + 1, valueEnd) });
    at = valueEnd + 1;
  }
  return members;
}

function endOfString(line: string, from: number): number {
  for (let at = from + 1; at < line.length; at++) {
    const letter = line.charCodeAt(at);
    if (letter === 0x22) return at + 1;
    if (letter === 0x5c) at++;
  }
  return line.length;
}

/** The offset after a value: of the comma or brace that follows. */
function endOfValue(line: string, from: number): number {
  if (line[from] === '"') return endOfString(line, from);
  let depth = 0;
  for (let at = from; at < line.length; at++) {
    switch (line[at]) {
      case '"':
        at = endOfString(line, at) - 1;
        break;
      case '[':
      case '{':
        depth++;
        break;
      case ']':
      case '}':
        if (depth === 0) return at;
        depth--;
        break;
      case ',':
        if (depth === 0) return at;
    }
  }
  return line.length;
}
