/**
 * Binds INSERT, UPDATE and DELETE. Rows and assignments become the JSON of /v1/insert and /v1/update, together with the source
 * positions of everything that these endpoints may refuse.
 */
import { ENTITIES_PER_INSERT_MAX, invariant, QuarryError } from '../../base/index.js';
import type { Condition } from '../../ir/index.js';
import type { Dimension } from '../../schema/index.js';
import { sqlError } from '../sql-error.js';
import type {
  InsertQueryStatement,
  InsertStatement,
  SourcePosition,
  SqlNode,
  UpdateStatement,
  WriteStatement,
} from '../tree.js';
import { bodyOf, InsertTarget } from './insert-target.js';
import type { SqlRequest } from './request.js';
import { bindTarget } from './where/target.js';
import { checkDistinct, membersOfRow, textOfLiteral, writeColumn } from './write-values.js';

export type BoundWrite =
  | {
      readonly write: 'insert';
      readonly rowCount: number;
      /** Builds the insert body of the first `rows` rows. */
      readonly body: (rows: number) => Uint8Array;
    }
  | {
      readonly write: 'change';
      readonly dimensionId: number;
      readonly condition: Condition;
      /** JSON text of an object column api-name -> value; null = the entities are deleted. */
      readonly set: string | null;
    };

/**
 * Binds all writes of a body, whose entities together must not exceed the limit of one insert. Throws 6000 with position,
 * and 506.
 */
export function bindWrites(
  statements: readonly WriteStatement[],
  request: SqlRequest,
): readonly BoundWrite[] {
  let rowCount = 0;
  for (const statement of statements) {
    if (statement.is !== 'insert') continue;
    rowCount += statement.rows.length;
    if (rowCount <= ENTITIES_PER_INSERT_MAX) continue;
    const what = `the request inserts more than ${ENTITIES_PER_INSERT_MAX} entities`;
    throw sqlError(what, statement.position, { code: 2012 });
  }
  return statements.map((statement) => {
    invariant(statement.is !== 'insert-query', 'the rows of a SELECT are bound by bindSelectedRows');
    return bindWrite(statement, request);
  });
}

function bindWrite(
  statement: Exclude<WriteStatement, InsertQueryStatement>,
  request: SqlRequest,
): BoundWrite {
  if (statement.is === 'insert') return bindInsert(statement, request);
  const { dimension, condition } = bindTarget(statement.table, statement.where, request);
  const set = statement.is === 'update' ? bindSet(statement, dimension, request) : null;
  return { write: 'change', dimensionId: dimension.id, condition, set };
}

function bindInsert({ rows, ...statement }: InsertStatement, request: SqlRequest): BoundWrite {
  const memberOf = rowBinder(statement, request);
  const members = rows.map(memberOf);
  return {
    write: 'insert',
    rowCount: rows.length,
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
  const { access, dialect } = request;
  const targets = set.map(({ column, position }) => writeColumn(column, dimension, access, position));
  checkDistinct(
    targets,
    set.map(({ position }) => position),
  );
  const idAt = targets.findIndex(({ is }) => is === 'entity-id');
  if (idAt !== -1) throw sqlError('an entity ID cannot be changed', set[idAt].position);
  const values = set.map(({ value }) => value);
  return `{${membersOfRow(targets, values, dialect)}}`;
}

/** Converts a refusal by the insert or update rules to an SQL error; `row` is the row of an INSERT. */
export function refusedWrite(
  statement: WriteStatement,
  row: number | null,
  refusal: QuarryError,
): QuarryError {
  const { code, message, moreInfo } = refusal;
  const position = positionOf(statement, row);
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
