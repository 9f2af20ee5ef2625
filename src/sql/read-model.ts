/** Parses the statements that change the model: CREATE, DROP and ALTER of tables and views. */
import { columnNamesOf } from './query/from.js';
import { commaList } from './query/order-keys.js';
import { QueryReader } from './query/query-reader.js';
import { newColumn, readAlter, tableOf } from './read-alter.js';
import { sqlError } from './sql-error.js';
import { type Token, unexpected } from './tokens.js';
import type {
  CreateTableStatement,
  CreateViewStatement,
  DropTableStatement,
  ModelStatement,
  NewColumn,
  OnCommit,
  QueryStatement,
} from './tree.js';

const TEMPORARY: ReadonlySet<string> = new Set(['TEMP', 'TEMPORARY']);

/** Whether a statement is one of those that `readModelStatement` reads. */
export function changesModel(tokens: readonly Token[]): boolean {
  const words = tokens.slice(0, 5).map(({ upper }) => upper);
  if (words[0] === 'ALTER') return words[1] === 'TABLE' || words[1] === 'VIEW';
  const isHead = words[0] === 'CREATE' || words[0] === 'DROP';
  const at = words.findIndex((word) => word === 'TABLE' || word === 'VIEW');
  return isHead && at > 0 && words.slice(1, at).every((word) => BETWEEN.has(word));
}

const BETWEEN: ReadonlySet<string> = new Set(['LOCAL', 'GLOBAL', 'OR', 'REPLACE', ...TEMPORARY]);

/** `tokens` are those of one statement for which `changesModel` is true. Throws 6000. */
export function readModelStatement(tokens: readonly Token[]): ModelStatement {
  const reader = new QueryReader(tokens);
  const { position, upper } = reader.next();
  const read = upper === 'CREATE' ? create : upper === 'DROP' ? drop : readAlter;
  const statement = read(reader, position);
  if (reader.peek().kind !== 'end') throw unexpected(reader.peek(), 'the end of the statement');
  return statement;
}

function create(reader: QueryReader, position: Token['position']): ModelStatement {
  const replaces = reader.acceptKeywords('OR', 'REPLACE');
  if (!reader.acceptKeyword('LOCAL')) reader.acceptKeyword('GLOBAL');
  const temporary = TEMPORARY.has(reader.peek().upper);
  if (temporary) reader.next();
  if (replaces || reader.isKeyword('VIEW')) {
    reader.expectKeyword('VIEW');
    return createView(reader, position, { replaces, temporary });
  }
  reader.expectKeyword('TABLE');
  return createTable(reader, position, temporary);
}

function createView(
  reader: QueryReader,
  position: Token['position'],
  options: Pick<CreateViewStatement, 'replaces' | 'temporary'>,
): CreateViewStatement {
  const table = tableOf(reader);
  const columnNames = columnNamesOf(reader);
  reader.expectKeyword('AS');
  const query = queryOf(reader);
  const { position: end } = reader.peek();
  return { is: 'create-view', position, table, ...options, columnNames, query, end };
}

function queryOf(reader: QueryReader): QueryStatement {
  const { position } = reader.peek();
  return { is: 'query', position, explain: 'no', query: reader.query() };
}

function createTable(
  reader: QueryReader,
  position: Token['position'],
  temporary: boolean,
): CreateTableStatement {
  const ifNotExists = reader.acceptKeywords('IF', 'NOT', 'EXISTS');
  const table = tableOf(reader);
  const columns = reader.isSign('(') && !reader.isQueryAhead() ? columnsOf(reader) : null;
  const onCommit = onCommitOf(reader, temporary);
  const head = { is: 'create-table', temporary, position, table, ifNotExists, onCommit } as const;
  if (columns !== null && !reader.isKeyword('AS')) return { ...head, columns, query: null };
  if (columns !== null) throw sqlError('CREATE TABLE ... AS takes the columns of its query', table.position);
  reader.expectKeyword('AS');
  const query = queryOf(reader);
  if (reader.acceptKeywords('WITH', 'NO', 'DATA')) {
    throw sqlError('WITH NO DATA is not available; create the table with its columns', table.position);
  }
  reader.acceptKeywords('WITH', 'DATA');
  return { ...head, columns: null, query };
}

function onCommitOf(reader: QueryReader, temporary: boolean): OnCommit {
  const { position } = reader.peek();
  if (!reader.acceptKeywords('ON', 'COMMIT')) return 'preserve';
  if (!temporary) throw sqlError('ON COMMIT is available for temporary tables only', position);
  if (reader.acceptKeyword('DROP')) return 'drop';
  if (reader.acceptKeywords('DELETE', 'ROWS')) return 'delete rows';
  if (reader.acceptKeywords('PRESERVE', 'ROWS')) return 'preserve';
  throw unexpected(reader.peek(), 'PRESERVE ROWS, DELETE ROWS or DROP');
}

function columnsOf(reader: QueryReader): readonly NewColumn[] {
  const open = reader.next();
  const columns = commaList(reader, () => newColumn(reader));
  reader.expectClosing(open.position);
  return columns;
}

function drop(reader: QueryReader, position: Token['position']): DropTableStatement {
  const ofView = reader.acceptKeyword('VIEW');
  if (!ofView) reader.expectKeyword('TABLE');
  const ifExists = reader.acceptKeywords('IF', 'EXISTS');
  const tables = commaList(reader, () => tableOf(reader));
  if (!reader.acceptKeyword('CASCADE')) reader.acceptKeyword('RESTRICT');
  return { is: 'drop-table', position, tables, ifExists, ofView };
}
