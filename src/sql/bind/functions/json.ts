/** Functions of lists and other JSON. */
import { type Expression, INTEGER, TEXT } from '../../../ir/index.js';
import { readJsonPath } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import { asText } from '../expressions/arithmetic.js';
import { callOf, castOf, constantOf, isTextConstant, JSON_TYPE } from '../expressions/build.js';
import { typeName } from '../expressions/types.js';
import type { CallSite, SqlFunction } from './function.js';

type Make = SqlFunction['make'];

/** The path as a text: a key, an index, or a path that begins with $. */
function pathOf(path: Expression, { position }: CallSite): Expression {
  if (path.type.type !== 'text' && path.type.type !== 'integer') {
    throw sqlError(
      `a path is a text such as '$.key' or '$[0]', or an index, not ${typeName(path.type)}`,
      position,
    );
  }
  const text =
    path.op === 'constant' && path.value !== null ? constantOf(TEXT, String(path.value)) : asText(path);
  if (isTextConstant(text) && readJsonPath(text.value) === null) {
    throw sqlError(`${JSON.stringify(text.value)} is not a path; write $.key, $[0] or a key`, position);
  }
  return text;
}

/** The JSON value at a path. */
const extracted: Make = ([json, path], site) =>
  castOf(callOf('json-extract', TEXT, [json, pathOf(path, site)]), JSON_TYPE);

const extractedText: Make = ([json, path], site) =>
  callOf('json-extract-text', TEXT, [json, pathOf(path, site)]);

const item = (value: Expression): Expression => callOf('json-item', TEXT, [value]);

const literal = (text: string): Expression => constantOf(TEXT, text);

const asJson = (parts: readonly Expression[]): Expression =>
  castOf(callOf('concat-strict', TEXT, parts), JSON_TYPE);

const built: Make = (values) =>
  asJson([
    literal('['),
    ...values.flatMap((value, index) => (index === 0 ? [item(value)] : [literal(','), item(value)])),
    literal(']'),
  ]);

/** JSON_BUILD_OBJECT(key, value, ...). A missing key is refused, because the result is not JSON. */
const builtObject: Make = (values, { position }) => {
  if (values.length % 2 !== 0) throw sqlError('JSON_BUILD_OBJECT takes keys and values in turn', position);
  const members = values.flatMap((value, index): Expression[] => {
    if (index % 2 !== 0) return [literal(':'), item(value)];
    const key = item(asText(value));
    return index === 0 ? [key] : [literal(','), key];
  });
  return asJson([literal('{'), ...members, literal('}')]);
};

const toJson: Make = ([value]) => castOf(item(value), JSON_TYPE);

export const JSON_FUNCTIONS: readonly SqlFunction[] = [
  {
    names: ['json_array_length', 'jsonb_array_length', 'array_length', 'cardinality'],
    parameters: ['json'],
    make: (args) => callOf('json-length', INTEGER, args),
  },
  { names: ['json_extract'], parameters: ['json', 'value'], make: extracted },
  { names: ['json_extract_string', 'json_value'], parameters: ['json', 'value'], make: extractedText },
  {
    names: ['json_build_array', 'json_array', 'jsonb_build_array'],
    parameters: [],
    rest: 'value',
    make: built,
  },
  {
    names: ['json_build_object', 'json_object', 'jsonb_build_object'],
    parameters: [],
    rest: 'value',
    make: builtObject,
  },
  { names: ['to_json', 'to_jsonb'], parameters: ['value'], make: toJson },
];
