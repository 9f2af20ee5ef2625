/**
 * Reads JSON bodies without loss: every number keeps its text, and objects accept any key as plain data. JSON.parse
 * would round numbers and drop repeated keys.
 * Invariants: syntax errors have the code 1503 and a message with the position; strings contain no lone surrogate; no
 * object contains a key twice; nesting is limited, so neither this reader nor a recursive walk of its result can overflow
 * the stack. Time and memory grow with the number of values: more than JSON_NODES_MAX values and keys are refused with 1507.
 */
import { QuarryError, quoted, TEXT_POINTS_MAX } from '../../base/index.js';

/** A number as it was written in the body; `text` follows the grammar of JSON numbers. */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The fields of an object in order; a Map, so that `__proto__` and `constructor` are ordinary keys. */
export type JsonObject = ReadonlyMap<string, Json>;
export type Json = null | boolean | string | ExactNumber | readonly Json[] | JsonObject;

/** Maximum nesting of lists and objects in any body. */
const JSON_NESTING_MAX = 512;

/**
 * Maximum number of values and keys in a body. The largest request that no other limit refuses has 10 queries of
 * 250 conditions with lists of 100 values: 250,000 values, and about 6 more values and keys around each list.
 */
export const JSON_NODES_MAX = 300_000;

export function isList(json: Json | undefined): json is readonly Json[] {
  return Array.isArray(json);
}

export function isObject(json: Json | undefined): json is JsonObject {
  return json instanceof Map;
}

/** The kind of a value as error messages name it. */
export function kindOf(json: Json | undefined): string {
  if (json === undefined) return 'nothing';
  if (json === null) return 'null';
  if (json instanceof ExactNumber) return 'a number';
  if (isList(json)) return 'a list';
  if (isObject(json)) return 'an object';
  return typeof json === 'string' ? 'a string' : 'a boolean';
}

/** Reads a whole body. Throws QuarryError 1503 for everything that is not one well-formed JSON text in UTF-8, 1507 for
 *  more than JSON_NODES_MAX values and keys. */
export function parseJson(bytes: Uint8Array): Json {
  if (bytes.length === 0) throw syntaxError('the body is empty');
  return new JsonReader(decodeUtf8(bytes)).readWhole();
}

function syntaxError(detail: string): QuarryError {
  return new QuarryError(1503, `invalid JSON syntax: ${detail}`);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw syntaxError('the body is not valid UTF-8');
  }
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const LONE_SURROGATE = /\p{Surrogate}/u;

class JsonReader {
  readonly #text: string;
  readonly #number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  #at = 0;
  #nodeCount = 0;

  /** `text` is well-formed Unicode because it was decoded from UTF-8; only escapes can produce lone surrogates. */
  constructor(text: string) {
    this.#text = text;
  }

  readWhole(): Json {
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#unexpected('the end');
    return value;
  }

