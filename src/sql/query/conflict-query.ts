/** The SELECT of the entities that DO UPDATE changes, with their new values. */
import type {
  InsertQueryStatement,
  InsertStatement,
  QueryStatement,
  SqlNode,
  UpdateStatement,
} from '../tree.js';
import { rowQueryOf } from './row-query.js';

/** The name of the table of the rows that were not inserted, as in PostgreSQL. */
export const EXCLUDED = 'excluded';
/** No table can have this name. */
export const EXCLUDED_TABLE = ' excluded';

const ENTITY_ID = 'entity-id';

/**
 * DO UPDATE as an UPDATE over the table EXCLUDED_TABLE, null = DO NOTHING. `also`: further assignments; `within`: a further
 * condition.
 */
export function conflictUpdate(
  { position, table, tables, conflict }: InsertStatement | InsertQueryStatement,
  also: UpdateStatement['set'] = [],
  within: SqlNode | null = null,
): UpdateStatement | null {
  if (conflict === null || conflict.update === null) return null;
  const { set, where } = conflict.update;
  const at = { position: conflict.position, parenthesized: false };
  const idOf = (name: string): SqlNode => ({ is: 'column', table: name, name: ENTITY_ID, ...at });
  const isSame: SqlNode = {
    ...{ is: 'compare', comparison: '=', ...at },
    ...{ left: idOf(table.alias ?? table.name), right: idOf(EXCLUDED) },
  };
  return {
    ...{ is: 'update', position, table, tables, returning: null, set: [...set, ...also] },
    from: [{ is: 'table', name: EXCLUDED_TABLE, alias: EXCLUDED, position, columnNames: null }],
    where: [within, where]
      .filter((one) => one !== null)
      .reduce<SqlNode>((left, right) => ({ is: 'and', left, right, ...at }), isSame),
  };
}

/** The SELECT of `conflictUpdate`; null = DO NOTHING. */
export function conflictQuery(statement: InsertStatement | InsertQueryStatement): QueryStatement | null {
  const update = conflictUpdate(statement);
  return update === null ? null : rowQueryOf(update).query;
}
