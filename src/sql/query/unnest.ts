/**
 * UNNEST as other SQL: the rows of a list are those of
 * (SELECT LIST_EXTRACT(l.list, p.at) FROM (SELECT expression AS list) l, generate_series(1, ARRAY_LENGTH(l.list)) p (at)).
 */
import { lowerCase } from '../../schema/index.js';
import { sqlError } from '../sql-error.js';
import type { FromItem, Query, SelectItem, SourcePosition, SqlNode } from '../tree.js';
import { selectOf } from './select-of.js';

const [LIST, AT] = ['list', 'at'];
const NAME = 'unnest';
const ORDINALITY = 'ordinality';

type Derived = Extract<FromItem, { readonly is: 'derived' }>;

export const isUnnest = (name: string): boolean => lowerCase(name) === NAME;

/** The items of the list as a query of one column, or of two with their positions from 1. */
export function itemsQuery(list: SqlNode, column: string, withOrdinality: boolean): Query {
  const { position } = list;
  const at = { position, parenthesized: false } as const;
  const columnOf = (table: string, name: string): SqlNode => ({ is: 'column', table, name, ...at });
  const call = (name: string, args: readonly SqlNode[]): SqlNode => ({
    ...{ is: 'call', name, args, distinct: false },
    ...at,
  });
  const stored = columnOf('l', LIST);
  const one: SqlNode = { is: 'number', text: '1', ...at };
  const from: readonly FromItem[] = [
    {
      ...{ is: 'derived', query: selectOf([{ of: list, alias: LIST }], [], null, position) },
      ...{ alias: 'l', columnNames: null, lateral: false, position },
    },
    {
      ...{ is: 'function', name: 'generate_series', args: [one, call('array_length', [stored])] },
      ...{ alias: 'p', columnNames: [AT], position },
    },
  ];
  const items: readonly SelectItem[] = [
    { of: call('list_extract', [stored, columnOf('p', AT)]), alias: column },
    ...(withOrdinality ? [{ of: columnOf('p', AT), alias: ORDINALITY }] : []),
  ];
  return selectOf(items, from, null, position);
}

/** UNNEST(list) in FROM. Throws 6000. */
export function unnestItem(
  args: readonly SqlNode[],
  named: Pick<Derived, 'alias' | 'columnNames' | 'position'>,
  withOrdinality: boolean,
): Derived {
  if (args.length !== 1) throw sqlError('UNNEST takes one list', named.position);
  const query = itemsQuery(args[0], named.alias ?? NAME, withOrdinality);
  return { is: 'derived', query, ...named, alias: named.alias ?? NAME, lateral: true };
}

interface Listed {
  readonly items: readonly SelectItem[];
  readonly from: readonly FromItem[];
}

/** Moves an UNNEST of the select list to FROM. Throws 6000 for a second one, and beside `*`. */
export function withoutUnnest({ items, from }: Listed): Listed {
  const at = items.findIndex(({ of }) => of.is === 'call' && isUnnest(of.name));
  if (at === -1) return { items, from };
  const { of, alias } = items[at] as {
    readonly of: Extract<SqlNode, { readonly is: 'call' }>;
    alias: string | null;
  };
  const { position } = of;
  const others = items.filter((_item, index) => index !== at);
  if (others.some((item) => item.of.is === 'star')) throw besideStar(position);
  if (others.some((item) => item.of.is === 'call' && isUnnest(item.of.name))) {
    throw sqlError('a select list has at most one UNNEST; write the others in FROM', position);
  }
  const hidden = 'unnested items';
  const source = unnestItem(of.args, { alias: hidden, columnNames: [NAME], position }, false);
  const column: SqlNode = { is: 'column', table: hidden, name: NAME, position, parenthesized: false };
  const moved = items.map((item, index) => (index === at ? { of: column, alias: alias ?? NAME } : item));
  return { items: moved, from: [...from, source] };
}

const besideStar = (position: SourcePosition): Error =>
  sqlError('UNNEST beside * is written in FROM: FROM t, UNNEST(list) AS item', position);
