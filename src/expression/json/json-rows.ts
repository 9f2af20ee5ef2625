/** Functions of JSON that are evaluated row by row. */
import { rememberLast } from '../../base/index.js';
import type { ScalarFunction } from '../../ir/index.js';
import { type JsonStep, jsonArrayLength, jsonAt, readJsonPath } from '../../schema/index.js';
import { expressionError, quoted } from '../error.js';
import type { RowFunction } from '../functions/row-function.js';

function makeExtract(
  convert: (value: string) => string | null,
): () => (json: string, path: string) => string | null {
  return () => {
    const stepsOf = rememberLast(pathSteps);
    return (json, path) => {
      const value = jsonAt(json, stepsOf(path));
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

const STRICT = { strict: true, variadic: false } as const;

export const JSON_ROW_FUNCTIONS: Partial<Readonly<Record<ScalarFunction, RowFunction>>> = {
  'json-length': { ...STRICT, result: 'integer', make: () => jsonArrayLength },
  'json-extract': { ...STRICT, result: 'text', make: makeExtract((value) => value) },
  'json-extract-text': { ...STRICT, result: 'text', make: makeExtract(textOfJson) },
};
