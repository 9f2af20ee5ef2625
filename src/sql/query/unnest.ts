/**
 * UNNEST and other functions that return items as rows, as other SQL: the rows of a list are those of
 * (SELECT LIST_EXTRACT(l.list, p.at) FROM (SELECT expression AS list) l, generate_series(1, ARRAY_LENGTH(l.list)) p (at)). Several
 * lists have as many rows as the longest.
 */
import { lowerCase } from '../../schema/index.js';
import { sqlError } from '../sql-error.js';
import type { CallNode, FromItem, Query, SelectItem, SqlNode } from '../tree.js';
import { extractionOf, listsOf, returnsItems, rowCallIn, withReplaced } from './row-functions.js';
import { selectOf } from './select-of.js';

const [LIST, AT] = ['list', 'at'];
const ORDINALITY = 'ordinality';

type Derived = Extract<FromItem, { readonly is: 'derived' }>;

/** The items of the list as a query of one column, or of two with their positions from 1. */
export const itemsQuery = (list: SqlNode, column: string, withOrdinality: boolean): Query =>
  rowsOfLists([list], column, withOrdinality, 'list_extract');

/**
 * The items of lists side by side, NULL after the end of a shorter list; a last column has their positions from 1 if `withOrdinality`.
 * `extract`: the function that returns an item.
 */
function rowsOfLists(
  lists: readonly SqlNode[],
  column: string,
  withOrdinality: boolean,
  extract: string,
): Query {
  const [{ position }] = lists;
  const at = { position, parenthesized: false } as const;
  const columnOf = (table: string, name: string): SqlNode => ({ is: 'column', table, name, ...at });
  const call = (name: string, args: readonly SqlNode[]): SqlNode => ({
    ...{ is: 'call', name, args, distinct: false },
    ...at,
  });
  const stored = lists.map((_list, index) => columnOf('l', `${LIST} ${index}`));
  const number = (text: string): SqlNode => ({ is: 'number', text, ...at });
  const lengths = stored.map((list) => call('coalesce', [call('json_array_length', [list]), number('0')]));
  const length = lengths.length === 1 ? lengths[0] : call('greatest', lengths);
  const selected = lists.map((of, index): SelectItem => ({ of, alias: `${LIST} ${index}` }));
  const from: readonly FromItem[] = [
    {
      ...{ is: 'derived', query: selectOf(selected, [], null, position) },
      ...{ alias: 'l', columnNames: null, lateral: false, position },
    },
    {
      ...{ is: 'function', name: 'generate_series', args: [number('1'), length] },
      ...{ alias: 'p', columnNames: [AT], position },
    },
  ];
  const items: readonly SelectItem[] = [
    ...stored.map((list) => ({ of: call(extract, [list, columnOf('p', AT)]), alias: column })),
    ...(withOrdinality ? [{ of: columnOf('p', AT), alias: ORDINALITY }] : []),
  ];
  return selectOf(items, from, null, position);
}

/** The first position of a value in a list, from `start` on, as a query of one row; NULL is found like a value. */
export function positionQuery(list: SqlNode, value: SqlNode, start: SqlNode | null): Query {
  const { position } = list;
  const at = { position, parenthesized: false } as const;
  const table = 'searched list';
  const [item, index] = ['item', ORDINALITY].map((name): SqlNode => ({ is: 'column', table, name, ...at }));
  const missing = (of: SqlNode): SqlNode => ({ is: 'is-null', of, negated: false, ...at });
  const same: SqlNode = { is: 'compare', comparison: '=', left: item, right: value, ...at };
  const both: SqlNode = { is: 'and', left: missing(item), right: missing(value), ...at };
  const found: SqlNode = { is: 'or', left: same, right: both, ...at };
  const after: SqlNode | null =
    start === null ? null : { is: 'compare', comparison: '>=', left: index, right: start, ...at };
  const where: SqlNode = after === null ? found : { is: 'and', left: found, right: after, ...at };
  const first: SqlNode = { is: 'call', name: 'min', args: [index], distinct: false, ...at };
  const from: FromItem = {
    ...{ is: 'derived', query: itemsQuery(list, 'item', true), alias: table, columnNames: null },
    ...{ lateral: true, position },
  };
  return selectOf([{ of: first, alias: null }], [from], where, position);
}

/** A function in FROM that returns the items of a list, or UNNEST of several lists. Throws 6000. */
export function itemsTable(
  name: string,
  args: readonly SqlNode[],
  named: Pick<Derived, 'alias' | 'columnNames' | 'position'>,
  withOrdinality: boolean,
): Derived {
  const lists = listsOf(name, args, named.position);
  if (lists.length === 0) throw sqlError('UNNEST takes at least one list', named.position);
  const alias = named.alias ?? lowerCase(name);
  const query = rowsOfLists(lists, alias, withOrdinality, extractionOf(name));
  return { is: 'derived', query, ...named, alias, lateral: true };
}

interface Listed {
  readonly items: readonly SelectItem[];
  readonly from: readonly FromItem[];
}

/**
 * Moves a function that returns rows from the select list to FROM. Throws 6000 for a second one, and where the rows would be
 * others: beside `*` and beside window functions.
 */
export function withoutRowCalls({ items, from }: Listed): Listed {
  const calls = items.map(({ of }) => rowCallIn(of));
  const at = calls.findIndex((call) => call !== null);
  const call = calls[at] ?? null;
  if (call === null) return { items, from };
  const { name, position } = call;
  const label = name.toUpperCase();
  if (items.some(({ of }) => of.is === 'star')) {
    throw sqlError(`${label} beside * is written in FROM: FROM t, ${label}(...) AS item`, position);
  }
  const second = calls.find((other, index) => index !== at && other !== null) ?? null;
  if (second !== null) {
    const what = 'a select list has at most one function that returns rows; write the others in FROM';
    throw sqlError(what, second.position);
  }
  if (items.some(({ of }) => of.is === 'over')) {
    throw sqlError(`${label} beside a window function is written in FROM of an outer SELECT`, position);
  }
  if (lowerCase(name) === 'unnest' && call.args.length > 1) {
    throw sqlError('UNNEST of several lists is written in FROM: FROM t, UNNEST(a, b) AS u (x, y)', position);
  }
  const hidden = 'returned rows';
  const named = { alias: hidden, columnNames: [name], position };
  const source: FromItem = returnsItems(name)
    ? itemsTable(name, call.args, named, false)
    : { is: 'function', name, args: call.args, ...named };
  const column: SqlNode = { is: 'column', table: hidden, name, position, parenthesized: false };
  const moved = items.map((item, index) => (index === at ? replacedIn(item, call, column) : item));
  return { items: moved, from: [...from, source] };
}

function replacedIn({ of, alias }: SelectItem, call: CallNode, column: SqlNode): SelectItem {
  const isIndexed = of.is === 'call' && of.name === 'list_extract';
  const name = of === call || isIndexed ? call.name : null;
  return { of: withReplaced(of, call, column), alias: alias ?? name };
}