  #unexpected(expected: string): QuarryError {
    const point = this.#text.codePointAt(this.#at);
    const found = point === undefined ? 'the end' : quoted(String.fromCodePoint(point));
    return syntaxError(`${found} at position ${this.#at} where ${expected} is expected`);
  }

  #skipSpace(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at++;
    }
  }

  /** Skips white space, then consumes `unit` if it comes next. */
  #take(unit: number): boolean {
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at) !== unit) return false;
    this.#at++;
    return true;
  }

  #countNode(): void {
    if (++this.#nodeCount <= JSON_NODES_MAX) return;
    throw new QuarryError(1507, `the body has more than ${JSON_NODES_MAX} values and keys`);
  }

  #value(depth: number): Json {
    this.#countNode();
    this.#skipSpace();
    switch (this.#text.charCodeAt(this.#at)) {
      case QUOTE:
        return this.#string();
      case OPEN_OBJECT:
        return this.#object(this.#deeper(depth));
      case OPEN_LIST:
        return this.#list(this.#deeper(depth));
      case 0x74:
        return this.#word('true', true);
      case 0x66:
        return this.#word('false', false);
      case 0x6e:
        return this.#word('null', null);
      default:
        return this.#exactNumber();
    }
  }

  #deeper(depth: number): number {
    if (depth < JSON_NESTING_MAX) return depth + 1;
    throw syntaxError(`nested deeper than ${JSON_NESTING_MAX} at position ${this.#at}`);
  }

  #word(text: string, value: Json): Json {
    if (!this.#text.startsWith(text, this.#at)) throw this.#unexpected('a value');
    this.#at += text.length;
    return value;
  }

  #exactNumber(): ExactNumber {
    this.#number.lastIndex = this.#at;
    const text = this.#number.exec(this.#text)?.[0];
    if (text === undefined) throw this.#unexpected('a value');
    if (text.length > TEXT_POINTS_MAX)
      throw syntaxError(`a number longer than ${TEXT_POINTS_MAX} characters`);
    this.#at += text.length;
    return new ExactNumber(text);
  }

  #string(): string {
    const text = this.#text;
    const from = this.#at;
    let escaped = false;
    for (let at = from + 1; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === QUOTE) {
        this.#at = at + 1;
        return escaped ? unescaped(text.slice(from, at + 1), from) : text.slice(from + 1, at);
      }
      if (unit === BACKSLASH) {
        escaped = true;
        at++;
      } else if (unit < 0x20) throw syntaxError(`a control character at position ${at} in a string`);
    }
    throw syntaxError(`the string at position ${from} does not end`);
  }

  #list(depth: number): readonly Json[] {
    this.#at++;
    const items: Json[] = [];
    if (this.#take(CLOSE_LIST)) return items;
    do items.push(this.#value(depth));
    while (this.#take(COMMA));
    if (!this.#take(CLOSE_LIST)) throw this.#unexpected('"," or "]"');
    return items;
  }

  #object(depth: number): JsonObject {
    this.#at++;
    const fields = new Map<string, Json>();
    if (this.#take(CLOSE_OBJECT)) return fields;
    do {
      this.#skipSpace();
      if (this.#text.charCodeAt(this.#at) !== QUOTE) throw this.#unexpected('a key');
      this.#countNode();
      const key = this.#string();
      if (fields.has(key)) throw syntaxError(`key ${quoted(key)} is repeated in one object`);
      if (!this.#take(COLON)) throw this.#unexpected('":"');
      fields.set(key, this.#value(depth));
    } while (this.#take(COMMA));
    if (!this.#take(CLOSE_OBJECT)) throw this.#unexpected('"," or "}"');
    return fields;
  }
}

/** The value of a string literal that contains escapes. */
function unescaped(literal: string, position: number): string {
  let value: string;
  try {
    value = JSON.parse(literal);
  } catch {
    throw syntaxError(`the string at position ${position} contains an invalid escape`);
  }
  if (LONE_SURROGATE.test(value))
    throw syntaxError(`the string at position ${position} contains a lone surrogate`);
  return value;
}

/** The JSON text of a value, without white space; numbers keep their text. `parseJson` reads the same value from it. */
export function writeJson(json: Json): string {
  if (json instanceof ExactNumber) return json.text;
  if (isList(json)) return `[${json.map(writeJson).join()}]`;
  if (!isObject(json)) return JSON.stringify(json);
  return `{${Array.from(json, ([key, value]) => `${JSON.stringify(key)}:${writeJson(value)}`).join()}}`;
}

/** Like `writeJson`, with the keys of every object sorted: texts with the same content give the same text, except for numbers. */
export function sortedJson(json: Json): string {
  return writeJson(withSortedKeys(json));
}

function withSortedKeys(json: Json): Json {
  if (isList(json)) return json.map(withSortedKeys);
  if (!isObject(json)) return json;
  const entries = [...json].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(entries.map(([key, value]) => [key, withSortedKeys(value)]));
}
