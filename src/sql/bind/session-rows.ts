/** The rows of a temporary table, read from the answer of its query. */
import { invariant } from '../../base/index.js';
import type { Constant } from '../../ir/index.js';
import { readDecimal } from '../../schema/index.js';
import type { SqlType } from '../../vector/index.js';
import type { SourcePosition, SqlNode } from '../tree.js';
import type { SessionColumn } from './request.js';
import { literalsOf } from './selected-rows.js';

const NOWHERE: SourcePosition = { line: 1, column: 1 };
const DAY_MS = 86_400_000;

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
  switch (type.type) {
    case 'integer':
      return BigInt(text);
    case 'decimal': {
      const read = readDecimal(text);
      invariant(
        read !== null && read.scale <= type.scale,
        'a decimal of an answer has the scale of its column',
      );
      const magnitude = BigInt(read.digits || '0') * 10n ** BigInt(type.scale - read.scale);
      return read.negative ? -magnitude : magnitude;
    }
    case 'float':
      return Number(text);
    case 'date':
      return BigInt(Date.parse(`${text}T00:00:00Z`) / DAY_MS);
    case 'datetime':
      return BigInt(Date.parse(text) / 1_000);
    default:
      return text;
  }
}
