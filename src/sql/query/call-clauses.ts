/** Parses the clauses after a call: WITHIN GROUP (ORDER BY ...), FILTER (WHERE ...), OVER window. */
import { sqlError } from '../sql-error.js';
import type { TokenReader } from '../token-reader.js';
import { unexpected } from '../tokens.js';
import type { CallNode, SqlNode, WindowDefinition } from '../tree.js';
import { readOrderBy } from './order-keys.js';
import { readWindow, windowName } from './windows.js';

type OrderedNode = Extract<SqlNode, { readonly is: 'ordered' }>;

/** Whether a clause of the call before it follows; elsewhere these words are names. */
export function callClausesFollow(reader: TokenReader): boolean {
  const { upper } = reader.peek();
  if (upper === 'WITHIN') return reader.isKeyword('GROUP', 1);
  if (upper === 'FILTER') return reader.isSign('(', 1);
  return upper === 'OVER' && (reader.isSign('(', 1) || windowName(reader.peek(1)) !== null);
}

export function readCallClauses(reader: TokenReader, called: CallNode | OrderedNode): SqlNode {
  const { position } = called;
  const at = { position, parenthesized: false } as const;
  const ordered = reader.isKeyword('WITHIN') ? withinGroup(reader, called) : called;
  const where = reader.isKeyword('FILTER') ? filterOf(reader) : null;
  if (!reader.isKeyword('OVER') || !callClausesFollow(reader)) {
    if (where === null) return ordered;
    return ordered.is === 'call'
      ? { is: 'filtered', call: ordered, where, ...at }
      : filteredOrder(ordered, where, ordered !== called);
  }
  const over = reader.next();
  if (ordered.is === 'ordered') {
    throw sqlError('ORDER BY inside a call cannot be used together with OVER', over.position);
  }
  return { is: 'over', call: ordered, where, window: windowOf(reader), ...at };
}

function withinGroup(reader: TokenReader, called: CallNode | OrderedNode): OrderedNode {
  const { position } = reader.peek();
  if (called.is === 'ordered') {
    throw sqlError('WITHIN GROUP cannot be used together with ORDER BY inside the call', position);
  }
  reader.acceptKeywords('WITHIN', 'GROUP');
  const open = reader.peek();
  reader.expectSign('(');
  const orderBy = readOrderBy(reader);
  reader.expectClosing(open.position);
  return { is: 'ordered', call: called, orderBy, position: called.position, parenthesized: false };
}

function filterOf(reader: TokenReader): SqlNode {
  reader.next();
  const open = reader.next();
  reader.expectKeyword('WHERE');
  const where = reader.expression();
  reader.expectClosing(open.position);
  return where;
}

/** A percentile ignores missing values, so that the values of other rows can be replaced by missing ones. */
function filteredOrder(ordered: OrderedNode, where: SqlNode, isWithinGroup: boolean): SqlNode {
  const { call, orderBy, position } = ordered;
  const mayIgnore = isWithinGroup && !LISTS.has(call.name);
  if (!mayIgnore) return { is: 'filtered', call, where, orderBy, position, parenthesized: false };
  const onlyWhere = (of: SqlNode): SqlNode => {
    // biome-ignore lint/suspicious/noThenProperty: a keyword of SQL; a branch is never awaited
    const branches = [{ when: where, then: of }];
    return { is: 'case', of: null, branches, otherwise: null, position: of.position, parenthesized: false };
  };
  return { ...ordered, orderBy: orderBy.map((key) => ({ ...key, of: onlyWhere(key.of) })) };
}

/** Aggregates whose WITHIN GROUP gives the order of the values instead of the values. */
const LISTS: ReadonlySet<string> = new Set([
  ...['string_agg', 'listagg', 'group_concat', 'array_agg', 'json_agg', 'jsonb_agg'],
]);

function windowOf(reader: TokenReader): WindowDefinition {
  const token = reader.peek();
  if (reader.isSign('(')) return readWindow(reader);
  const base = windowName(token);
  if (base === null) throw unexpected(token, 'a window');
  reader.next();
  return { base, partitionBy: [], orderBy: [], frame: null, position: token.position };
}
