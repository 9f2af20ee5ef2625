/**
 * Binds INSERT ... ON CONFLICT: reads which of the entities exist, and inserts or changes them accordingly.
 * Invariants: an entity that the caller may not see counts as one that exists, and is not changed; an ID that exists is never
 * inserted, so its events and the columns that DO UPDATE does not name stay as they are.
 */
import { quoted } from '../../base/index.js';
import type { Constant, ReadPlan, Relation } from '../../ir/index.js';
import { type DatabaseModel, ENTITY_ID_COLUMN, lowerCase, storedText } from '../../schema/index.js';
import { conflictUpdate, EXCLUDED_TABLE } from '../query/conflict-query.js';
import { rowQueryOf } from '../query/row-query.js';
import { selectOf } from '../query/select-of.js';
import { sqlError } from '../sql-error.js';
import type { InsertQueryStatement, InsertStatement, Query, SqlNode, UpdateStatement } from '../tree.js';
import { IN_VALUES_MAX } from './bounds.js';
import { attributesOf, dimensionOf } from './clauses/sources.js';
import { idOfMember } from './insert-target.js';
import { nodesOf } from './nodes.js';
import type { OutputColumn, PlanColumns } from './query/plan-columns.js';
import { bindOverTable, bindRead, type OwnTable } from './query/query.js';
import { BaseTable } from './query/tables/base-table.js';
import type { SqlRequest } from './request.js';
import { isOneOf } from './returning.js';
import type { RowReader } from './row-reader.js';
import { idOfLine, numbered, partsOf, selectedMembers } from './selected-rows.js';
import { writeColumn } from './write-values.js';
import { type BoundInsert, checkAssignments, QUERY_NODES, rowBinder } from './writes.js';
import { concatenated, constantIn, rowsOfBatches, type WrittenRows } from './written-rows.js';

type Inserted = InsertStatement | InsertQueryStatement;

/**
 * Throws 6000 if the conflict is not that of entity IDs, or if DO UPDATE cannot be bound; 506. Returns the plan of a DO UPDATE that
 * has subqueries, null for others.
 */
export function checkConflict(statement: Inserted, request: SqlRequest): ReadPlan | null {
  const { conflict, table } = statement;
  const target = conflict?.target ?? null;
  if (target !== null) {
    const column = writeColumn(
      target.name,
      dimensionOf(table, request.model),
      request.access,
      target.position,
    );
    if (column.is !== 'entity-id') {
      throw sqlError(
        `ON CONFLICT takes the entity ID only, because ${quoted(target.name)} may have a value several times`,
        target.position,
      );
    }
  }
  const update = conflictUpdate(statement);
  if (update === null) return null;
  checkAssignments(update, request);
  const plan = bindOver(rowQueryOf(update).query.query, table, NO_ROWS, request);
  const nodes = [...update.set.map(({ value }) => value), ...(update.where === null ? [] : [update.where])];
  const hasQuery = nodes.some((node) => [...nodesOf(node)].some(({ is }) => QUERY_NODES.has(is)));
  return hasQuery || statement.tables.length > 0 ? plan : null;
}

const NO_ROWS: WrittenRows = { ids: [], byColumn: new Map() };

/**
 * Reads the entities of the statement that exist, and returns what it writes. `lines`: the rows of INSERT ... SELECT, null for
 * literal rows. Rejects with 6000, 506, and the errors of queries.
 */
export async function bindConflicts(
  statement: Inserted,
  { lines, index }: { readonly lines: readonly string[] | null; readonly index: number },
  model: DatabaseModel,
  requestOf: (model: DatabaseModel) => SqlRequest,
  reader: RowReader,
): Promise<readonly BoundInsert[]> {
  const request = requestOf(model);
  const members = distinctMembers(statement, membersOf(statement, lines, request), request);
  if (members.length === 0) return partsOf(members, index, false);
  const rows = concatenated(
    await Promise.all(
      partsOf(members, index, false).map(async (part) => rowsOfBatches(await reader.stored(part))),
    ),
  );
  const { table } = statement;
  const found = await reader.lines((newest) => bindIds(statement, rows, withAllRows(requestOf(newest))));
  const existing = new Set(found.map(idOfLine));
  const { textCase } = dimensionOf(table, model);
  const isNew = (member: string): boolean => !existing.has(storedText(idOfMember(member), { textCase }));
  const added = partsOf(members.filter(isNew), index, false);
  const also = statement.returning === null ? [] : unchanged(statement, request);
  const update = conflictUpdate(statement, also, oneOfIds(statement, rows.ids));
  if (update === null || existing.size === 0) return added;
  const changed = await reader.lines((newest) => {
    const { query } = rowQueryOf(update).query;
    return bindOver(query, table, rows, requestOf(newest));
  });
  return [...added, ...partsOf(selectedMembers(update, changed, request), index, false)];
}

const membersOf = (
  statement: Inserted,
  lines: readonly string[] | null,
  request: SqlRequest,
): readonly string[] =>
  statement.is === 'insert'
    ? statement.rows.map(rowBinder(statement, request))
    : selectedMembers(statement, lines ?? [], request);

