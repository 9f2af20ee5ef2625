/** Errors for a token that cannot continue a query. */
import { suggestion } from '../bind/suggest.js';
import { sqlError } from '../sql-error.js';
import { isSign, type Token, unexpected } from '../tokens.js';

const ORDER = 'WITH, SELECT, FROM, JOIN, WHERE, GROUP BY, HAVING, WINDOW, QUALIFY, UNION, ORDER BY, LIMIT';
const CLAUSES: ReadonlySet<string> = new Set([
  ...['WITH', 'FROM', 'JOIN', 'INNER', 'WHERE', 'GROUP', 'HAVING', 'WINDOW', 'QUALIFY', 'ORDER'],
  ...['UNION', 'INTERSECT', 'EXCEPT'],
]);

/** Words that follow a table or a column, and are read as its alias if they are misspelled. */
const AFTER_NAMES: readonly string[] = [
  ...['FROM', 'WHERE', 'GROUP', 'ORDER', 'HAVING', 'LIMIT', 'OFFSET', 'FETCH', 'WINDOW', 'QUALIFY'],
  ...['JOIN', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS', 'NATURAL', 'UNION', 'INTERSECT', 'EXCEPT', 'ON'],
];

/** The error for `token`, with the keyword that the word before it, or it, resembles as a suggestion. */
export function unexpectedAfter(before: Token | undefined, token: Token, expected: string): Error {
  const near = misspelled(before) ?? misspelled(token);
  return unexpected(token, expected, near === null ? {} : { suggestion: near });
}

function misspelled(token: Token | undefined): string | null {
  if (token?.kind !== 'word') return null;
  const near = suggestion(token.text, AFTER_NAMES);
  return near === token.upper ? null : near;
}

/** `before`: the token before it; `expected`: what may follow if the token begins no clause. */
export function afterQuery(before: Token | undefined, token: Token, expected: string): Error {
  const { upper, position } = token;
  if (isSign(token, ')')) return sqlError('this ) closes nothing', position);
  if (upper === 'ASC' || upper === 'DESC') return sqlError(`${upper} is allowed only in ORDER BY`, position);
  if (!CLAUSES.has(upper)) return unexpectedAfter(before, token, expected);
  return sqlError(
    `${upper} is not allowed here; the clauses of a SELECT have this order: ${ORDER}`,
    position,
  );
}
