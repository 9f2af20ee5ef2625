/**
 * Number types of PostgreSQL that Quarry's types do not distinguish, but that decide whether a quotient is an integer: the sum
 * of a bigint is a numeric, and so is EXTRACT, while the sum of an integer is a bigint. Integer literals are integers, columns
 * bigints.
 */
import type { CallNode, SqlNode } from '../tree.js';

/** Functions that return an integer. */
const INTEGER_CALLS: ReadonlySet<string> = new Set([
  ...['length', 'char_length', 'character_length', 'octet_length', 'strpos', 'position', 'ascii'],
]);
const INTEGER_TYPES: ReadonlySet<string> = new Set(['int', 'integer', 'int2', 'int4', 'smallint']);
/** Functions of the type of their arguments. */
const OF_ARGUMENTS: ReadonlySet<string> = new Set([
  'coalesce',
  'nullif',
  'greatest',
  'least',
  'abs',
  'mod',
  'round',
]);
/** Date parts; `epoch`, the seconds since 1970, has become DATEDIFF (translate.ts). */
const NUMERIC_CALLS: ReadonlySet<string> = new Set(['extract', 'date_part', 'datediff']);
const INTEGER_DIGITS_MAX = 9;

/** The node with each bigint sum and date part that determines its type as NUMERIC. Modifies the node. */
export function withNumerics(node: SqlNode): SqlNode {
  if (isNumeric(node)) return asNumeric(node);
  switch (node.is) {
    case 'negative':
      return Object.assign(node, { of: withNumerics(node.of) });
    case 'arithmetic':
      return Object.assign(node, { left: withNumerics(node.left), right: withNumerics(node.right) });
    case 'case': {
      // biome-ignore lint/suspicious/noThenProperty: a keyword of SQL; a branch is never awaited
      const branches = node.branches.map(({ when, then }) => ({ when, then: withNumerics(then) }));
      const otherwise = node.otherwise === null ? null : withNumerics(node.otherwise);
      return Object.assign(node, { branches, otherwise });
    }
    case 'call':
      if (OF_ARGUMENTS.has(node.name)) Object.assign(node, { args: node.args.map(withNumerics) });
      return node;
    default:
      return node;
  }
}

function isNumeric(node: SqlNode): boolean {
  switch (node.is) {
    case 'call':
      return NUMERIC_CALLS.has(node.name) || isWideSum(node);
    case 'over':
    case 'filtered':
    case 'ordered':
      return isWideSum(node.call);
    default:
      return false;
  }
}

const isWideSum = ({ name, args }: CallNode): boolean =>
  name === 'sum' && args.length === 1 && !isInteger(args[0]);

/** Whether the type is integer or smallint in PostgreSQL. */
function isInteger(node: SqlNode): boolean {
  switch (node.is) {
    case 'number':
      return /^\d+$/.test(node.text) && node.text.length <= INTEGER_DIGITS_MAX;
    case 'null':
      return true;
    case 'negative':
      return isInteger(node.of);
    case 'arithmetic':
      return isInteger(node.left) && isInteger(node.right);
    case 'cast':
      return INTEGER_TYPES.has(node.typeName);
    case 'case':
      return (
        node.branches.every(({ then }) => isInteger(then)) &&
        (node.otherwise === null || isInteger(node.otherwise))
      );
    case 'call':
      return INTEGER_CALLS.has(node.name) || (OF_ARGUMENTS.has(node.name) && node.args.every(isInteger));
    default:
      return false;
  }
}

function asNumeric(of: SqlNode): SqlNode {
  const { position } = of;
  const type = { typeName: 'numeric', precision: null, scale: null, lenient: false, limitsDigits: true };
  return { is: 'cast', of, ...type, position, parenthesized: false };
}
