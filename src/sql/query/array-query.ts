/**
 * ARRAY(SELECT ...) as other SQL: (SELECT ARRAY_AGG(q.item ORDER BY q.key) FROM (SELECT ...) q (item, key)), or an empty list. The
 * keys of ORDER BY become columns beside the item, because ARRAY_AGG does not follow the order of its rows.
 */
import { lowerCase } from '../../schema/index.js';
import { sqlError } from '../sql-error.js';
import type { FromItem, OrderKey, Query, SelectBlock, SelectItem, SqlNode } from '../tree.js';
import { selectOf } from './select-of.js';

const TABLE = 'array rows';
const ITEM = 'item';

/** The list of the values of a query of one column. Throws 6000 for several columns and for an order that is not selected. */
export function arrayOf(query: Query): SqlNode {
  const { position } = query;
  const at = { position, parenthesized: false } as const;
  const columnOf = (name: string): SqlNode => ({ is: 'column', table: TABLE, name, ...at });
  const call = (name: string, args: readonly SqlNode[]) =>
    ({ is: 'call', name, args, distinct: false, ...at }) as const;
  const { rows, keyNames } = withKeys(query);
  const orderBy = query.orderBy.map((key, index) => ({ ...key, of: columnOf(keyNames[index]) }));
  const items = call('array_agg', [columnOf(ITEM)]);
  const list: SqlNode = orderBy.length === 0 ? items : { is: 'ordered', call: items, orderBy, ...at };
  const columnNames = [ITEM, ...keyNames.filter((name) => name !== ITEM)];
  const from: FromItem = {
    ...{ is: 'derived', query: rows, alias: TABLE, columnNames, lateral: false, position },
  };
  const subquery = selectOf([{ of: list, alias: null }], [from], null, position);
  return call('array rows', [{ is: 'subquery', query: subquery, ...at }]);
}

/** The query with its keys as columns after the item, and the column of each key. */
function withKeys(query: Query): { readonly rows: Query; readonly keyNames: readonly string[] } {
  const { body, orderBy, position } = query;
  const item = body.is === 'block' ? itemOf(body, query) : null;
  const added: SelectItem[] = [];
  const keyNames = orderBy.map((key, index) => {
    if (isItem(key, item)) return ITEM;
    if (body.is !== 'block' || body.distinct) {
      throw sqlError(
        'the rows of this ARRAY(SELECT ...) can only be ordered by their value: ORDER BY 1',
        key.of.position,
      );
    }
    added.push({ of: key.of, alias: `key ${index}` });
    return `key ${index}`;
  });
  if (body.is !== 'block' || item === null) return { rows: query, keyNames };
  return { rows: { ...query, body: { ...body, items: [item, ...added] }, position }, keyNames };
}

function itemOf({ items }: SelectBlock, { position }: Query): SelectItem {
  if (items.length === 1 && items[0].of.is !== 'star') return items[0];
  throw sqlError('ARRAY(SELECT ...) has one column', position);
}

/** Whether a key is the item: by its number, by its alias, or as the same column. */
function isItem({ of }: OrderKey, item: SelectItem | null): boolean {
  if (of.is === 'number') {
    if (of.text === '1') return true;
    throw sqlError('the SELECT has one column: ORDER BY 1', of.position);
  }
  if (item === null || of.is !== 'column') return false;
  const name = lowerCase(of.name);
  if (of.table === null && item.alias !== null && lowerCase(item.alias) === name) return true;
  if (item.of.is !== 'column' || lowerCase(item.of.name) !== name) return false;
  return of.table === null || item.of.table === null || lowerCase(of.table) === lowerCase(item.of.table);
}
