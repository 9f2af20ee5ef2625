/** Writes UTF-8 texts as JSON strings (RFC 8259) and CSV fields (RFC 4180). */
import type { ByteWriter } from './byte-writer.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** The longest JSON encoding of a byte: \u001f. */
const ESCAPED_BYTES_MAX = 6;
const HEX = Uint8Array.from(Buffer.from('0123456789abcdef'));
/** For each control character, the letter of its short escape; 0 = it is written as \u00XX. */
const SHORT_ESCAPES = Uint8Array.from({ length: 0x20 }, (_, byte) => {
  return { 8: 0x62, 9: 0x74, 10: 0x6e, 12: 0x66, 13: 0x72 }[byte] ?? 0;
});

/** Writes bytes[from, to) as a JSON string. */
export function putJsonText(out: ByteWriter, bytes: Uint8Array, from: number, to: number): void {
  out.reserve((to - from) * ESCAPED_BYTES_MAX + 2);
  const into = out.bytes;
  let at = out.at;
  into[at++] = QUOTE;
  for (let index = from; index < to; index++) {
    const byte = bytes[index];
    if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) into[at++] = byte;
    else at = putEscape(into, at, byte);
  }
  into[at++] = QUOTE;
  out.at = at;
}

function putEscape(into: Uint8Array, start: number, byte: number): number {
  let at = start;
  into[at++] = BACKSLASH;
  const short = byte >= 0x20 ? byte : SHORT_ESCAPES[byte];
  if (short !== 0) {
    into[at++] = short;
    return at;
  }
  into[at++] = 0x75;
  into[at++] = HEX[0];
  into[at++] = HEX[0];
  into[at++] = HEX[byte >> 4];
  into[at++] = HEX[byte & 15];
  return at;
}

/** Writes bytes[from, to) as a CSV field, quoted where the format requires it or the field is empty; `always` = quoted. */
export function putCsvText(
  out: ByteWriter,
  bytes: Uint8Array,
  from: number,
  to: number,
  always: boolean,
): void {
  out.reserve((to - from) * 2 + 2);
  const into = out.bytes;
  let at = out.at;
  if (!always && from < to && isPlain(bytes, from, to)) {
    for (let index = from; index < to; index++) into[at++] = bytes[index];
    out.at = at;
    return;
  }
  into[at++] = QUOTE;
  for (let index = from; index < to; index++) {
    const byte = bytes[index];
    if (byte === QUOTE) into[at++] = QUOTE;
    into[at++] = byte;
  }
  into[at++] = QUOTE;
  out.at = at;
}

function isPlain(bytes: Uint8Array, from: number, to: number): boolean {
  for (let index = from; index < to; index++) {
    const byte = bytes[index];
    if (byte === QUOTE || byte === COMMA || byte === LINE_FEED || byte === CARRIAGE_RETURN) return false;
  }
  return true;
}

/** Writes bytes[from, to) unchanged. */
export function putBytes(out: ByteWriter, bytes: Uint8Array, from: number, to: number): void {
  const count = to - from;
  out.reserve(count);
  if (count > 64) out.bytes.set(bytes.subarray(from, to), out.at);
  else for (let index = 0; index < count; index++) out.bytes[out.at + index] = bytes[from + index];
  out.at += count;
}
