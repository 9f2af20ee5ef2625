/**
 * Decodes bytes to text, split after line ends, so that no character is split and a line that is too long is not kept.
 * Invariants: every part but the last ends with "\n"; a byte order mark is removed; invalid UTF-8 bytes of a line become
 * lone surrogates (U+DC80 + byte - 0x80), which no value may contain, and affect no other line.
 */
import { isUtf8 } from 'node:buffer';

/** Limit of a line and of a row; the body of an insert cannot hold much more. */
export const LINE_BYTES_MAX = 2 ** 20;

const LINE_START_CHARS = 200;
const NEWLINE = 10;

export type TextPart =
  | { readonly text: string }
  /** The beginning of a line of more than LINE_BYTES_MAX bytes. */
  | { readonly overlong: string };

export async function* textParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TextPart> {
  let rest: Uint8Array = new Uint8Array(0);
  let skipping = false;
  let first = true;
  for await (const part of bytes) {
    let fresh = part;
    if (skipping) {
      const end = part.indexOf(NEWLINE);
      if (end < 0) continue;
      skipping = false;
      fresh = part.subarray(end + 1);
    }
    const all = rest.length === 0 ? fresh : Buffer.concat([rest, fresh]);
    const end = all.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const whole = all.subarray(0, end);
      yield { text: decode(first ? withoutMark(whole) : whole) };
      first = false;
    }
    rest = all.subarray(end);
    if (rest.length > LINE_BYTES_MAX) {
      yield { overlong: decode(rest.subarray(0, LINE_START_CHARS)) };
      rest = new Uint8Array(0);
      skipping = true;
    }
  }
  if (rest.length > 0) yield { text: decode(first ? withoutMark(rest) : rest) };
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function decode(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  let text = '';
  for (let from = 0; from < buffer.length; ) {
    const end = buffer.indexOf(NEWLINE, from);
    const line = buffer.subarray(from, end < 0 ? buffer.length : end + 1);
    text += isUtf8(line) ? line.toString('utf8') : withSurrogates(line);
    from += line.length;
  }
  return text;
}

const withSurrogates = (line: Buffer): string =>
  line.toString('latin1').replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));
