/** Functions of JSON that are evaluated row by row. */
import { rememberLast } from '../../base/index.js';
import type { ScalarFunction } from '../../ir/index.js';
import {
  type JsonStep,
  jsonArrayLength,
  jsonAt,
  jsonAtKeys,
  jsonItems,
  jsonTypeOf,
  readJsonPath,
} from '../../schema/index.js';
import { expressionError, quoted } from '../error.js';
import type { RowFunction } from '../functions/row-function.js';

/** A text that is an index of an array or a key of an object. */
const IS_INDEX = /^-?\d{1,9}$/;

function makeExtract(
  convert: (value: string) => string | null,
): () => (json: string, path: string) => string | null {
  return () => {
    const stepsOf = rememberLast(pathSteps);
    return (json, path) => {
      const value = IS_INDEX.test(path) ? jsonAtKeys(json, [path]) : jsonAt(json, stepsOf(path));
      return value === null ? null : convert(value);
    };
  };
}

function pathSteps(path: string): readonly JsonStep[] {
  const steps = readJsonPath(path);
  if (steps === null) throw expressionError(`${quoted(path)} is not a path; write $.key, $[0] or a key`);
  return steps;
}

/** A string without quotes, other values as JSON; missing for null. */
function textOfJson(value: string): string | null {
  if (value === 'null') return null;
  return value.startsWith('"') ? (JSON.parse(value) as string) : value;
}

/** `convert`: the result for an item. */
function makeItem(convert: (item: string) => string | null) {
  return (): ((list: string, position: number) => string | null) => {
    const itemsOf = rememberLast(jsonItems);
    return (list, position) => {
      const item = itemsOf(list)?.at(position > 0 ? position - 1 : position);
      return item === undefined || position === 0 ? null : convert(item);
    };
  };
}

function textAtKeys([json, ...keys]: readonly string[]): string | null {
  const value = jsonAtKeys(json, keys);
  return value === null ? null : textOfJson(value);
}

const makeText = () => (list: string, separator: string, ofNull?: string) => {
  const texts = jsonItems(list)?.map((item) => textOfJson(item) ?? ofNull ?? null);
  return texts?.filter((text) => text !== null).join(separator) ?? null;
};

/** As in PostgreSQL, an empty text has no parts, and an empty separator leaves the text whole. */
const makeList = () => (text: string | null, separator: string | null, ofNull: string | null) => {
  if (text === null) return null;
  const parts = separator === null ? [...text] : separator === '' ? [text] : text.split(separator);
  const items = text === '' ? [] : parts;
  return `[${items.map((part) => (part === ofNull ? 'null' : JSON.stringify(part))).join(',')}]`;
};

const STRICT = { strict: true, variadic: false } as const;

export const JSON_ROW_FUNCTIONS: Partial<Readonly<Record<ScalarFunction, RowFunction>>> = {
  'json-length': { ...STRICT, result: 'integer', make: () => jsonArrayLength },
  'list-item': { ...STRICT, result: 'text', make: makeItem(textOfJson) },
  'list-json': { ...STRICT, result: 'text', make: makeItem((item) => (item === 'null' ? null : item)) },
  'list-text': { ...STRICT, result: 'text', make: makeText },
  'text-list': { strict: false, variadic: false, result: 'text', make: makeList },
  'json-extract': { ...STRICT, result: 'text', make: makeExtract((value) => value) },
  'json-extract-text': { ...STRICT, result: 'text', make: makeExtract(textOfJson) },
  'json-path-text': { strict: true, variadic: true, result: 'text', make: () => textAtKeys },
  'json-type': { ...STRICT, result: 'text', make: () => jsonTypeOf },
};
