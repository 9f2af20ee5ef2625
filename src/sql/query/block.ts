/** Parses one SELECT, from SELECT to QUALIFY, without set operations, ORDER BY and LIMIT. */
import { type QueryPaging, readTop } from '../paging.js';
import { sqlError } from '../sql-error.js';
import type { TokenReader } from '../token-reader.js';
import type { Token } from '../tokens.js';
import type { SelectBlock, SelectItem, SqlNode } from '../tree.js';
import { isItemAlias, isWindowAhead, readAlias } from './alias.js';
import { readFrom } from './from.js';
import { readGroupBy } from './grouping.js';
import { commaList } from './order-keys.js';
import { withoutRowCalls } from './unnest.js';
import { readWindow } from './windows.js';

/** TOP n [WITH TIES]. */
export type Top = Pick<QueryPaging, 'limit' | 'withTies'>;

export function readBlock(reader: TokenReader): { readonly body: SelectBlock; readonly top: Top | null } {
  const { position } = reader.next();
  const { top, ...choice } = readChoice(reader);
  const items = readItems(reader);
  const from = reader.acceptKeyword('FROM') ? readFrom(reader) : [];
  const where = reader.acceptKeyword('WHERE') ? conditionOf(reader) : null;
  const groupBy = reader.isKeyword('GROUP') ? readGroupBy(reader) : [];
  const having = reader.acceptKeyword('HAVING') ? conditionOf(reader) : null;
  const windows = isWindowAhead(reader) ? readWindows(reader) : [];
  const qualify = reader.acceptKeyword('QUALIFY') ? conditionOf(reader) : null;
  const clauses = { ...withoutRowCalls({ items, from }), where, groupBy, having, windows, qualify };
  return { body: { is: 'block', position, ...choice, ...clauses }, top };
}

/** Parses the list of SELECT or RETURNING. */
export const readItems = (reader: TokenReader): readonly SelectItem[] =>
  commaList(reader, () => readItem(reader));

type Choice = Pick<SelectBlock, 'distinct' | 'distinctOn'> & { readonly top: Top | null };

/** Parses ALL, DISTINCT, DISTINCT ON (...) and TOP n, which may precede or follow DISTINCT. */
function readChoice(reader: TokenReader): Choice {
  const before = topOf(reader);
  let distinctOn: readonly SqlNode[] | null = null;
  const isAll = reader.isKeyword('ALL') && !isNameHere(reader);
  if (isAll) reader.next();
  const distinct = !isAll && reader.acceptKeyword('DISTINCT');
  if (distinct && reader.acceptKeyword('ON')) {
    const open = reader.peek();
    reader.expectSign('(');
    distinctOn = commaList(reader, () => reader.expression());
    reader.expectClosing(open.position);
  }
  return { distinct, distinctOn, top: before ?? topOf(reader) };
}

/** Whether the word is a column, as in SELECT all, b. */
function isNameHere(reader: TokenReader): boolean {
  const next = reader.peek(1);
  return (
    next.kind === 'end' || next.upper === 'FROM' || next.upper === 'AS' || /^[,.)=<>/%|]/.test(signOf(next))
  );
}

const signOf = ({ kind, text }: Token): string => (kind === 'sign' ? text : '');

function topOf(reader: TokenReader): Top | null {
  const limit = readTop(reader);
  return limit === null ? null : { limit, withTies: reader.acceptKeywords('WITH', 'TIES') };
}

function conditionOf(reader: TokenReader): SqlNode {
  const node = reader.expression();
  if (!reader.isSign(',')) return node;
  throw sqlError('conditions are joined with AND and OR, not with commas', reader.peek().position);
}

function readItem(reader: TokenReader): SelectItem {
  const star = readStar(reader);
  if (star === null) return { of: reader.expression(), alias: readAlias(reader, isItemAlias) };
  if (reader.isKeyword('AS')) throw sqlError('* cannot have an alias', star.position);
  return { of: star, alias: null };
}

/** Parses `*` and `jobs.*`. */
function readStar(reader: TokenReader): SqlNode | null {
  const first = reader.peek();
  const { position } = first;
  if (reader.acceptSign('*')) return { is: 'star', table: null, position, parenthesized: false };
  const named = first.kind === 'word' || first.kind === 'bracketed' || first.kind === 'double';
  if (!named || !reader.isSign('.', 1) || !reader.isSign('*', 2)) return null;
  reader.at += 3;
  return { is: 'star', table: first.text, position, parenthesized: false };
}

function readWindows(reader: TokenReader): SelectBlock['windows'] {
  reader.next();
  return commaList(reader, () => {
    const { text: name } = reader.expectName("a window's name");
    reader.expectKeyword('AS');
    return { name, window: readWindow(reader) };
  });
}
