/**
 * Names the columns of an answer as PostgreSQL does: the alias, the name of the column, function or type that the expression
 * is, `case`, otherwise `?column?`. Several columns may have one name.
 */
import type { Query, QueryBody, SelectItem, SqlNode } from '../../tree.js';

const UNNAMED = '?column?';

/** PostgreSQL's names of types that have several. */
const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['bigint', 'int8'],
  ['boolean', 'bool'],
  ['char', 'bpchar'],
  ['character', 'bpchar'],
  ['character varying', 'varchar'],
  ['dec', 'numeric'],
  ['decimal', 'numeric'],
  ['double precision', 'float8'],
  ['float', 'float8'],
  ['int', 'int4'],
  ['integer', 'int4'],
  ['real', 'float4'],
  ['smallint', 'int2'],
  ['timestamp with time zone', 'timestamptz'],
  ['timestamp without time zone', 'timestamp'],
]);

/** Functions that PostgreSQL names otherwise. */
const CALL_NAMES: ReadonlyMap<string, string> = new Map([
  ['trim', 'btrim'],
  ['timezone local', 'timezone'],
  ['array rows', 'array'],
]);

/** A name, and whether it is preferred to the name of a surrounding cast or CASE. */
interface Named {
  readonly name: string;
  readonly isStrong: boolean;
}

type ColumnName = (node: SqlNode) => string | null;

/** The name of an expression without an alias. `columnNameOf`: the name of a node that is a plain column, otherwise null. */
export const postgresName = (node: SqlNode, columnNameOf: ColumnName): string =>
  named(node, columnNameOf)?.name ?? UNNAMED;

function named(node: SqlNode, columnNameOf: ColumnName): Named | null {
  const column = columnNameOf(node);
  if (column !== null) return strong(column);
  if ('isOperator' in node && node.isOperator === true) return null;
  switch (node.is) {
    case 'call':
      return strong(CALL_NAMES.get(node.name) ?? node.name);
    case 'over':
    case 'filtered':
    case 'ordered':
      return strong(node.call.name);
    case 'cast':
      return preferred(named(node.of, columnNameOf), TYPE_NAMES.get(node.typeName) ?? node.typeName);
    case 'case':
      return preferred(node.otherwise === null ? null : named(node.otherwise, columnNameOf), 'case');
    case 'exists':
      return strong('exists');
    case 'subquery':
      return ofQuery(node.query, columnNameOf);
    default:
      return null;
  }
}

const strong = (name: string): Named => ({ name, isStrong: true });

const preferred = (inner: Named | null, name: string): Named =>
  inner?.isStrong === true ? inner : { name, isStrong: false };

/** The name of the column of a scalar subquery. */
function ofQuery(query: Query, columnNameOf: ColumnName): Named | null {
  const item = firstItem(query.body);
  if (item === null) return null;
  const { of, alias } = item;
  if (alias !== null) return strong(alias);
  return of.is === 'column' ? strong(of.name) : named(of, columnNameOf);
}

function firstItem(body: QueryBody): SelectItem | null {
  if (body.is === 'block') return body.items[0] ?? null;
  if (body.is === 'set') return firstItem(body.left);
  return body.is === 'nested' ? firstItem(body.query.body) : null;
}
