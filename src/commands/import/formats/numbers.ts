/** Converts numbers of binary formats without loss of digits. */
import { formatDecimal } from '../../../schema/index.js';

/** Maximum number of digits that identify a 32-bit floating-point number. */
const FLOAT32_DIGITS_MAX = 9;

/** The double with the fewest digits that rounds to the 32-bit number `value`. */
export function shortestFloat32(value: number): number {
  for (let digits = 6; digits < FLOAT32_DIGITS_MAX; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

/** The text of a scaled integer of any width; a negative scale appends zeros. */
export const decimalText = (scaled: bigint, scale: number): string =>
  scale < 0 ? String(scaled * 10n ** BigInt(-scale)) : formatDecimal(scaled, scale);

/** Reads a big-endian two's complement integer. */
export function bigEndianInteger(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(bytes.length * 8, value);
}

/** Reads a two's complement integer of 32-bit words, least significant word first. */
export function integerOfUint32(words: Uint32Array): bigint {
  let value = 0n;
  for (let index = words.length - 1; index >= 0; index--) value = (value << 32n) | BigInt(words[index]);
  return BigInt.asIntN(words.length * 32, value);
}
