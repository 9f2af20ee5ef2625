/**
 * Reading JSON by kind, numbers exactly, and text as the interface compares it. A value of another kind throws a plain
 * Error.
 */
import { ExactNumber, type Json, type JsonObject } from '../../../src/api/index.js';

/** A number as numerator / denominator, compared exactly. The denominator is a power of ten. */
export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

export function asObject(json: Json | undefined): JsonObject {
  if (json instanceof Map) return json;
  throw new Error('an object was expected');
}

export function asList(json: Json | undefined): readonly Json[] {
  if (Array.isArray(json)) return json;
  throw new Error('a list was expected');
}

export function asText(json: unknown): string {
  if (typeof json === 'string') return json;
  throw new Error('a string was expected');
}

export function asNumber(json: Json | undefined): ExactNumber {
  if (json instanceof ExactNumber) return json;
  throw new Error('a number was expected');
}

export function asCount(json: Json | undefined): number {
  return Number(asNumber(json).text);
}

export function fraction(text: string): Fraction {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) throw new Error(`not a number: ${text}`);
  const places = (match[3] ?? '').length - Number(match[4] ?? 0);
  const digits = BigInt(match[1] + match[2] + (match[3] ?? ''));
  return places >= 0
    ? { over: digits, under: 10n ** BigInt(places) }
    : { over: digits * 10n ** BigInt(-places), under: 1n };
}

export function compareFractions(one: Fraction, other: Fraction): number {
  const difference = one.over * other.under - other.over * one.under;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Lower-cases each code point separately. The first code point is used for the only mapping to two. */
export function lower(text: string): string {
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  return Array.from(text, (point) => (point === '\u0130' ? 'i' : point.toLowerCase())).join('');
}

/** Compares by code points, returning a number below 0, 0 or above 0; surrogate pairs sort above all single code units. */
export function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return one.length - other.length;
}

const rankOf = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);
