/** INSERT, UPDATE and DELETE of temporary tables, as queries of the rows that the table has afterwards. */

import type { SqlType } from '../../vector/index.js';
import { selectOf } from '../query/select-of.js';
import { sqlError } from '../sql-error.js';
import type { NewColumn, Query, SelectItem, SourcePosition, SqlNode, WriteStatement } from '../tree.js';
import { castTarget } from './expressions/types.js';
import { PLAIN_TRAITS } from './query/plan-columns.js';
import type { SessionColumn } from './request.js';

/** The columns of CREATE TEMP TABLE. Throws 6000. */
export function sessionColumns(columns: readonly NewColumn[]): readonly SessionColumn[] {
  const names = new Set<string>();
  return columns.map(({ name, position, typeName, precision, scale, isKey, isPresent }) => {
    const type = castTarget(typeName, precision, scale);
    if (type === null) throw sqlError(`there is no type "${typeName}"`, position);
    if (isKey || isPresent) throw sqlError('columns of temporary tables have no constraints', position);
    if (names.has(name)) throw sqlError(`two columns are called "${name}"`, position);
    names.add(name);
    return { name, type, traits: PLAIN_TRAITS };
  });
}

/** The SQL names of types, with digits. */
function castType(type: SqlType): { typeName: string; precision: number | null; scale: number | null } {
  const NAMES = { datetime: 'timestamptz', integer: 'bigint', float: 'double precision' } as const;
  if (type.type === 'decimal') return { typeName: 'decimal', precision: 38, scale: type.scale };
  const typeName = type.type in NAMES ? NAMES[type.type as keyof typeof NAMES] : type.type;
  return { typeName, precision: null, scale: null };
}

const ROW = 'written row';

/**
 * The rows that a write adds to a table (INSERT) or leaves in it, with the columns of the table. The rows of UPDATE have a last
 * column, which is true in those that were changed. Throws 6000.
 */
export function sessionWrite(statement: WriteStatement, columns: readonly SessionColumn[]): Query {
  const { position, returning, tables } = statement;
  if (returning !== null) throw sqlError('RETURNING is not available for temporary tables', position);
  if (statement.is !== 'insert' && statement.is !== 'insert-query') return rowsLeft(statement, columns);
  if (statement.conflict !== null) throw sqlError('temporary tables have no entity IDs', position);
  const own: Query =
    statement.is === 'insert-query'
      ? statement.query.query
      : { ...selectOf([], [], null, position), body: { is: 'values', rows: statement.rows, position } };
  const query = { ...own, tables: [...tables, ...own.tables] };
  const targets = targetsOf(statement, columns, query);
  const names = targets.map((at) => columns[at].name);
  const from = { is: 'derived', query, alias: ROW, columnNames: names, lateral: false, position } as const;
  const items = columns.map(({ type }, at): SelectItem => {
    const value: SqlNode = targets.includes(at)
      ? columnOf(ROW, columns[at].name, position)
      : { is: 'null', ...nodeAt(position) };
    return { of: castTo(value, type), alias: null };
  });
  return selectOf(items, [from], null, position);
}

const nodeAt = (position: SourcePosition) => ({ position, parenthesized: false }) as const;

const columnOf = (table: string, name: string, position: SourcePosition): SqlNode => ({
  ...{ is: 'column', table, name },
  ...nodeAt(position),
});

const castTo = (of: SqlNode, type: SqlType): SqlNode => ({
  ...{ is: 'cast', of, ...castType(type), lenient: false, limitsDigits: true },
  ...nodeAt(of.position),
});

/** The columns that are written, by their index. */
function targetsOf(
  { columns: written }: Extract<WriteStatement, { readonly is: 'insert' | 'insert-query' }>,
  columns: readonly SessionColumn[],
  query: Query,
): readonly number[] {
  if (written.length === 0) {
    const width = query.body.is === 'values' ? query.body.rows[0].length : columns.length;
    return columns.slice(0, width).map((_column, at) => at);
  }
  const targets = written.map(({ name, position }) => indexOf(name, columns, position));
  const twice = targets.findIndex((at, index) => targets.indexOf(at) !== index);
  if (twice === -1) return targets;
  throw sqlError(`"${written[twice].name}" is written twice`, written[twice].position);
}

function indexOf(name: string, columns: readonly SessionColumn[], position: SourcePosition): number {
  const at = columns.findIndex((column) => column.name.toLowerCase() === name.toLowerCase());
  if (at === -1) throw sqlError(`there is no column "${name}" in the temporary table`, position);
  return at;
}

function rowsLeft(
  statement: Extract<WriteStatement, { readonly is: 'update' | 'delete' }>,
  columns: readonly SessionColumn[],
): Query {
  const { position, table, tables, where, from } = statement;
  if (from.length > 0) throw sqlError('a write to a temporary table reads no table beside it', position);
  const at = nodeAt(position);
  const name = table.alias ?? table.name;
  const condition: SqlNode = where ?? { is: 'boolean', value: true, ...at };
  const isWritten: SqlNode = {
    ...{ is: 'call', name: 'coalesce', args: [condition, { is: 'boolean', value: false, ...at }] },
    ...{ distinct: false, ...at },
  };
  const set = new Map(
    (statement.is === 'update' ? statement.set : []).map(
      ({ column, position: of, value }) => [indexOf(column, columns, of), value] as const,
    ),
  );
  const items = columns.map(({ name: column, type }, index): SelectItem => {
    const before = columnOf(name, column, position);
    const value = set.get(index);
    if (value === undefined) return { of: before, alias: null };
    // biome-ignore lint/suspicious/noThenProperty: a keyword of SQL; a branch is never awaited
    const branches = [{ when: isWritten, then: castTo(value, type) }];
    return { of: { is: 'case', of: null, branches, otherwise: before, ...at }, alias: null };
  });
  const source = [{ is: 'table', ...table, columnNames: null } as const];
  const query =
    statement.is === 'update'
      ? selectOf([...items, { of: isWritten, alias: null }], source, null, position)
      : selectOf(items, source, { is: 'not', of: isWritten, ...at }, position);
  return { ...query, tables };
}
