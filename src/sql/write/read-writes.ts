/** Parses INSERT, UPDATE and DELETE, with WITH before them and RETURNING after them. */
import { readFrom } from '../query/from.js';
import { QueryReader } from '../query/query-reader.js';
import { refusePhrases } from '../refusals.js';
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

const tablesAfter = (reader: QueryReader, keyword: string): readonly FromItem[] =>
  reader.acceptKeyword(keyword) ? readFrom(reader) : [];

const whereOf = (reader: QueryReader): SqlNode | null =>
  reader.acceptKeyword('WHERE') ? reader.expression() : null;

/** Parses a table with an optional alias, after which the given word may follow. */
function tableOf(reader: TokenReader, followedBy: string): TableName {
  const path = tablePath(reader.expectName("a table's name"), reader);
  const named = reader.acceptKeyword('AS');
  const token = reader.peek();
  const { kind, upper } = token;
  const bare = kind === 'word' && !isReserved(token) && upper !== followedBy && upper !== 'RETURNING';
  const follows = named || bare || kind === 'bracketed' || kind === 'double';
  return { ...path, alias: follows ? reader.expectAlias(named) : null };
}
