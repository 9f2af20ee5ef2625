/** Finds the operand at the end of a list of tokens, to which `::` or `- INTERVAL` applies. */
import { sqlError } from '../sql-error.js';
import { isReserved } from '../token-reader.js';
import { isSign, type Token } from '../tokens.js';
import type { SourcePosition } from '../tree.js';

const LITERAL_TYPES: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIMESTAMP', 'TIMESTAMPTZ']);

const isName = (token: Token | undefined): boolean =>
  token !== undefined && (token.kind === 'bracketed' || (token.kind === 'word' && !isReserved(token)));

/**
 * Returns the index of the first token of the operand. Throws 6000 at `position`, that of the operator, if there is none.
 */
export function operandStart(tokens: readonly Token[], position: SourcePosition): number {
  const at = tokens.length - 1;
  const last = tokens[at];
  if (last === undefined) throw sqlError('an operand is missing before this', position);
  if (isSign(last, ')')) {
    const open = opening(
      tokens,
      at,
      (token) => isSign(token, ')'),
      (token) => isSign(token, '('),
      position,
    );
    return isName(tokens[open - 1]) ? open - 1 : open;
  }
  if (last.upper === 'END') {
    return opening(
      tokens,
      at,
      ({ upper }) => upper === 'END',
      ({ upper }) => upper === 'CASE',
      position,
    );
  }
  if (last.kind === 'single') return LITERAL_TYPES.has(tokens[at - 1]?.upper ?? '') ? at - 1 : at;
  const isValue = last.kind === 'number' || ['NULL', 'TRUE', 'FALSE'].includes(last.upper);
  if (isValue) return at;
  if (!isName(last))
    throw sqlError('a column, a value or an expression in parentheses is missing before this', position);
  let first = at;
  while (first >= 2 && isSign(tokens[first - 1], '.')) first -= 2;
  return first;
}

/** The index of the parenthesis that opens the one that closes at `from`. */
function opening(
  tokens: readonly Token[],
  from: number,
  closes: (token: Token) => boolean,
  opens: (token: Token) => boolean,
  position: SourcePosition,
): number {
  let depth = 0;
  for (let at = from; at >= 0; at--) {
    if (closes(tokens[at])) depth++;
    else if (opens(tokens[at]) && --depth === 0) return at;
  }
  throw sqlError('the parenthesis or CASE that ends before this has no beginning', position);
}
