/** Functions of lists and other JSON. */
import { type Expression, INTEGER, TEXT } from '../../../ir/index.js';
import { readJsonPath } from '../../../schema/index.js';
import type { SqlType } from '../../../vector/index.js';
import { sqlError } from '../../sql-error.js';
import { asText } from '../expressions/arithmetic.js';
import {
  callOf,
  caseOf,
  castOf,
  compareOf,
  constantOf,
  integerOf,
  isNull,
  isTextConstant,
  JSON_TYPE,
} from '../expressions/build.js';
import { explicitCast } from '../expressions/cast.js';
import { castTo, commonTypeOf } from '../expressions/coerce.js';
import { sameType, typeName } from '../expressions/types.js';
import type { CallSite, SqlFunction } from './function.js';

type Make = SqlFunction['make'];

/** The path as a text: a key that is also an index of an array, or a path that begins with $. */
function pathOf(path: Expression, { position }: CallSite): Expression {
  if (path.type.type !== 'text' && path.type.type !== 'integer') {
    throw sqlError(
      `a path is a text such as '$.key' or '$[0]', or an index, not ${typeName(path.type)}`,
      position,
    );
  }
  const text = path.type.type === 'integer' ? indexPath(path) : path;
  if (isTextConstant(text) && readJsonPath(text.value) === null) {
    throw sqlError(`${JSON.stringify(text.value)} is not a path; write $.key, $[0] or a key`, position);
  }
  return text;
}

function indexPath(index: Expression): Expression {
  if (isNull(index)) return constantOf(TEXT, null);
  if (index.op === 'constant') return constantOf(TEXT, `$[${index.value}]`);
  return callOf('concat-strict', TEXT, [constantOf(TEXT, '$['), asText(index), constantOf(TEXT, ']')]);
}

/** The JSON value at a path. */
const extracted: Make = ([json, path], site) =>
  castOf(callOf('json-extract', TEXT, [json, pathOf(path, site)]), JSON_TYPE);

const extractedText: Make = ([json, path], site) =>
  callOf('json-extract-text', TEXT, [json, pathOf(path, site)]);

const item = (value: Expression): Expression => callOf('json-item', TEXT, [value]);

const literal = (text: string): Expression => constantOf(TEXT, text);

const asJson = (parts: readonly Expression[], type = JSON_TYPE): Expression =>
  castOf(callOf('concat-strict', TEXT, parts), type);

const arrayParts = (values: readonly Expression[]): readonly Expression[] => [
  literal('['),
  ...values.flatMap((value, index) => (index === 0 ? [item(value)] : [literal(','), item(value)])),
  literal(']'),
];

const built: Make = (values) => asJson(arrayParts(values));

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

/** ARRAY[value, ...] */
const listed: Make = (values, { position }) => {
  const items = values.length === 0 ? TEXT : commonTypeOf(values, position);
  if (values.some(({ type }) => !sameItems(type, items))) {
    throw sqlError('the lists in ARRAY[...] have items of different types; CAST them to one', position);
  }
  return asJson(arrayParts(values.map((value) => castTo(value, items, position))), { type: 'json', items });
};

const itemsOf = (type: SqlType): SqlType | undefined => (type.type === 'json' ? type.items : undefined);

/** Whether the types are not those of lists, or of lists with items of one type. */
function sameItems(a: SqlType, b: SqlType): boolean {
  if (a.type !== 'json' || b.type !== 'json' || a.items === undefined || b.items === undefined) return true;
  return sameType(a.items, b.items) && sameItems(a.items, b.items);
}

/** In PostgreSQL, a list of lists is one array of two dimensions, with other items. */
function refuseNested(list: Expression, { position, ofPostgres }: CallSite): void {
  if (!ofPostgres || itemsOf(list.type)?.type !== 'json') return;
  throw sqlError('arrays of several dimensions can only be selected, or read as JSON: list -> 0', position);
}

const itemAt: Make = ([list, index], site) => {
  const items = itemsOf(list.type) ?? TEXT;
  if (items.type === 'json') return castOf(callOf('list-json', TEXT, [list, index]), items);
  return explicitCast(callOf('list-item', TEXT, [list, index]), items, false, site.position);
};

const listItem: Make = (args, site) => {
  refuseNested(args[0], site);
  return itemAt(args, site);
};

const listLength: Make = ([list], site) => {
  refuseNested(list, site);
  return callOf('json-length', INTEGER, [list]);
};

const textList: Make = ([text, separator, ofNull = constantOf(TEXT, null)]) =>
  castOf(callOf('text-list', TEXT, [text, separator, ofNull]), { type: 'json', items: TEXT });

/** ARRAY_LENGTH(list, 1): NULL for an empty list, as in PostgreSQL. */
const arrayLength: Make = ([list, dimension], site) => {
  const { position } = site;
  const length = listLength([list], site);
  if (dimension === undefined) return length;
  if (dimension.op !== 'constant' || dimension.value !== 1n) {
    throw sqlError('arrays have one dimension: ARRAY_LENGTH(list, 1)', position);
  }
  const isEmpty = compareOf('=', length, integerOf(0));
  return caseOf(INTEGER, [[isEmpty, constantOf(INTEGER, null)]], length);
};

const listOrEmpty: Make = ([list]) => ({
  op: 'coalesce',
  type: list.type,
  members: [list, castOf(literal('[]'), list.type)],
});

const toJson: Make = ([value]) => castOf(item(value), JSON_TYPE);

export const JSON_FUNCTIONS: readonly SqlFunction[] = [
  {
    names: ['json_array_length', 'jsonb_array_length'],
    parameters: ['json'],
    make: (args) => callOf('json-length', INTEGER, args),
  },
  { names: ['cardinality'], parameters: ['json'], make: listLength },
  { names: ['array_length', 'list_length'], parameters: ['json'], optional: ['integer'], make: arrayLength },
  { names: ['array', 'list_value'], parameters: [], rest: 'any', make: listed },
  {
    names: ['list_extract', 'array_extract', 'list_element'],
    parameters: ['json', 'integer'],
    make: listItem,
  },
  // Also for lists of lists on the Postgres port; a name with a blank cannot be written in a statement.
  { names: ['list item'], parameters: ['json', 'integer'], make: itemAt },
  { names: ['array rows'], parameters: ['json'], make: listOrEmpty },
  {
    names: ['array_to_string', 'list_to_string'],
    parameters: ['json', 'text'],
    optional: ['text'],
    make: (args) => callOf('list-text', TEXT, args),
  },
  {
    names: ['string_to_array', 'string_split', 'str_split'],
    parameters: ['text', 'text'],
    optional: ['text'],
    make: textList,
  },
  { names: ['json_extract'], parameters: ['json', 'value'], make: extracted },
  {
    names: ['json_extract_path_text', 'jsonb_extract_path_text'],
    parameters: ['json'],
    rest: 'text',
    make: (args) => callOf('json-path-text', TEXT, args),
  },
  {
    names: ['json_typeof', 'jsonb_typeof'],
    parameters: ['json'],
    make: (args) => callOf('json-type', TEXT, args),
  },
  { names: ['json_extract_string', 'json_value'], parameters: ['json', 'value'], make: extractedText },
  {
    names: ['json_build_array', 'json_array', 'jsonb_build_array'],
    parameters: [],
    rest: 'any',
    make: built,
  },
  {
    names: ['json_build_object', 'json_object', 'jsonb_build_object'],
    parameters: [],
    rest: 'any',
    make: builtObject,
  },
  { names: ['to_json', 'to_jsonb'], parameters: ['any'], make: toJson },
];
