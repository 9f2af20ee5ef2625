/** Parses INSERT, UPDATE and DELETE, with WITH before them and RETURNING after them. */
import { readFrom } from '../query/from.js';
import { QueryReader } from '../query/query-reader.js';
import { refusePhrases } from '../refusals.js';
import { sqlError } from '../sql-error.js';
import { tablePath } from '../table-name.js';
import { isReserved, type TokenReader } from '../token-reader.js';
import { isSign, type Token, unexpected } from '../tokens.js';
import type {
  CommonTable,
  DeleteStatement,
  FromItem,
  SqlNode,
  TableName,
  UpdateStatement,
  WriteStatement,
} from '../tree.js';
import { readAssignments } from './read-assignments.js';
import { readInsertTokens } from './read-insert-tokens.js';
import { readReturning } from './read-returning.js';

const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE']);

/** A reader of a write, in which RETURNING begins a clause. */
export function writeReader(tokens: readonly Token[]): QueryReader {
  const reader = new QueryReader(tokens);
  reader.isWrite = true;
  return reader;
}

/** Whether the statement is an INSERT, UPDATE or DELETE, also after WITH. */
export function isWrite(tokens: readonly Token[]): boolean {
  if (tokens[0].upper !== 'WITH') return WRITES.has(tokens[0].upper);
  let depth = 0;
  return tokens.some((token, at) => {
    if (isSign(token, '(')) depth++;
    else if (isSign(token, ')')) depth--;
    return depth === 0 && WRITES.has(token.upper) && isSign(tokens[at - 1], ')');
  });
}

/** `tokens` are those of a statement for which `isWrite` is true. Throws 6000. */
export function readWriteTokens(tokens: readonly Token[]): WriteStatement {
  const reader = writeReader(tokens);
  const tables = reader.commonTables();
  refusePhrases(reader.isKeyword('INSERT') ? tokens.slice(0, reader.at) : tokens);
  switch (reader.peek().upper) {
    case 'INSERT':
      return readInsertTokens(reader, tables);
    case 'UPDATE':
      return readUpdate(reader, tables);
    case 'DELETE':
      return readDelete(reader, tables);
    default:
      throw unexpected(reader.peek(), 'INSERT, UPDATE or DELETE');
  }
}

function readUpdate(reader: QueryReader, tables: readonly CommonTable[]): UpdateStatement {
  const { position } = reader.next();
  const table = tableOf(reader, 'SET');
  const set = readAssignments(reader);
  const from = tablesAfter(reader, 'FROM');
  const where = whereOf(reader);
  const returning = readReturning(reader, where === null ? 'a comma, WHERE' : 'an operator');
  return { is: 'update', position, table, tables, set, from, where, returning };
}

function readDelete(reader: QueryReader, tables: readonly CommonTable[]): DeleteStatement {
  const { position } = reader.next();
  reader.expectKeyword('FROM');
  const table = tableOf(reader, 'USING');
  const from = tablesAfter(reader, 'USING');
  const where = whereOf(reader);
  const returning = readReturning(reader, where === null ? 'WHERE' : 'an operator');
  return { is: 'delete', position, table, tables, from, where, returning };
}

/** TRUNCATE [TABLE] name, which deletes all rows. `tokens` are those of the statement. Throws 6000. */
export function readTruncate(tokens: readonly Token[]): DeleteStatement {
  const reader = writeReader(tokens);
  const { position } = reader.next();
  reader.acceptKeyword('TABLE');
  const table = tableOf(reader, 'RESTART');
  if (reader.isSign(',')) throw sqlError('TRUNCATE takes one table', reader.peek().position);
  if (!reader.acceptKeywords('RESTART', 'IDENTITY')) reader.acceptKeywords('CONTINUE', 'IDENTITY');
  if (!reader.acceptKeyword('CASCADE')) reader.acceptKeyword('RESTRICT');
  if (reader.peek().kind !== 'end') throw unexpected(reader.peek(), 'the end of the statement');
  const nothing = { tables: [], from: [], where: null, returning: null };
  return { is: 'delete', position, table: { ...table, alias: null }, ...nothing, truncates: true };
}

const tablesAfter = (reader: QueryReader, keyword: string): readonly FromItem[] =>
  reader.acceptKeyword(keyword) ? readFrom(reader) : [];

const whereOf = (reader: QueryReader): SqlNode | null =>
  reader.acceptKeyword('WHERE') ? reader.expression() : null;

const NEVER_ALIASES: ReadonlySet<string> = new Set(['RETURNING', 'CONTINUE', 'CASCADE', 'RESTRICT']);

/** Parses a table with an optional alias, after which the given word may follow. */
function tableOf(reader: TokenReader, followedBy: string): TableName {
  // No table has others that inherit from it.
  if (reader.isKeyword('ONLY') && reader.peek(1).kind !== 'sign' && reader.peek(1).upper !== followedBy)
    reader.next();
  const path = tablePath(reader.expectName("a table's name"), reader);
  const named = reader.acceptKeyword('AS');
  const token = reader.peek();
  const { kind, upper } = token;
  const isNext = upper === followedBy || NEVER_ALIASES.has(upper);
  const bare = kind === 'word' && !isReserved(token) && !isNext;
  const follows = named || bare || kind === 'bracketed' || kind === 'double';
  return { ...path, alias: follows ? reader.expectAlias(named) : null };
}
