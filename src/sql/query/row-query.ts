/** The SELECT that a write takes its rows from: those of INSERT ... SELECT, or the entities of UPDATE and DELETE. */
import type {
  CommonTable,
  DeleteStatement,
  InsertQueryStatement,
  NamedColumn,
  QueryStatement,
  SqlNode,
  TableName,
  UpdateStatement,
} from '../tree.js';
import { selectOf } from './select-of.js';

export type RowStatement = InsertQueryStatement | UpdateStatement | DeleteStatement;

export interface RowQuery {
  readonly table: TableName;
  /** The columns of the table that the columns of the query are written to. */
  readonly columns: readonly NamedColumn[];
  readonly query: QueryStatement;
}

const ENTITY_ID = 'entity-id';

export function rowQueryOf(statement: RowStatement): RowQuery {
  const { position, table, tables: common } = statement;
  if (statement.is === 'insert-query') return { ...statement, query: withTables(statement.query, common) };
  const { from, where } = statement;
  const set = statement.is === 'update' ? statement.set : [];
  const id: SqlNode = {
    ...{ is: 'column', table: table.alias ?? table.name, name: ENTITY_ID },
    ...{ position: table.position, parenthesized: false },
  };
  const items = [id, ...set.map(({ value }) => value)].map((of) => ({ of, alias: null }));
  const tables = [{ is: 'table', ...table, columnNames: null } as const, ...from];
  return {
    table,
    columns: [
      { name: ENTITY_ID, position: table.position },
      ...set.map(({ column, position: at }) => ({ name: column, position: at })),
    ],
    query: withTables(
      { is: 'query', position, explain: 'no', query: selectOf(items, tables, where, position) },
      common,
    ),
  };
}

/** The statement with the tables of WITH before the write. */
function withTables(statement: QueryStatement, tables: readonly CommonTable[]): QueryStatement {
  if (tables.length === 0) return statement;
  const { query } = statement;
  return { ...statement, query: { ...query, tables: [...tables, ...query.tables] } };
}
