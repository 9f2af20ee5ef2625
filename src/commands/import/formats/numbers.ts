/** Numbers of binary formats as the shortest texts that keep all their digits. */
import { formatDecimal } from '../../../schema/index.js';

/** Digits that a 32-bit floating-point number needs at most. */
const FLOAT32_DIGITS_MAX = 9;

/** The double that is written with as few digits as tell `value` from its neighbours of 32 bits. */
export function shortestFloat32(value: number): number {
  for (let digits = 6; digits < FLOAT32_DIGITS_MAX; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

/** Digits of a scaled integer of any width; a scale below 0 appends zeros. */
export const decimalText = (scaled: bigint, scale: number): string =>
  scale < 0 ? String(scaled * 10n ** BigInt(-scale)) : formatDecimal(scaled, scale);

/** Two's complement, the most significant byte first. */
export function bigEndianInteger(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(bytes.length * 8, value);
}

/** Two's complement in 32-bit words, the least significant first. */
export function integerOfWords(words: Uint32Array): bigint {
  let value = 0n;
  for (let index = words.length - 1; index >= 0; index--) value = (value << 32n) | BigInt(words[index]);
  return BigInt.asIntN(words.length * 32, value);
}
