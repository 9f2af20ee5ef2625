/** Parses SELECT and EXPLAIN in the Postgres dialect to our tree. */
import type { SqlDialect } from '../bind/request.js';
import { PARSER_TOKENS_MAX } from '../limits.js';
import { beginsRead } from '../query/routing.js';
import { refusedStatement } from '../refusals.js';
import { readRead } from '../script.js';
import type { ReadStatement } from '../tree.js';
import { applyDialect } from './dialect.js';
import { withoutOptions } from './explain-options.js';
import type { PostgresStatement } from './statements.js';
import { refuseForeign } from './tokens.js';
import { type SqlParameter, translate } from './translate.js';

export type { SqlParameter } from './translate.js';

/** `parameters` are the values from $1 on; `dialect` http: the syntax of PostgreSQL with the rules of POST /v1/sql. Throws 6000 with the source position for unsupported constructs. */
export function readPostgresSelect(
  { tokens }: PostgresStatement,
  parameters: readonly SqlParameter[],
  dialect: SqlDialect = 'postgres',
): ReadStatement {
  if (!beginsRead(tokens[0])) throw refusedStatement(tokens[0], tokens[1] ?? null);
  const translated = withoutOptions(translate(tokens, parameters, dialect));
  refuseForeign(translated);
  const statement = readRead(translated, { parserTokens: PARSER_TOKENS_MAX });
  applyDialect(statement, dialect);
  return statement;
}
