/**
 * Functions that are defined row by row: they take texts, numbers and booleans, and return one of these or NULL. Numbers of exact
 * types are read as doubles, so the binder passes only integers, dates and datetimes as exact arguments.
 */
import type { Vector } from '../../vector/index.js';
import { Texts } from '../../vector/index.js';
import { expressionError, TEXT_CHARS_MAX, tooLongText, tooMuchText, VECTOR_CHARS_MAX } from '../error.js';
import { isValid, writableValid } from '../validity.js';
import { allValid, counts, texts } from './read-rows.js';

export type RowValue = string | number | boolean | null;

/** Stops the evaluation of a vector that takes too long. */
export class Deadline {
  #endMs = 0;

  begin(): void {
    this.#endMs = performance.now() + VECTOR_MS_MAX;
  }

  /** Throws 6000 after the time limit. */
  check(): void {
    if (performance.now() <= this.#endMs) return;
    throw expressionError(
      `a function took more than ${VECTOR_MS_MAX / 1000} seconds for the texts of one vector; use a simpler regular expression`,
    );
  }
}

const VECTOR_MS_MAX = 5_000;

export interface RowFunction {
  readonly result: 'text' | 'integer' | 'float' | 'boolean';
  /** Whether the result is missing if any argument is. Otherwise missing arguments are null. */
  readonly strict: boolean;
  /** Whether the function takes all arguments as one array, which is reused for the next row. */
  readonly variadic: boolean;
  /** Returns the function for one call in a query; it may remember what it prepared from constant arguments. */
  make(deadline: Deadline): (...args: never[]) => RowValue;
}

type Read = (row: number) => RowValue | undefined;

const NONE: Read = () => undefined;

function readerOf(vector: Vector, strict: boolean): Read {
  const read: Read =
    vector.kind === 'text'
      ? texts(vector)
      : vector.kind === 'boolean'
        ? (row) => vector.bits[row] === 1
        : counts(vector);
  const { valid } = vector;
  return strict || valid === null ? read : (row) => (isValid(valid, row) ? read(row) : null);
}

/** Returns the evaluation of a call over vectors. */
export function rowCall(of: RowFunction): (args: readonly Vector[], count: number) => Vector {
  const deadline = new Deadline();
  const call = of.make(deadline) as (...args: readonly unknown[]) => RowValue;
  return (args, count) => {
    deadline.begin();
    const valid = of.strict ? allValid(args, count) : null;
    const readers = args.map((vector) => readerOf(vector, of.strict));
    const make = of.variadic ? calledWithAll(call, readers) : calledWithEach(call, readers);
    return of.result === 'text' ? textRows(make, valid, count) : plainRows(of.result, make, valid, count);
  };
}

function calledWithEach(
  call: (...args: readonly unknown[]) => RowValue,
  readers: readonly Read[],
): (row: number) => RowValue {
  const [a = NONE, b = NONE, c = NONE, d = NONE, e = NONE, f = NONE, g = NONE] = readers;
  switch (readers.length) {
    case 1:
      return (row) => call(a(row));
    case 2:
      return (row) => call(a(row), b(row));
    case 3:
      return (row) => call(a(row), b(row), c(row));
    default:
      return (row) => call(a(row), b(row), c(row), d(row), e(row), f(row), g(row));
  }
}

function calledWithAll(
  call: (...args: readonly unknown[]) => RowValue,
  readers: readonly Read[],
): (row: number) => RowValue {
  const values = new Array<RowValue | undefined>(readers.length);
  return (row) => {
    for (let index = 0; index < readers.length; index++) values[index] = readers[index](row);
    return call(values);
  };
}

/** The rows that are valid by their arguments, without those whose result is missing. */
class ResultValidity {
  readonly #ofArguments: Uint8Array | null;
  readonly #count: number;
  /** A copy, made for the first missing result. */
  #own: Uint8Array | null = null;

  constructor(ofArguments: Uint8Array | null, count: number) {
    this.#ofArguments = ofArguments;
    this.#count = count;
  }

  markMissing(row: number): void {
    this.#own ??= writableValid(this.#ofArguments, this.#count);
    this.#own[row] = 0;
  }

  get valid(): Uint8Array | null {
    return this.#own ?? this.#ofArguments;
  }
}

function textRows(make: (row: number) => RowValue, argumentsValid: Uint8Array | null, count: number): Vector {
  const strings = new Array<string>(count).fill('');
  const validity = new ResultValidity(argumentsValid, count);
  let chars = 0;
  for (let row = 0; row < count; row++) {
    if (!isValid(argumentsValid, row)) continue;
    const text = make(row);
    if (text === null) {
      validity.markMissing(row);
      continue;
    }
    const made = text as string;
    if (made.length > TEXT_CHARS_MAX) throw tooLongText();
    chars += made.length;
    if (chars > VECTOR_CHARS_MAX) throw tooMuchText();
    strings[row] = made;
  }
  return { kind: 'text', count, valid: validity.valid, codes: null, texts: Texts.ofStrings(strings) };
}

function plainRows(
  kind: Exclude<RowFunction['result'], 'text'>,
  make: (row: number) => RowValue,
  argumentsValid: Uint8Array | null,
  count: number,
): Vector {
  const numbers = kind === 'boolean' ? new Uint8Array(count) : new Float64Array(count);
  const validity = new ResultValidity(argumentsValid, count);
  for (let row = 0; row < count; row++) {
    if (!isValid(argumentsValid, row)) continue;
    const value = make(row);
    if (value === null) validity.markMissing(row);
    else numbers[row] = Number(value);
  }
  const { valid } = validity;
  if (numbers instanceof Uint8Array) return { kind: 'boolean', count, valid, bits: numbers };
  return kind === 'float'
    ? { kind: 'float', count, valid, numbers }
    : { kind: 'exact', count, valid, numbers, wide: null };
}
