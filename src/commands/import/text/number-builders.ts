/**
 * Integers of texts, as integers of 64 bits, and decimals of at most 15 digits, as the floats nearest to them: the server stores the
 * shortest decimal that reads back as a float, which is the decimal of the text.
 */
import { Float64, Int64 } from 'apache-arrow';
import { readDecimal } from '../../../schema/index.js';
import type { ValueWriter } from '../mapping/values.js';
import { ColumnBuilder, plainData } from './column-builder.js';
import { NUMBER_DIGITS_MAX } from './row-fields.js';

const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
const HIGH = 2 ** 32;

export class IntegerBuilder extends ColumnBuilder {
  /** Two words per row, the lower one first. */
  readonly #words: Int32Array<ArrayBuffer>;
  readonly #isPlain: boolean;

  /** `isPlain`: texts are digits, without signs between groups of three. */
  constructor(rowsMax: number, write: ValueWriter, nulls: ReadonlySet<string>, isPlain: boolean) {
    super(rowsMax, write, nulls);
    this.#words = new Int32Array(rowsMax * 2);
    this.#isPlain = isPlain;
  }

  protected parse(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    return this.#isPlain && this.parseNumber(row, bytes, from, to);
  }

  protected override parseNumber(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    const isNegative = bytes[from] === MINUS;
    let at = isNegative ? from + 1 : from;
    if (at === to || to - at > NUMBER_DIGITS_MAX) return false;
    let value = 0;
    for (; at < to; at++) {
      const digit = bytes[at] - ZERO;
      if (digit < 0 || digit > 9) return false;
      value = value * 10 + digit;
    }
    if (isNegative) value = -value;
    this.#words[row * 2] = value | 0;
    this.#words[row * 2 + 1] = Math.floor(value / HIGH);
    return true;
  }

  protected parseJson(row: number, json: string): boolean {
    const value = BigInt(json);
    this.#words[row * 2] = Number(BigInt.asIntN(32, value));
    this.#words[row * 2 + 1] = Number(value >> 32n);
    return true;
  }

  protected data(length: number, nullCount: number, bits: Uint8Array | undefined) {
    const { buffer } = this.#words;
    return plainData(new Int64(), [length, nullCount, bits], new BigInt64Array(buffer, 0, length));
  }
}

const POWERS = Array.from({ length: NUMBER_DIGITS_MAX + 1 }, (_, power) => 10 ** power);
/** Below this, a scaled number is far more exact than the distance from a tie that is checked. */
const SCALED_MAX = 2 ** 40;
const TIE_MARGIN = 2 ** -10;
/** Floats between these have 15 digits, whatever their size. */
const SIZE_MIN = 1e-300;
const SIZE_MAX = 1e300;

export class DecimalBuilder extends ColumnBuilder {
  readonly #values: Float64Array;
  readonly #roundedTo: number | null;
  readonly #isPlain: boolean;

  /** Numbers with more than `roundedTo` places are rounded; null = none are. `isPlain` as for integers. */
  constructor(
    rowsMax: number,
    write: ValueWriter,
    nulls: ReadonlySet<string>,
    { roundedTo, isPlain }: { readonly roundedTo: number | null; readonly isPlain: boolean },
  ) {
    super(rowsMax, write, nulls);
    this.#values = new Float64Array(rowsMax);
    this.#roundedTo = roundedTo;
    this.#isPlain = isPlain;
  }

  protected parse(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    return this.#isPlain && this.parseNumber(row, bytes, from, to);
  }

  protected override parseNumber(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    const isNegative = bytes[from] === MINUS;
    const first = isNegative ? from + 1 : from;
    // A point before or after all digits is left to the rules of rows.
    if (
      first === to ||
      to - first > NUMBER_DIGITS_MAX + 1 ||
      bytes[first] === POINT ||
      bytes[to - 1] === POINT
    )
      return false;
    let digits = 0;
    let point = -1;
    for (let at = first; at < to; at++) {
      const digit = bytes[at] - ZERO;
      if (digit >= 0 && digit <= 9) digits = digits * 10 + digit;
      else if (bytes[at] === POINT && point < 0) point = at;
      else return false;
    }
    if (point < 0 && to - first > NUMBER_DIGITS_MAX) return false;
    const scale = point < 0 ? 0 : to - point - 1;
    const value = this.#rounded(digits / POWERS[scale], scale);
    this.#values[row] = isNegative ? 0 - value : value;
    return !Number.isNaN(value);
  }

  /** NaN = the value is too large, or too near the middle between two results. */
  #rounded(value: number, scale: number): number {
    const roundedTo = this.#roundedTo;
    if (roundedTo === null || scale <= roundedTo) return value;
    const scaled = value * POWERS[roundedTo];
    const whole = Math.round(scaled);
    const isClear = whole < SCALED_MAX && Math.abs(Math.abs(scaled - whole) - 0.5) > TIE_MARGIN;
    return isClear ? whole / POWERS[roundedTo] : Number.NaN;
  }

  protected parseJson(row: number, json: string): boolean {
    const { digits = '' } = readDecimal(json) ?? {};
    const value = Number(json);
    const size = Math.abs(value);
    this.#values[row] = value + 0;
    return digits === '' || (digits.length <= NUMBER_DIGITS_MAX && size > SIZE_MIN && size < SIZE_MAX);
  }

  protected data(length: number, nullCount: number, bits: Uint8Array | undefined) {
    return plainData(new Float64(), [length, nullCount, bits], this.#values.subarray(0, length));
  }
}
