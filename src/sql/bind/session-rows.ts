/** The rows of a temporary table, read from the answer of its query. */
import { invariant } from '../../base/index.js';
import { type Constant, TEXT } from '../../ir/index.js';
import type { SqlType } from '../../vector/index.js';
import type { SourcePosition, SqlNode } from '../tree.js';
import { castTo } from './expressions/coerce.js';
import type { SessionColumn } from './request.js';
import { literalsOf } from './selected-rows.js';

const NOWHERE: SourcePosition = { line: 1, column: 1 };

/** `lines`: rows as JSON objects whose members are named by their numbers (bindColumns). */
export const sessionRows = (
  lines: readonly string[],
  columns: readonly SessionColumn[],
): readonly (readonly Constant['value'][])[] =>
  lines.map((line) =>
    literalsOf(line, columns.length, NOWHERE).map((node, index) => storedValue(node, columns[index].type)),
  );

function storedValue(node: SqlNode, type: SqlType): Constant['value'] {
  if (node.is === 'null') return null;
  if (node.is === 'boolean') return node.value;
  invariant(node.is === 'number' || node.is === 'string', 'a value in JSON is a literal');
  const { text } = node;
  if (type.type === 'float') return Number(text);
  if (type.type === 'text' || type.type === 'json') return text;
  const converted = castTo({ op: 'constant', type: TEXT, value: text }, type, NOWHERE);
  invariant(converted.op === 'constant', 'a constant is converted immediately');
  return converted.value;
}
