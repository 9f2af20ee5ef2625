/** The columns that rows are written to, and the rows as members of the body of /v1/insert. */
import { sqlError } from '../sql-error.js';
import type { NamedColumn, SourcePosition, SqlNode, TableName, WriteStatement } from '../tree.js';
import { attributesOf, dimensionOf } from './clauses/sources.js';
import type { SqlRequest } from './request.js';
import { checkDistinct, membersOfRow, type WriteColumn, writeColumn } from './write-values.js';

/** The statement with the columns of the table if it names none: as many as its rows have values, in the order of SELECT *. */
export function withColumns<T extends WriteStatement>(statement: T, { model, access }: SqlRequest): T {
  if ((statement.is !== 'insert' && statement.is !== 'insert-query') || statement.columns.length > 0)
    return statement;
  const { table } = statement;
  const all = attributesOf(dimensionOf(table, model), access);
  const width = statement.is === 'insert' ? statement.rows[0].length : all.length;
  const columns = all.slice(0, width).map(({ apiName }) => ({ name: apiName, position: table.position }));
  return { ...statement, columns };
}

export class InsertTarget {
  readonly columns: readonly WriteColumn[];
  /** The index of the entity ID. */
  readonly idAt: number;
  readonly #prefix: string;
  readonly #request: SqlRequest;

  /** `withoutId`: the error if no column is the entity ID. Throws 6000, 506. */
  constructor(
    table: TableName,
    columns: readonly NamedColumn[],
    request: SqlRequest,
    withoutId: { readonly message: string; readonly position: SourcePosition },
  ) {
    const dimension = dimensionOf(table, request.model);
    this.columns = columns.map(({ name, position }) =>
      writeColumn(name, dimension, request.access, position),
    );
    checkDistinct(
      this.columns,
      columns.map(({ position }) => position),
    );
    this.idAt = this.columns.findIndex(({ is }) => is === 'entity-id');
    if (this.idAt === -1) throw sqlError(withoutId.message, withoutId.position);
    this.#prefix = `{"dimension":${JSON.stringify(dimension.apiName)}`;
    this.#request = request;
  }

  /** The member of an insert body. `columns` are those of the values; the value of an entity ID is ignored. */
  member(id: string, columns: readonly WriteColumn[], values: readonly SqlNode[]): string {
    const members = membersOfRow(columns, values, this.#request.dialect);
    return `${JSON.stringify(id)}:${this.#prefix}${members === '' ? '' : ','}${members}}`;
  }
}

/** The entity ID of a member. */
export const idOfMember = (member: string): string =>
  JSON.parse(member.slice(0, member.indexOf('":{"dimension":') + 1)) as string;

/** An insert body of these members. */
export const bodyOf = (members: readonly string[]): Uint8Array =>
  Buffer.from(`{${members.join(',')}}`, 'utf8');