/** DO NOTHING inserts the first row of an ID; throws 6000 for DO UPDATE, which cannot change an entity twice. */
function distinctMembers(
  { table, conflict, position }: Inserted,
  members: readonly string[],
  { model }: SqlRequest,
): readonly string[] {
  const { textCase } = dimensionOf(table, model);
  const byId = new Map<string, string>();
  for (const member of members) {
    const id = storedText(idOfMember(member), { textCase });
    if (!byId.has(id)) byId.set(id, member);
    else if (conflict?.update != null) {
      throw sqlError(`ON CONFLICT DO UPDATE cannot change the entity ${quoted(id)} a second time`, position);
    }
  }
  return [...byId.values()];
}

/**
 * Assignments of the stored values to the columns that INSERT names and DO UPDATE does not, so that all written rows have the
 * same columns for RETURNING.
 */
function unchanged(
  { table, columns, conflict }: Inserted,
  { model, access }: SqlRequest,
): UpdateStatement['set'] {
  const dimension = dimensionOf(table, model);
  const nameOf = (name: string, position: InsertStatement['position']): string | null => {
    const column = writeColumn(name, dimension, access, position);
    return column.is === 'attribute' ? column.column.apiName : null;
  };
  const assigned = new Set(conflict?.update?.set.map(({ column, position }) => nameOf(column, position)));
  return columns.flatMap(({ name, position }) => {
    const column = nameOf(name, position);
    if (column === null || assigned.has(column)) return [];
    const qualifier = table.alias ?? table.name;
    const value: SqlNode = { is: 'column', table: qualifier, name: column, position, parenthesized: false };
    return [{ column, position, value }];
  });
}

/** The condition that an entity is one of `ids`, for scans; null = too many for a condition. */
const oneOfIds = ({ table }: Inserted, ids: readonly string[]): SqlNode | null =>
  ids.length <= IN_VALUES_MAX ? isOneOf(ids, table, table.alias ?? table.name) : null;

/** The plan of SELECT [entity-id] of the rows whose entity exists. Throws 6000, 506. */
function bindIds(statement: Inserted, rows: WrittenRows, request: SqlRequest): ReadPlan {
  const { table, position } = statement;
  const at = { position, parenthesized: false };
  const idIn = (of: string): SqlNode => ({ is: 'column', table: of, name: ENTITY_ID_COLUMN, ...at });
  const own = { is: 'table', ...table, columnNames: null } as const;
  const items = [{ of: idIn(table.alias ?? table.name), alias: null }];
  const isOne = oneOfIds(statement, rows.ids);
  if (isOne !== null) {
    const query = selectOf(items, [own], isOne, position);
    return numbered(bindRead({ is: 'query', position, explain: 'no', query }, request));
  }
  const excluded = { is: 'table', name: EXCLUDED_TABLE, alias: null, position, columnNames: null } as const;
  const isSame: SqlNode = {
    ...{ is: 'compare', comparison: '=', ...at },
    ...{ left: idIn(table.alias ?? table.name), right: idIn(EXCLUDED_TABLE) },
  };
  return bindOver(selectOf(items, [own, excluded], isSame, position), table, rows, request);
}

/** The request of a caller who sees all rows, for whether an entity exists. */
const withAllRows = (request: SqlRequest): SqlRequest => ({
  ...request,
  access: {
    fingerprint: request.access.fingerprint,
    allows: (dimension, column) => request.access.allows(dimension, column),
    checkColumn: (dimension, column) => request.access.checkColumn(dimension, column),
    restrict: (_dimension, condition) => condition,
    segment: (name, dimension, nowMs) => request.access.segment(name, dimension, nowMs),
  },
});

/** The plan of a query in which EXCLUDED_TABLE has the rows; its outputs are named by their numbers. Throws 6000, 506. */
const bindOver = (query: Query, table: Inserted['table'], rows: WrittenRows, request: SqlRequest): ReadPlan =>
  numbered(
    bindOverTable(query, EXCLUDED_TABLE, request, (columns) => excludedTable(table, rows, columns, request)),
  );

/** The rows as they would be stored. Columns that INSERT does not name are NULL; there are no events. */
function excludedTable(
  table: Inserted['table'],
  { ids, byColumn }: WrittenRows,
  columns: PlanColumns,
  request: SqlRequest,
): OwnTable {
  const stored = new BaseTable({ ...table, alias: null }, null, request, columns);
  const constants: (readonly Constant['value'][])[] = [];
  const outputs = attributesOf(dimensionOf(table, request.model), request.access).map(
    (column): OutputColumn => {
      const like = stored.find(column.apiName) as OutputColumn;
      const isId = lowerCase(column.apiName) === ENTITY_ID_COLUMN;
      const values = byColumn.get(column.id);
      constants.push(isId ? ids : ids.map((_id, row) => constantIn(values?.[row] ?? null, column)));
      return {
        ...columns.add(like.type, columns.traits(like.column), like.name),
        name: like.name,
        constant: null,
      };
    },
  );
  const build = (): Relation => ({
    op: 'values',
    columns: outputs.map(({ column, type }) => ({ column, type })),
    rows: ids.map((_id, row) => constants.map((ofColumn) => ofColumn[row])),
  });
  return { columns: outputs, build };
}
