/** Parses window definitions: ( [name] [PARTITION BY ...] [ORDER BY ...] [frame] ). */
import { sqlError } from '../sql-error.js';
import { isReserved, type TokenReader } from '../token-reader.js';
import { type Token, unexpected } from '../tokens.js';
import type { FrameClause, FrameEdge, WindowDefinition } from '../tree.js';
import { commaList, readOrderBy } from './order-keys.js';

const MODES: ReadonlyMap<string, FrameClause['mode']> = new Map([
  ['ROWS', 'rows'],
  ['RANGE', 'range'],
  ['GROUPS', 'groups'],
]);
const EDGE = 'UNBOUNDED, CURRENT ROW, or a value with PRECEDING or FOLLOWING';

/** The name of a window, if the token is a name. */
export function windowName(token: Token): string | null {
  const { kind, text } = token;
  const named = kind === 'bracketed' || kind === 'double' || (kind === 'word' && !isReserved(token));
  return named && text !== '' ? text : null;
}

export function readWindow(reader: TokenReader): WindowDefinition {
  const { position } = reader.peek();
  return reader.nested(position, () => {
    reader.expectSign('(');
    const base = isClauseAhead(reader) ? null : windowName(reader.peek());
    if (base !== null) reader.next();
    const partitionBy = reader.acceptKeywords('PARTITION', 'BY')
      ? commaList(reader, () => reader.expression())
      : [];
    const orderBy = reader.isKeyword('ORDER') ? readOrderBy(reader) : [];
    const frame = MODES.has(reader.peek().upper) ? frameOf(reader) : null;
    if (reader.peek().kind !== 'end' && !reader.isSign(')')) {
      throw unexpected(reader.peek(), expectedIn(partitionBy.length > 0, orderBy.length > 0, frame !== null));
    }
    reader.expectClosing(position);
    return { base, partitionBy, orderBy, frame, position };
  });
}

function isClauseAhead(reader: TokenReader): boolean {
  if (reader.areKeywords('PARTITION', 'BY')) return true;
  return MODES.has(reader.peek().upper) && !reader.isSign(')', 1) && !reader.isKeyword('ORDER', 1);
}

function expectedIn(partitioned: boolean, ordered: boolean, framed: boolean): string {
  if (framed) return 'EXCLUDE or )';
  if (ordered) return 'a comma, ROWS, RANGE, GROUPS or )';
  return partitioned ? 'a comma, ORDER BY or )' : 'PARTITION BY, ORDER BY, ROWS, RANGE, GROUPS or )';
}

function frameOf(reader: TokenReader): FrameClause {
  const mode = MODES.get(reader.next().upper) ?? 'rows';
  const between = reader.acceptKeyword('BETWEEN');
  const first = reader.peek();
  const start = edgeOf(reader);
  if (start.at === 'last') throw sqlError('a frame does not begin with UNBOUNDED FOLLOWING', first.position);
  if (between) reader.expectKeyword('AND');
  const last = reader.peek();
  const end: FrameEdge = between ? edgeOf(reader) : { at: 'current' };
  if (end.at === 'first') throw sqlError('a frame does not end with UNBOUNDED PRECEDING', last.position);
  if (ORDER.indexOf(end.at) < ORDER.indexOf(start.at)) {
    throw sqlError('the frame ends before it begins', first.position);
  }
  return { mode, start, end, exclude: exclusionOf(reader) };
}

/** Parses [EXCLUDE what]. */
function exclusionOf(reader: TokenReader): FrameClause['exclude'] {
  if (!reader.acceptKeyword('EXCLUDE') || reader.acceptKeywords('NO', 'OTHERS')) return null;
  if (reader.acceptKeywords('CURRENT', 'ROW')) return 'current-row';
  if (reader.acceptKeyword('GROUP')) return 'group';
  if (reader.acceptKeyword('TIES')) return 'ties';
  throw unexpected(reader.peek(), 'CURRENT ROW, GROUP, TIES or NO OTHERS');
}

const ORDER: readonly FrameEdge['at'][] = ['first', 'preceding', 'current', 'following', 'last'];

function edgeOf(reader: TokenReader): FrameEdge {
  if (reader.acceptKeywords('CURRENT', 'ROW')) return { at: 'current' };
  if (reader.acceptKeywords('UNBOUNDED', 'PRECEDING')) return { at: 'first' };
  if (reader.acceptKeywords('UNBOUNDED', 'FOLLOWING')) return { at: 'last' };
  if (reader.isKeyword('UNBOUNDED')) throw unexpected(reader.peek(1), 'PRECEDING or FOLLOWING');
  const token = reader.peek();
  if (token.kind === 'end' || reader.isSign(')')) throw unexpected(token, EDGE);
  const offset = reader.value();
  if (reader.acceptKeyword('PRECEDING')) return { at: 'preceding', offset };
  if (reader.acceptKeyword('FOLLOWING')) return { at: 'following', offset };
  throw unexpected(reader.peek(), 'PRECEDING or FOLLOWING');
}
