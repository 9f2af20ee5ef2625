/** Parses the part of an INSERT before its rows: INTO name (columns). */
import { INSERT_NAMES_MAX } from '../limits.js';
import { sqlError } from '../sql-error.js';
import { pathOf } from '../table-name.js';
import { isReserved } from '../token-reader.js';
import { isSign, type Token, unexpected } from '../tokens.js';
import type { NamedColumn, TableName } from '../tree.js';

export interface InsertHead {
  readonly table: TableName;
  readonly columns: readonly NamedColumn[];
  /** The token after the columns. */
  readonly next: Token;
}

/**
 * `next` returns the tokens after INSERT, one after the other. `mayOmit`: without a list, the columns are all of the table, and
 * `columns` is empty. Throws 6000.
 */
export function readInsertHead(next: () => Token, mayOmit = false): InsertHead {
  const into = next();
  if (into.upper !== 'INTO') throw unexpected(into, 'INTO');
  const parts = [next()];
  nameIn(parts[0], "a table's name");
  let token = next();
  while (isSign(token, '.') && parts.length < 3) {
    parts.push(next());
    nameIn(parts[parts.length - 1], "a table's name");
    token = next();
  }
  let alias: string | null = null;
  if (token.upper === 'AS') {
    alias = nameIn(next(), 'a name').name;
    token = next();
  }
  const table = { ...pathOf(parts), alias };
  if (mayOmit && (token.upper === 'VALUES' || beginsQuery(token))) return { table, columns: [], next: token };
  if (!isSign(token, '(')) throw unexpected(token, 'the list of columns in parentheses');
  const columns: NamedColumn[] = [];
  do {
    const column = nameIn(next(), "a column's name");
    if (columns.length === INSERT_NAMES_MAX) {
      throw sqlError(`an INSERT names at most ${INSERT_NAMES_MAX} columns`, column.position);
    }
    columns.push(column);
    token = next();
  } while (isSign(token, ','));
  if (!isSign(token, ')')) throw unexpected(token, 'a comma or )');
  return { table, columns, next: next() };
}

function nameIn(token: Token, what: string): NamedColumn {
  const isName = token.kind === 'bracketed' || token.kind === 'double';
  if (!isName && (token.kind !== 'word' || isReserved(token))) throw unexpected(token, what);
  if (token.text === '') throw sqlError('a name has at least one character', token.position);
  return { name: token.text, position: token.position };
}

const beginsQuery = ({ upper }: Token): boolean =>
  upper === 'SELECT' || upper === 'WITH' || upper === 'TABLE';

/** Whether a query whose rows are inserted begins with the token. */
export const beginsRows = (token: Token): boolean => beginsQuery(token) || isSign(token, '(');
