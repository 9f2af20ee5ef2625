/** A line of a quarantine as a body, to be inserted again. */
import type { LineNumbers } from '../lines.js';
import { LINE_BREAK } from '../plain/rewrite-lines.js';
import { QUOTED_BREAK } from '../records/parse-records.js';
import { BASE64_MARK } from './refused-line.js';

export interface QuarantinedLine {
  /** The entity ID in the quarantine. */
  readonly id: string;
  /** As refused-line.ts wrote them. */
  readonly line: string;
  readonly parameters: string;
  /** The line with the names of CSV; empty = it is not CSV. */
  readonly header: string;
  /** When the line was received, milliseconds since 1970-01-01. */
  readonly receivedMs: number;
}

/** The line as a body of lines, and its numbers. */
export function bodyOfLine({ line, header }: Pick<QuarantinedLine, 'line' | 'header'>): {
  readonly body: Uint8Array;
  readonly numbers: LineNumbers;
} {
  const bytes = bytesOf(line);
  if (header === '') return { body: bytes, numbers: { head: 0, first: 1 } };
  return {
    body: Buffer.concat([withQuotedBreaks(bytesOf(header)), Buffer.of(LINE_BREAK), withQuotedBreaks(bytes)]),
    numbers: { head: 1, first: 2 },
  };
}

const bytesOf = (text: string): Uint8Array =>
  text.startsWith(BASE64_MARK)
    ? Buffer.from(text.slice(BASE64_MARK.length), 'base64')
    : Buffer.from(text, 'utf8');

/** A line break inside a line of CSV is inside quotes. */
const withQuotedBreaks = (line: Uint8Array): Uint8Array =>
  line.map((byte) => (byte === LINE_BREAK ? QUOTED_BREAK : byte));
