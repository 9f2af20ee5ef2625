/** Parses INSERT, UPDATE and DELETE in the Postgres dialect. */
import { readModelStatement } from '../read-model.js';
import type { ModelStatement, WriteStatement } from '../tree.js';
import { isWrite, readTruncate, readWriteTokens } from '../write/read-writes.js';
import { applyDialect, applyDialectToWrite } from './dialect.js';
import type { PostgresStatement } from './statements.js';
import { refuseForeign } from './tokens.js';
import { type SqlParameter, translate } from './translate.js';

/** Whether the statement is one of those that `readPostgresWrite` reads. */
export const beginsWrite = ({ tokens }: PostgresStatement): boolean =>
  tokens[0].upper === 'TRUNCATE' || isWrite(tokens);

/** `parameters` are the values from $1 on. Throws 6000 with the source position. */
export function readPostgresWrite(
  { tokens }: PostgresStatement,
  parameters: readonly SqlParameter[],
): WriteStatement {
  const translated = translate(tokens, parameters);
  refuseForeign(translated);
  const isTruncate = tokens[0].upper === 'TRUNCATE';
  const statement = isTruncate ? readTruncate(translated) : readWriteTokens(translated);
  applyDialectToWrite(statement);
  return statement;
}

/** Parses CREATE, DROP and ALTER of tables and views. Throws 6000 with the source position. */
export function readPostgresModel(
  { tokens }: PostgresStatement,
  parameters: readonly SqlParameter[],
): ModelStatement {
  const translated = translate(tokens, parameters);
  refuseForeign(translated);
  const statement = readModelStatement(translated);
  if ('query' in statement && statement.query !== null) applyDialect(statement.query, 'postgres');
  return statement;
}
