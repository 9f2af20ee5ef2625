/**
 * Reading the objects of the team's endpoints (databases, keys, users, groups), where all faults of a body share one
 * code.
 * Invariants: faults are collected, so that an answer tells all of them: what was read means nothing until `check`
 * returned. A field that is null counts as absent, as clients write fields that they do not set; an empty text, list
 * or object takes away what was set.
 */
import { checkAll, type ErrorCode, QuarryError, quoted } from '../base/index.js';
import { objectAt } from './fields.js';
import { ExactNumber, isList, isObject, type Json, type JsonObject, kindOf } from './json.js';

/** Where a value stands in a body, and the code of its faults. */
export class Place {
  readonly code: ErrorCode;
  /** In the words of an error message. */
  readonly path: string;

  constructor(code: ErrorCode, path: string) {
    this.code = code;
    this.path = path;
  }

  fault(what: string): QuarryError {
    return new QuarryError(this.code, `${this.path} ${what}`);
  }

  of(key: string | number): Place {
    return new Place(this.code, `${typeof key === 'number' ? `item ${key}` : quoted(key)} of ${this.path}`);
  }
}

/** Makes something of a value; throws `place.fault` when it is not what belongs there. */
export type ReadValue<T> = (value: Json, place: Place) => T;

const FAULTS_MAX = 20;

export class FieldReader {
  readonly #object: JsonObject;
  readonly #place: Place;
  readonly #faults: QuarryError[] = [];

  /** Throws when `json` is no object; fields that `known` does not name are faults. */
  constructor(json: Json | undefined, known: readonly string[], code: ErrorCode, path: string) {
    this.#object = objectAt(json, code, path);
    this.#place = new Place(code, path);
    for (const key of this.#object.keys()) {
      if (!known.includes(key)) this.#collect(new QuarryError(code, `unknown field ${quoted(key)} in ${path}`));
    }
  }

  /** Fields that must be there. */
  need(...names: readonly string[]): void {
    for (const name of names) {
      if (!this.has(name)) this.#collect(this.#place.fault(`lacks ${quoted(name)}`));
    }
  }

  /** What `read` makes of the field; undefined when it is absent or at fault. */
  get<T>(name: string, read: ReadValue<T>): T | undefined {
    const value = this.#object.get(name) ?? null;
    if (value === null) return undefined;
    try {
      return read(value, this.#place.of(name));
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      this.#collect(error, ...error.also);
      return undefined;
    }
  }

  has(name: string): boolean {
    return (this.#object.get(name) ?? null) !== null;
  }

  /** Throws the first fault with the others beside it. */
  check(): void {
    checkAll(this.#faults, (fault) => {
      throw fault;
    });
  }

  #collect(...faults: readonly QuarryError[]): void {
    const room = FAULTS_MAX - this.#faults.length;
    this.#faults.push(...faults.slice(0, room).map(({ code, message }) => new QuarryError(code, message)));
  }
}

/** Whatever needs no more than to be text. */
export function readText(value: Json, place: Place): string {
  if (typeof value === 'string') return value;
  throw place.fault(`must be a string, not ${kindOf(value)}`);
}

/** A text of at most `pointsMax` code points, which may be empty. */
export function textUpTo(pointsMax: number): ReadValue<string> {
  return (value, place) => {
    const text = readText(value, place);
    if (text.length > pointsMax && pointCount(text) > pointsMax) {
      throw place.fault(`is longer than ${pointsMax} characters`);
    }
    return text;
  };
}

export function pointCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Line breaks and controls, and the marks that turn what follows them around. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** A text of 1 to `pointsMax` printable characters, not all of them blank. */
export function nameUpTo(pointsMax: number): ReadValue<string> {
  const readUpTo = textUpTo(pointsMax);
  return (value, place) => {
    const name = readUpTo(value, place);
    if (name.trim() === '') throw place.fault('is empty');
    if (UNPRINTABLE.test(name)) throw place.fault('has characters that cannot be printed');
    return name;
  };
}

export function oneOf<T extends string>(known: readonly T[]): ReadValue<T> {
  return (value, place) => {
    const found = known.find((one) => one === value);
    if (found !== undefined) return found;
    const given = typeof value === 'string' ? quoted(value) : kindOf(value);
    throw place.fault(`must be ${known.map((one) => `"${one}"`).join(', ')}, not ${given}`);
  };
}

/** A list without repeats: items that were given more than once stand there once. */
export function listOf<T>(countMax: number, read: ReadValue<T>): ReadValue<readonly T[]> {
  return (value, place) => {
    if (!isList(value)) throw place.fault(`must be a list, not ${kindOf(value)}`);
    if (value.length > countMax) throw place.fault(`has ${value.length} items; at most ${countMax}`);
    return [...new Set(checkAll(value, (item, index) => read(item, place.of(index))))];
  };
}

/** What `read` makes of each field of an object, in their order. */
export function fieldsOf<T>(
  countMax: number,
  read: (key: string, value: Json, place: Place) => T,
): ReadValue<readonly T[]> {
  return (value, place) => {
    if (!isObject(value)) throw place.fault(`must be an object, not ${kindOf(value)}`);
    if (value.size > countMax) throw place.fault(`has ${value.size} fields; at most ${countMax}`);
    return checkAll([...value], ([key, field]) => read(key, field, place.of(key)));
  };
}

/** A whole number without a sign, and without fraction or exponent. */
export function readCount(value: Json, place: Place): number {
  const count = value instanceof ExactNumber && /^\d+$/.test(value.text) ? Number(value.text) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw place.fault(`must be a whole number, not ${value instanceof ExactNumber ? value.text : kindOf(value)}`);
}

/** Names of keys and groups, and labels. */
export const readName = nameUpTo(64);
export const readDescription = textUpTo(1_000);
export const readLabels = listOf(100, readName);
