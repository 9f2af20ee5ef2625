/**
 * Writes numbers, dates and booleans as tokens of an answer. Integers have neither fraction nor exponent; decimals and floats
 * always have one of them, so that readers can distinguish them from integers.
 */
import { daysFromCivil, formatDate, formatDateTime, SECONDS_PER_DAY } from '../schema/index.js';
import type { ByteWriter } from './byte-writer.js';

const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
const BILLION = 1_000_000_000;
/** Numbers from this magnitude on are written with an exponent. */
const EXPONENT_FROM = 1e21;
/** Digits and sign of a safe integer. */
const SAFE_BYTES_MAX = 17;
/** Powers of ten that divide safe integers exactly. */
const POWERS = Float64Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);
/** First day of the years that have four digits. */
const DAYS_MIN = daysFromCivil(0, 1, 1);
const DAYS_MAX = daysFromCivil(10_000, 1, 1) - 1;
/** Shifts the epoch to 0000-03-01 and 400 years further back. */
const DAYS_SHIFT = 719_468 + 146_097;
const TRUE = Uint8Array.from(Buffer.from('true'));
const FALSE = Uint8Array.from(Buffer.from('false'));

/** Writes a safe integer. */
export function putInteger(out: ByteWriter, value: number): void {
  out.reserve(SAFE_BYTES_MAX);
  if (value < 0) out.bytes[out.at++] = MINUS;
  putMagnitude(out, Math.abs(value));
}

/** Writes value x 10^-scale for a safe integer, without trailing zeros but with at least one fractional digit. */
export function putDecimal(out: ByteWriter, value: number, scale: number): void {
  if (scale >= POWERS.length) {
    putWideDecimal(out, BigInt(value), scale);
    return;
  }
  out.reserve(SAFE_BYTES_MAX + 2);
  if (value < 0) out.bytes[out.at++] = MINUS;
  const magnitude = Math.abs(value);
  const power = POWERS[scale];
  let whole = Math.floor(magnitude / power);
  let fraction = magnitude - whole * power;
  if (fraction < 0) {
    // The division rounded up to the next integer.
    whole--;
    fraction += power;
  }
  putMagnitude(out, whole);
  out.bytes[out.at++] = POINT;
  putFraction(out, fraction, scale);
}

/** Writes value x 10^-scale for a safe integer, with `scale` fractional digits. */
export function putScaled(out: ByteWriter, value: number, scale: number): void {
  const begin = out.at;
  if (scale === 0) putInteger(out, value);
  else {
    putDecimal(out, value, scale);
    padFraction(out, begin, scale);
  }
}

export function putWideScaled(out: ByteWriter, value: bigint, scale: number): void {
  const begin = out.at;
  if (scale === 0) putWideInteger(out, value);
  else {
    putWideDecimal(out, value, scale);
    padFraction(out, begin, scale);
  }
}

/** Adds zeros to the decimal that begins at `begin` until its fraction has `scale` digits. */
function padFraction(out: ByteWriter, begin: number, scale: number): void {
  const point = out.bytes.indexOf(POINT, begin);
  const end = point + 1 + scale;
  out.reserve(end - out.at);
  while (out.at < end) out.bytes[out.at++] = ZERO;
}

export function putWideInteger(out: ByteWriter, value: bigint): void {
  out.ascii(String(value));
}

export function putWideDecimal(out: ByteWriter, value: bigint, scale: number): void {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  let end = digits.length;
  while (end > whole.length && digits[end - 1] === '0') end--;
  const fraction = digits.slice(whole.length, end);
  out.ascii(`${value < 0n ? '-' : ''}${whole}.${fraction === '' ? '0' : fraction}`);
}

/**
 * Writes the shortest text that parses to the same double. Fast path: if a multiple of 10^-6 is equal to the double, no other
 * text of at most 15 digits is, so that multiple is the shortest.
 */
export function putFloat(out: ByteWriter, value: number): void {
  if (Math.abs(value) < BILLION) {
    const millionths = Math.round(value * 1_000_000);
    if (millionths / 1_000_000 === value) {
      putDecimal(out, millionths, 6);
      return;
    }
  }
  const text = String(value);
  out.ascii(text);
  if (Number.isInteger(value) && Math.abs(value) < EXPONENT_FROM) out.ascii('.0');
}

