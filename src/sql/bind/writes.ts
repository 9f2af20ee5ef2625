/**
 * Binds INSERT, UPDATE and DELETE. Rows and assignments become the JSON of /v1/insert and /v1/update, together with the source
 * positions of everything that these endpoints may refuse.
 */
import { ENTITIES_PER_INSERT_MAX, QuarryError } from '../../base/index.js';
import type { Condition } from '../../ir/index.js';
import type { Dimension } from '../../schema/index.js';
import { sqlError } from '../sql-error.js';
import type { InsertStatement, SourcePosition, SqlNode, UpdateStatement, WriteStatement } from '../tree.js';
import { dimensionOf } from './clauses/sources.js';
import { bodyOf, InsertTarget, idOfMember } from './insert-target.js';
import { nodesOf } from './nodes.js';
import type { SqlRequest } from './request.js';
import { bindTarget } from './where/target.js';
import {
  checkDistinct,
  isLiteral,
  membersOfRow,
  textOfLiteral,
  type WriteColumn,
  writeColumn,
} from './write-values.js';

/** As the engine takes it: see ScriptWrite in src/engine/api.ts. */
export type BoundWrite = {
  /** The index of the statement in the body. */
  readonly statement: number;
} & (
  | {
      readonly write: 'insert';
      readonly rowCount: number;
      /** Builds the insert body of the first `rows` rows. */
      readonly body: (rows: number) => Uint8Array;
      /** The entities exist. */
      readonly updates: boolean;
      /** The IDs of the rows in their order, as they were written; absent = unknown. */
      readonly ids?: () => readonly string[];
    }
  | {
      readonly write: 'change';
      readonly dimensionId: number;
      readonly condition: Condition;
      /** JSON text of an object column api-name -> value; null = the entities are deleted. */
      readonly set: string | null;
    }
);

export type BoundInsert = Extract<BoundWrite, { readonly write: 'insert' }>;

/**
 * Binds all writes of a body, none of which reads rows; together they must not insert more entities than one insert may. Throws
 * 6000 with position, 506, and 9004 if a write reads rows since its columns changed.
 */
export function bindWrites(
  statements: readonly WriteStatement[],
  request: SqlRequest,
): readonly BoundWrite[] {
  checkInserted(statements);
  return statements.map((statement, index) => bindWrite(statement, index, request));
}

/** Throws 6000 if the literal rows of all INSERTs are more than one insert may have. */
export function checkInserted(statements: readonly WriteStatement[]): void {
  let rowCount = 0;
  for (const statement of statements) {
    if (statement.is !== 'insert') continue;
    rowCount += statement.rows.length;
    if (rowCount <= ENTITIES_PER_INSERT_MAX) continue;
    const what = `the request inserts more than ${ENTITIES_PER_INSERT_MAX} entities`;
    throw sqlError(what, statement.position, { code: 2012 });
  }
}

/** Whether the statement must read rows before it can be written. Throws 6000, 506. */
export function readsRows(statement: WriteStatement, request: SqlRequest): boolean {
  if (statement.is === 'insert') return statement.returning !== null || statement.conflict !== null;
  if (statement.is === 'insert-query' || statement.returning !== null) return true;
  if (statement.from.length > 0 || statement.tables.length > 0) return true;
  const { table, where } = statement;
  const values = statement.is === 'update' ? statement.set.map(({ value }) => value) : [];
  const nodes = [...values, ...(where === null ? [] : [where])].flatMap((node) => [...nodesOf(node)]);
  if (nodes.some((node) => QUERY_NODES.has(node.is)) || !values.every(isLiteral)) return true;
  return bindTarget(table, where, request) === null;
}

export const QUERY_NODES: ReadonlySet<SqlNode['is']> = new Set(['subquery', 'exists', 'in-query']);

export function bindWrite(statement: WriteStatement, index: number, request: SqlRequest): BoundWrite {
  if (statement.is === 'insert') return bindInsert(statement, index, request);
  const target =
    statement.is === 'insert-query' ? null : bindTarget(statement.table, statement.where, request);
  if (target === null || statement.is === 'insert-query') {
    throw new QuarryError(9004, 'the columns of the statement changed meanwhile; try again');
  }
  const { dimension, condition } = target;
  const set = statement.is === 'update' ? bindSet(statement, dimension, request) : null;
  return { write: 'change', statement: index, dimensionId: dimension.id, condition, set };
}

export function bindInsert(
  { rows, ...statement }: InsertStatement,
  index: number,
  request: SqlRequest,
): BoundInsert {
  const memberOf = rowBinder(statement, request);
  const members = rows.map(memberOf);
  return {
    ...{ write: 'insert', statement: index, rowCount: rows.length, updates: false },
    ids: () => members.map(idOfMember),
    body: (count) => bodyOf(members.slice(0, count)),
  };
}

/** Returns the function that makes a row the member of an insert body. Throws 6000, 506. */
export function rowBinder(
  { table, columns, position }: Pick<InsertStatement, 'table' | 'columns' | 'position'>,
  request: SqlRequest,
): (row: readonly SqlNode[]) => string {
  const withoutId = { message: 'INSERT names no [entity-id]', position };
  const target = new InsertTarget(table, columns, request, withoutId);
  return (row) => {
    if (row.length !== columns.length) {
      throw sqlError(
        `a row of ${row.length} values for ${columns.length} columns`,
        row[0]?.position ?? position,
      );
    }
    return target.member(textOfLiteral(row[target.idAt], 'an entity ID'), target.columns, row);
  };
}

function bindSet({ set }: UpdateStatement, dimension: Dimension, request: SqlRequest): string {
  const targets = assigned(set, dimension, request);
  const values = set.map(({ value }) => value);
  return `{${membersOfRow(targets, values, request.dialect)}}`;
}

/** Checks the columns of SET. Throws 6000, 506. */
export function checkAssignments({ table, set }: UpdateStatement, request: SqlRequest): void {
  assigned(set, dimensionOf(table, request.model), request);
}

function assigned(
  set: UpdateStatement['set'],
  dimension: Dimension,
  { access }: SqlRequest,
): readonly WriteColumn[] {
  const targets = set.map(({ column, position }) => writeColumn(column, dimension, access, position));
  checkDistinct(
    targets,
    set.map(({ position }) => position),
  );
  const idAt = targets.findIndex(({ is }) => is === 'entity-id');
  if (idAt !== -1) throw sqlError('an entity ID cannot be changed', set[idAt].position);
  return targets;
}

/** Converts a refusal by the insert or update rules to an SQL error; `row` is the row of an INSERT. */
export const refusedWrite = (
  statement: WriteStatement,
  row: number | null,
  refusal: QuarryError,
): QuarryError => refusedAt(positionOf(statement, row), refusal);

/** Converts a refusal by the rules of another endpoint to an SQL error. */
export function refusedAt(position: SourcePosition, { code, message, moreInfo }: QuarryError): QuarryError {
  return new QuarryError(6000, message, {
    code,
    message,
    line: position.line,
    column: position.column,
    ...(moreInfo === undefined ? {} : { 'more-info': moreInfo }),
  });
}

function positionOf(statement: WriteStatement, row: number | null): SourcePosition {
  if (statement.is === 'insert-query') return statement.query.position;
  if (statement.is === 'insert') return statement.rows[row ?? 0]?.[0]?.position ?? statement.position;
  return statement.is === 'update' ? (statement.set[0]?.position ?? statement.position) : statement.position;
}
