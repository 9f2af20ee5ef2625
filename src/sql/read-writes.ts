/** Parses UPDATE and DELETE statements, and RETURNING of all writes. */
import { readItems } from './query/block.js';
import { readFrom } from './query/from.js';
import { commaList } from './query/order-keys.js';
import { QueryReader } from './query/query-reader.js';
import { selectOf } from './query/select-of.js';
import { sqlError } from './sql-error.js';
import { tablePath } from './table-name.js';
import { isReserved, type TokenReader } from './token-reader.js';
import { type Token, unexpected } from './tokens.js';
import type {
  DeleteStatement,
  FromItem,
  Query,
  QueryBody,
  SelectItem,
  SourcePosition,
  SqlNode,
  TableName,
  UpdateStatement,
} from './tree.js';

type Assignment = UpdateStatement['set'][number];

/** A reader of a write, in which RETURNING begins a clause. */
export function writeReader(tokens: readonly Token[]): QueryReader {
  const reader = new QueryReader(tokens);
  reader.isWrite = true;
  return reader;
}

/** `tokens` begin with UPDATE. */
export function readUpdate(tokens: readonly Token[]): UpdateStatement {
  const reader = writeReader(tokens);
  const { position } = reader.next();
  const table = tableOf(reader, 'SET');
  reader.expectKeyword('SET');
  const set = commaList(reader, () => readAssignment(reader)).flat();
  const from = tablesAfter(reader, 'FROM');
  const where = whereOf(reader);
  const returning = readReturning(reader, where === null ? 'a comma, WHERE' : 'an operator');
  return { is: 'update', position, table, set, from, where, returning };
}

/** `tokens` begin with DELETE. */
export function readDelete(tokens: readonly Token[]): DeleteStatement {
  const reader = writeReader(tokens);
  const { position } = reader.next();
  reader.expectKeyword('FROM');
  const table = tableOf(reader, 'USING');
  const from = tablesAfter(reader, 'USING');
  const where = whereOf(reader);
  const returning = readReturning(reader, where === null ? 'WHERE' : 'an operator');
  return { is: 'delete', position, table, from, where, returning };
}

/** Parses RETURNING, if it follows, up to the end of the statement. `otherwise`: what else could follow. */
export function readReturning(reader: QueryReader, otherwise: string): readonly SelectItem[] | null {
  const returning = reader.acceptKeyword('RETURNING') ? readItems(reader) : null;
  if (reader.peek().kind === 'end') return returning;
  throw unexpected(
    reader.peek(),
    `${returning === null ? otherwise : 'a comma'} or the end of the statement`,
  );
}

const tablesAfter = (reader: QueryReader, keyword: string): readonly FromItem[] =>
  reader.acceptKeyword(keyword) ? readFrom(reader) : [];

const whereOf = (reader: QueryReader): SqlNode | null =>
  reader.acceptKeyword('WHERE') ? reader.expression() : null;

/** Parses `column = value` and `(a, b) = (value, value)`, whose right side may be a query. */
function readAssignment(reader: QueryReader): readonly Assignment[] {
  const open = reader.peek();
  if (!reader.acceptSign('(')) {
    const { column, position } = readTarget(reader);
    reader.expectSign('=');
    return [{ column, position, value: reader.value() }];
  }
  const targets = commaList(reader, () => readTarget(reader));
  reader.expectClosing(open.position);
  reader.expectSign('=');
  const values = valuesOf(reader, targets.length);
  return targets.map((target, index) => ({ ...target, value: values[index] }));
}

function readTarget(reader: QueryReader): Omit<Assignment, 'value'> {
  const { text: column, position } = reader.expectName("a column's name");
  return { column, position };
}

function valuesOf(reader: QueryReader, count: number): readonly SqlNode[] {
  const { position } = reader.peek();
  if (reader.isQueryAhead()) {
    const query = reader.enclosedQuery();
    checkWidth(query.body, count, position);
    return Array.from({ length: count }, (_, index) => columnOfQuery(query, index, count, position));
  }
  reader.acceptKeyword('ROW');
  const open = reader.peek();
  reader.expectSign('(');
  const values = commaList(reader, () => reader.value());
  reader.expectClosing(open.position);
  if (values.length === count) return values;
  throw sqlError(`${values.length} values for ${count} columns`, open.position);
}

/** (SELECT column FROM (query) AS t (columns)), the value of one column of a row that a query returns. */
function columnOfQuery(query: Query, index: number, count: number, position: SourcePosition): SqlNode {
  const names = Array.from({ length: count }, (_, at) => `column${at + 1}`);
  const column = { is: 'column', table: null, name: names[index], position, parenthesized: false } as const;
  const table: FromItem = {
    ...{ is: 'derived', query, alias: 'assigned', columnNames: names, lateral: false, position },
  };
  const one = selectOf([{ of: column, alias: null }], [table], null, position);
  return { is: 'subquery', query: one, position, parenthesized: true };
}

/** The part of a query that decides the number of its columns. */
function firstOf(body: QueryBody): Extract<QueryBody, { readonly is: 'block' | 'values' }> {
  if (body.is === 'set') return firstOf(body.left);
  return body.is === 'nested' ? firstOf(body.query.body) : body;
}

/** Throws 6000 unless the query has `count` columns. */
function checkWidth(body: QueryBody, count: number, position: SourcePosition): void {
  const first = firstOf(body);
  const columns = first.is === 'values' ? first.rows[0] : first.items.map(({ of }) => of);
  if (columns.some(({ is }) => is === 'star')) {
    throw sqlError('write the columns of this SELECT instead of *', position);
  }
  if (columns.length !== count) throw sqlError(`${columns.length} values for ${count} columns`, position);
}

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
