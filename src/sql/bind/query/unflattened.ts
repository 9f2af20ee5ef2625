/** A flat statement in the form of a query. */
import type { FromItem, Query, SelectStatement, TableName } from '../../tree.js';

/** The query with the same meaning; the inverse of `flattened`. */
export function queryOf(statement: SelectStatement): Query {
  const { position, items, where, having, distinct, limit, offset } = statement;
  return {
    position,
    tables: [],
    body: {
      is: 'block',
      ...{ position, distinct, distinctOn: null, items, where, having },
      from: statement.from === null ? [] : [joinsOf(statement.from, statement)],
      groupBy: statement.groupBy.map((of) => ({ is: 'key', of })),
      windows: [],
      qualify: null,
    },
    orderBy: statement.orderBy.map((key) => ({ ...key, missing: null })),
    limit,
    withTies: false,
    offset,
  };
}

const joinsOf = (from: TableName, { joins }: SelectStatement): FromItem =>
  joins.reduce<FromItem>(
    (left, { table, kind, on }) => ({
      is: 'join',
      ...{ kind, left, right: tableItem(table), natural: false, using: null, on },
      position: table.position,
    }),
    tableItem(from),
  );

const tableItem = (table: TableName): FromItem => ({ is: 'table', ...table, columnNames: null });
