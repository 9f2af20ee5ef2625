/**
 * Binds RETURNING: a SELECT over the written rows, which are the stored ones with the written values in their columns. Columns and
 * rows that the caller may not use are absent, as in every SELECT.
 */
import type { ReadPlan } from '../../ir/index.js';
import { type Constant, type Relation, readColumn } from '../../ir/index.js';
import { type Column, ENTITY_ID_COLUMN, isEventType, lowerCase } from '../../schema/index.js';
import type { Field } from '../../vector/index.js';
import { selectOf } from '../query/select-of.js';
import { sqlError } from '../sql-error.js';
import type { SelectItem, SourcePosition, SqlNode, WriteStatement } from '../tree.js';
import { IN_VALUES_MAX } from './bounds.js';
import { attributesOf, dimensionOf, namedOrDashed } from './clauses/sources.js';
import { compareOf } from './expressions/build.js';
import { nodesOf } from './nodes.js';
import { joined, narrowed } from './query/build.js';
import type { OutputColumn, PlanColumns } from './query/plan-columns.js';
import { bindOverTable, type OwnTable } from './query/query.js';
import { BaseTable } from './query/tables/base-table.js';
import type { SqlRequest } from './request.js';
import { QUERY_NODES } from './writes.js';
import { constantIn, type WrittenRows } from './written-rows.js';

/** No table can have this name. */
const WRITTEN = ' written';

/** Throws 6000, 506. */
export function bindReturning(
  { table, returning, position }: WriteStatement,
  written: WrittenRows,
  request: SqlRequest,
): ReadPlan {
  const items = returning ?? [];
  checkNames(items, table, request);
  const from = {
    is: 'table',
    name: WRITTEN,
    alias: table.alias ?? table.name,
    position,
    columnNames: null,
  } as const;
  return bindOverTable(selectOf(items, [from], null, position), WRITTEN, request, (columns) =>
    writtenTable(table, written, columns, request),
  );
}

/** The columns of the rows that RETURNING returns. Throws 6000, 506. */
export const returnedOutputs = (statement: WriteStatement, request: SqlRequest): readonly Field[] =>
  bindReturning(statement, { ids: [], byColumn: new Map() }, request).outputs;

/**
 * Whether the rows of RETURNING depend on nothing but the statement: it inserts literals, and RETURNING reads no columns but those
 * that it writes. Throws 6000, 506.
 */
export function returnsOnlyWritten(statement: WriteStatement, request: SqlRequest): boolean {
  if (statement.is !== 'insert' || statement.conflict !== null || statement.tables.length > 0) return false;
  const dimension = dimensionOf(statement.table, request.model);
  const columnOf = (name: string): Column | null => namedOrDashed(dimension.columns, lowerCase(name));
  const written = new Set(statement.columns.map(({ name }) => columnOf(name)));
  const nodes = (statement.returning ?? []).flatMap(({ of }) => [...nodesOf(of)]);
  return nodes.every((node) => {
    if (node.is === 'column') return written.has(columnOf(node.name));
    return node.is !== 'star' && !QUERY_NODES.has(node.is);
  });
}

/** Throws 506 for columns that the caller may not use, and 6000 for events, which are no columns of the row. */
function checkNames(
  items: readonly SelectItem[],
  table: WriteStatement['table'],
  { model, access }: SqlRequest,
): void {
  const dimension = dimensionOf(table, model);
  for (const node of items.flatMap(({ of }) => [...nodesOf(of)])) {
    if (node.is !== 'column') continue;
    const column = namedOrDashed(dimension.columns, lowerCase(node.name));
    if (column === null || !column.active) continue;
    access.checkColumn(dimension, column);
    if (isEventType(column.type)) throw sqlError('RETURNING has no events', node.position);
  }
}

/** A row per entity: the columns of SELECT *. */
function writtenTable(
  table: WriteStatement['table'],
  { ids, byColumn }: WrittenRows,
  columns: PlanColumns,
  request: SqlRequest,
): OwnTable {
  const dimension = dimensionOf(table, request.model);
  const stored = new BaseTable({ ...table, alias: null }, null, request, columns);
  const storedId = stored.find(ENTITY_ID_COLUMN) as OutputColumn;
  const constants: (readonly Constant['value'][])[] = [ids];
  const traits = columns.traits(storedId.column);
  const id: OutputColumn = {
    ...columns.add(storedId.type, traits, ENTITY_ID_COLUMN),
    ...{ name: ENTITY_ID_COLUMN, constant: null },
  };
  const rows = [id];
  const outputs = attributesOf(dimension, request.access).map((column): OutputColumn => {
    if (column.apiName === ENTITY_ID_COLUMN) return id;
    const values = byColumn.get(column.id);
    const before = stored.find(column.apiName) as OutputColumn;
    if (values === undefined) return before;
    const { type, name } = before;
    const own = { ...columns.add(type, columns.traits(before.column), name), name, constant: null };
    rows.push(own);
    constants.push(values.map((value) => constantIn(value, column)));
    return own;
  });
  if (ids.length > 0 && ids.length <= IN_VALUES_MAX) stored.addCondition(isOneOf(ids, table));
  const build = (): Relation => {
    const values: Relation = {
      op: 'values',
      columns: rows.map(({ column, type }) => ({ column, type })),
      rows: ids.map((_id, row) => constants.map((ofColumn) => ofColumn[row])),
    };
    const isSame = compareOf('=', readColumn(id), readColumn(storedId));
    return narrowed(joined('left', values, stored.scan(), [isSame], columns), outputs);
  };
  return { columns: outputs, build };
}

/** [entity-id] IN (ids); `qualifier`: the table before the column. */
export function isOneOf(
  ids: readonly string[],
  { position }: { readonly position: SourcePosition },
  qualifier: string | null = null,
): SqlNode {
  const at = { position, parenthesized: false };
  return {
    ...{ is: 'in', negated: false, ...at },
    of: { is: 'column', table: qualifier, name: ENTITY_ID_COLUMN, ...at },
    values: ids.map((text) => ({ is: 'string', text, quotes: 'single', ...at })),
  };
}
