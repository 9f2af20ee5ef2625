/**
 * JSON bodies, read without losing anything: every number keeps its text, objects keep any key as plain data.
 * Invariants: what is refused here is refused with 1503 and a message that says where; strings hold no lone
 * surrogate; no object holds a key twice with different values; nesting is bounded, so nobody who walks the
 * result can overflow the stack.
 */
import { parse } from 'lossless-json';
import { QuarryError, quoted, TEXT_POINTS_MAX } from '../base/index.js';

/** A number as it stood in the body; `text` follows JSON's grammar of numbers. */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An object's fields; a Map, so that `__proto__` and `constructor` are keys like any other. */
export type JsonObject = ReadonlyMap<string, Json>;
export type Json = null | boolean | string | ExactNumber | readonly Json[] | JsonObject;

/** Lists and objects inside one another, in any body. */
const JSON_NESTING_MAX = 512;

export function isList(json: Json | undefined): json is readonly Json[] {
  return Array.isArray(json);
}

export function isObject(json: Json | undefined): json is JsonObject {
  return json instanceof Map;
}

/** What a value is, in the words of an error message. */
export function kindOf(json: Json | undefined): string {
  if (json === undefined) return 'nothing';
  if (json === null) return 'null';
  if (json instanceof ExactNumber) return 'a number';
  if (isList(json)) return 'a list';
  if (isObject(json)) return 'an object';
  return typeof json === 'string' ? 'a string' : 'a boolean';
}

/** Reads a whole body. Throws QuarryError 1503 for everything that is not one well-formed JSON text in UTF-8. */
export function parseJson(bytes: Uint8Array): Json {
  if (bytes.length === 0) throw syntaxFault('the body is empty');
  const text = decodeUtf8(bytes);
  checkNesting(text);
  let tree: unknown;
  try {
    tree = parse(text, null, { parseNumber, onDuplicateKey: ({ key }) => refuseRepeatedKey(key) });
  } catch (error) {
    if (error instanceof SyntaxError) throw syntaxFault(error.message);
    throw error;
  }
  return toJson(tree);
}

function syntaxFault(detail: string): QuarryError {
  return new QuarryError(1503, `invalid JSON syntax: ${detail}`);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw syntaxFault('the body is not valid UTF-8');
  }
}

/** Refuses deep nesting before the recursive parser meets it. */
function checkNesting(text: string): void {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (inString) {
      if (unit === 0x5c) index++;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > JSON_NESTING_MAX)
        throw syntaxFault(`nested deeper than ${JSON_NESTING_MAX} at position ${index}`);
    } else if (unit === 0x5d || unit === 0x7d) depth--;
  }
}

function parseNumber(text: string): ExactNumber {
  if (text.length > TEXT_POINTS_MAX) throw syntaxFault(`a number longer than ${TEXT_POINTS_MAX} characters`);
  return new ExactNumber(text);
}

function refuseRepeatedKey(key: string): never {
  throw syntaxFault(`key ${quoted(key)} stands twice in one object`);
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function checkText(text: string): string {
  if (LONE_SURROGATE.test(text)) throw syntaxFault(`a string holds a lone surrogate: ${quoted(text)}`);
  return text;
}

/** The parser's tree with Maps for objects, every string checked. */
function toJson(value: unknown): Json {
  if (typeof value === 'string') return checkText(value);
  if (typeof value === 'boolean' || value === null || value instanceof ExactNumber) return value;
  if (Array.isArray(value)) return value.map(toJson);
  return new Map(Object.entries(value as object).map(([key, item]) => [checkText(key), toJson(item)]));
}
