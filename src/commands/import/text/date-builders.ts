/** Booleans, dates and times of texts. */
import { Bool, DateDay, TimestampSecond } from 'apache-arrow';
import {
  daysFromCivil,
  daysInMonth,
  parseDate,
  parseInstant,
  SECONDS_PER_DAY,
} from '../../../schema/index.js';
import type { ValueWriter } from '../mapping/values.js';
import { bitsOf, ColumnBuilder, isText, plainData } from './column-builder.js';

const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;
const POINT = 0x2e;
const DATE_CHARS = 10;
const TIME_CHARS = 19;

export class BooleanBuilder extends ColumnBuilder {
  readonly #values: Uint8Array;

  constructor(rowsMax: number, write: ValueWriter, nulls: ReadonlySet<string>) {
    super(rowsMax, write, nulls);
    this.#values = new Uint8Array(rowsMax);
  }

  protected parse(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    const isTrue = isText(TRUE, bytes, from, to);
    if (!isTrue && !isText(FALSE, bytes, from, to)) return false;
    this.#values[row] = isTrue ? 1 : 0;
    return true;
  }

  protected override parseNumber(): boolean {
    return false;
  }

  protected parseJson(row: number, json: string): boolean {
    this.#values[row] = json === 'true' ? 1 : 0;
    return true;
  }

  protected data(length: number, nullCount: number, bits: Uint8Array | undefined) {
    return plainData(new Bool(), [length, nullCount, bits], bitsOf(this.#values, length));
  }
}

const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');

/** Two digits; negative or NaN if these are none. */
function pair(bytes: Uint8Array, at: number): number {
  const high = bytes[at] - ZERO;
  const low = bytes[at + 1] - ZERO;
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? high * 10 + low : -1;
}

/** Days since 1970 of YYYY-MM-DD; NaN = it is no such date. */
class DayParser {
  /** The last date: its month, and the day before the first one. */
  #year = -1;
  #month = -1;
  #before = 0;
  #length = 0;

  parse(bytes: Uint8Array, at: number): number {
    const century = pair(bytes, at);
    const year = pair(bytes, at + 2);
    const month = pair(bytes, at + 5);
    const day = pair(bytes, at + 8);
    if (bytes[at + 4] !== DASH || bytes[at + 7] !== DASH || century < 0 || year < 0) return Number.NaN;
    if (month < 1 || month > 12 || day < 1) return Number.NaN;
    const full = century * 100 + year;
    if (full !== this.#year || month !== this.#month) {
      this.#year = full;
      this.#month = month;
      this.#before = daysFromCivil(full, month, 1) - 1;
      this.#length = daysInMonth(full, month);
    }
    return day > this.#length ? Number.NaN : this.#before + day;
  }
}

export class DateBuilder extends ColumnBuilder {
  readonly #isPlain: boolean;
  readonly #days: Int32Array;
  readonly #parser = new DayParser();

  /** `isPlain`: no format is tried before ISO 8601. */
  constructor(rowsMax: number, write: ValueWriter, nulls: ReadonlySet<string>, isPlain: boolean) {
    super(rowsMax, write, nulls);
    this.#isPlain = isPlain;
    this.#days = new Int32Array(rowsMax);
  }

  protected parse(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    if (!this.#isPlain || to - from !== DATE_CHARS) return false;
    const days = this.#parser.parse(bytes, from);
    this.#days[row] = days;
    return !Number.isNaN(days);
  }

  protected override parseNumber(): boolean {
    return false;
  }

  protected parseJson(row: number, json: string): boolean {
    const days = parseDate(json.slice(1, -1));
    this.#days[row] = days ?? 0;
    return days !== null;
  }

  protected data(length: number, nullCount: number, bits: Uint8Array | undefined) {
    return plainData(new DateDay(), [length, nullCount, bits], this.#days.subarray(0, length));
  }
}

export class TimeBuilder extends ColumnBuilder {
  readonly #isPlain: boolean;
  readonly #seconds: BigInt64Array;
  readonly #words: Int32Array;
  readonly #parser = new DayParser();

  /** `isPlain`: no format is tried before ISO 8601. */
  constructor(rowsMax: number, write: ValueWriter, nulls: ReadonlySet<string>, isPlain: boolean) {
    super(rowsMax, write, nulls);
    this.#isPlain = isPlain;
    this.#seconds = new BigInt64Array(rowsMax);
    this.#words = new Int32Array(this.#seconds.buffer);
  }

  protected parse(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    if (!this.#isPlain || to - from < DATE_CHARS) return false;
    const days = this.#parser.parse(bytes, from);
    const seconds = to - from === DATE_CHARS ? 0 : secondsOfTime(bytes, from + DATE_CHARS, to);
    if (Number.isNaN(days) || seconds < 0) return false;
    this.#set(row, days * SECONDS_PER_DAY + seconds);
    return true;
  }

  protected override parseNumber(): boolean {
    return false;
  }

  protected parseJson(row: number, json: string): boolean {
    const seconds = parseInstant(json.slice(1, -1));
    if (seconds !== null) this.#set(row, seconds);
    return seconds !== null;
  }

  #set(row: number, seconds: number): void {
    this.#words[row * 2] = seconds | 0;
    this.#words[row * 2 + 1] = Math.floor(seconds / 2 ** 32);
  }

  protected data(length: number, nullCount: number, bits: Uint8Array | undefined) {
    return plainData(new TimestampSecond(), [length, nullCount, bits], this.#seconds.subarray(0, length));
  }
}

/** The seconds of "Thh:mm:ss", with a fraction that is dropped and Z or no zone; -1 = it is no such time. */
function secondsOfTime(bytes: Uint8Array, from: number, to: number): number {
  const size = TIME_CHARS - DATE_CHARS;
  if (to - from < size || (bytes[from] !== 0x54 && bytes[from] !== 0x20)) return -1;
  const hour = pair(bytes, from + 1);
  const minute = pair(bytes, from + 4);
  const second = pair(bytes, from + 7);
  if (bytes[from + 3] !== COLON || bytes[from + 6] !== COLON) return -1;
  if (hour < 0 || minute < 0 || second < 0 || hour > 23 || minute > 59 || second > 59) return -1;
  let at = from + size;
  if (at < to && bytes[at] === POINT) {
    const first = ++at;
    while (at < to && bytes[at] >= ZERO && bytes[at] <= 0x39) at++;
    if (at === first) return -1;
  }
  if (at < to && bytes[at] === 0x5a) at++;
  return at === to ? hour * 3_600 + minute * 60 + second : -1;
}
