/** Errors for a token that cannot continue a query. */
import { sqlError } from '../sql-error.js';
import { isSign, type Token, unexpected } from '../tokens.js';

const ORDER = 'WITH, SELECT, FROM, JOIN, WHERE, GROUP BY, HAVING, WINDOW, QUALIFY, UNION, ORDER BY, LIMIT';
const CLAUSES: ReadonlySet<string> = new Set([
  ...['WITH', 'FROM', 'JOIN', 'INNER', 'WHERE', 'GROUP', 'HAVING', 'WINDOW', 'QUALIFY', 'ORDER'],
  ...['UNION', 'INTERSECT', 'EXCEPT'],
]);

/** `expected`: what may follow if the token begins no clause. */
export function afterQuery(token: Token, expected: string): Error {
  const { upper, position } = token;
  if (isSign(token, ')')) return sqlError('this ) closes nothing', position);
  if (upper === 'ASC' || upper === 'DESC') return sqlError(`${upper} is allowed only in ORDER BY`, position);
  if (!CLAUSES.has(upper)) return unexpected(token, expected);
  return sqlError(
    `${upper} is not allowed here; the clauses of a SELECT have this order: ${ORDER}`,
    position,
  );
}