export function putBoolean(out: ByteWriter, bit: number): void {
  out.put(bit === 1 ? TRUE : FALSE);
}

/** Writes days since 1970-01-01 as YYYY-MM-DD. */
export function putDate(out: ByteWriter, days: number): void {
  if (days < DAYS_MIN || days > DAYS_MAX) {
    out.ascii(formatDate(days));
    return;
  }
  out.reserve(10);
  // civilFromDays with small integers and without an object; whole eras are added to keep the values positive.
  const shifted = (days + DAYS_SHIFT) | 0;
  const era = (shifted / 146_097) | 0;
  const dayOfEra = shifted - era * 146_097;
  const leaps = ((dayOfEra / 1_460) | 0) - ((dayOfEra / 36_524) | 0) + ((dayOfEra / 146_096) | 0);
  const yearOfEra = ((dayOfEra - leaps) / 365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - ((yearOfEra / 100) | 0));
  const shiftedMonth = ((5 * dayOfYear + 2) / 153) | 0;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + (era - 1) * 400 + (month <= 2 ? 1 : 0);
  const { bytes, at } = out;
  const century = (year / 100) | 0;
  put2(bytes, at, century);
  put2(bytes, at + 2, year - century * 100);
  bytes[at + 4] = MINUS;
  put2(bytes, at + 5, month);
  bytes[at + 7] = MINUS;
  put2(bytes, at + 8, dayOfYear - (((153 * shiftedMonth + 2) / 5) | 0) + 1);
  out.at = at + 10;
}

/** Writes seconds since 1970-01-01T00:00:00Z as YYYY-MM-DDThh:mm:ssZ. */
export function putDateTime(out: ByteWriter, seconds: number): void {
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  if (days < DAYS_MIN || days > DAYS_MAX) {
    out.ascii(formatDateTime(seconds));
    return;
  }
  putDate(out, days);
  out.reserve(10);
  const { bytes, at } = out;
  const rest = (seconds - days * SECONDS_PER_DAY) | 0;
  const minutes = (rest / 60) | 0;
  const hours = (minutes / 60) | 0;
  bytes[at] = 0x54;
  put2(bytes, at + 1, hours);
  bytes[at + 3] = 0x3a;
  put2(bytes, at + 4, minutes - hours * 60);
  bytes[at + 6] = 0x3a;
  put2(bytes, at + 7, rest - minutes * 60);
  bytes[at + 9] = 0x5a;
  out.at = at + 10;
}

function put2(bytes: Uint8Array, at: number, value: number): void {
  const tens = (value / 10) | 0;
  bytes[at] = ZERO + tens;
  bytes[at + 1] = ZERO + value - tens * 10;
}

/** The caller has reserved space. */
function putMagnitude(out: ByteWriter, value: number): void {
  if (value < BILLION) {
    putDigits(out, value, digitCount(value));
    return;
  }
  const high = Math.floor(value / BILLION);
  putDigits(out, high, digitCount(high));
  putDigits(out, value - high * BILLION, 9);
}

/** Writes a fraction of `scale` digits without trailing zeros, or a single zero. */
function putFraction(out: ByteWriter, fraction: number, scale: number): void {
  if (fraction === 0) {
    out.bytes[out.at++] = ZERO;
    return;
  }
  if (scale <= 9) putDigits(out, fraction, scale);
  else {
    const high = Math.floor(fraction / BILLION);
    putDigits(out, high, scale - 9);
    putDigits(out, fraction - high * BILLION, 9);
  }
  const { bytes } = out;
  let { at } = out;
  while (bytes[at - 1] === ZERO) at--;
  out.at = at;
}

/** Writes `count` digits of a value below 10^9. */
function putDigits(out: ByteWriter, value: number, count: number): void {
  const { bytes, at } = out;
  let rest = value | 0;
  for (let index = at + count - 1; index >= at; index--) {
    const next = (rest / 10) | 0;
    bytes[index] = ZERO + rest - next * 10;
    rest = next;
  }
  out.at = at + count;
}

function digitCount(value: number): number {
  if (value < 10) return 1;
  if (value < 100) return 2;
  if (value < 1_000) return 3;
  if (value < 10_000) return 4;
  if (value < 100_000) return 5;
  if (value < 1_000_000) return 6;
  if (value < 10_000_000) return 7;
  return value < 100_000_000 ? 8 : 9;
}
