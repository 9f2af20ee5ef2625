/** Parses CREATE TABLE, CREATE TABLE ... AS, CREATE VIEW, DROP TABLE, DROP VIEW and ALTER TABLE ... RENAME TO. */
import { readType } from './calls.js';
import { columnNamesOf } from './query/from.js';
import { commaList } from './query/order-keys.js';
import { QueryReader } from './query/query-reader.js';
import { sqlError } from './sql-error.js';
import { tablePath } from './table-name.js';
import { type Token, unexpected } from './tokens.js';
import type {
  CreateTableStatement,
  CreateViewStatement,
  DropTableStatement,
  ModelStatement,
  NewColumn,
  OnCommit,
  QueryStatement,
  RenameTableStatement,
  TableName,
} from './tree.js';

const TEMPORARY: ReadonlySet<string> = new Set(['TEMP', 'TEMPORARY']);

/** Whether a statement changes the model in a way that SQL can. */
export function changesModel(tokens: readonly Token[]): boolean {
  const words = tokens.slice(0, 5).map(({ upper }) => upper);
  if (words[0] === 'ALTER') {
    const renames = tokens.some(({ upper }, at) => upper === 'RENAME' && tokens[at + 1].upper === 'TO');
    return renames && (words[1] === 'TABLE' || words[1] === 'VIEW');
  }
  const isHead = words[0] === 'CREATE' || words[0] === 'DROP';
  const at = words.findIndex((word) => word === 'TABLE' || word === 'VIEW');
  return isHead && at > 0 && words.slice(1, at).every((word) => BETWEEN.has(word));
}

const BETWEEN: ReadonlySet<string> = new Set(['LOCAL', 'GLOBAL', 'OR', 'REPLACE', ...TEMPORARY]);

/** `tokens` are those of one statement for which `changesModel` is true. Throws 6000. */
export function readModelStatement(tokens: readonly Token[]): ModelStatement {
  const reader = new QueryReader(tokens);
  const { position, upper } = reader.next();
  const read = upper === 'CREATE' ? create : upper === 'DROP' ? drop : rename;
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
  const columns = commaList(reader, () => {
    const { text: name, position } = reader.expectName("a column's name");
    if (reader.peek().kind !== 'word') throw unexpected(reader.peek(), "the column's type");
    const type = readType(reader, true);
    const isKey = reader.acceptKeywords('PRIMARY', 'KEY');
    const isPresent = reader.acceptKeywords('NOT', 'NULL');
    const follows = reader.peek();
    if (follows.kind === 'word') {
      throw sqlError(
        `constraints and defaults of columns are not available: ${follows.text}`,
        follows.position,
      );
    }
    return { name, position, ...type, isKey: isKey || reader.acceptKeywords('PRIMARY', 'KEY'), isPresent };
  });
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

function rename(reader: QueryReader, position: Token['position']): RenameTableStatement {
  const ofView = reader.acceptKeyword('VIEW');
  if (!ofView) reader.expectKeyword('TABLE');
  const ifExists = reader.acceptKeywords('IF', 'EXISTS');
  const table = tableOf(reader);
  reader.expectKeyword('RENAME');
  reader.expectKeyword('TO');
  const { text: name, position: at } = reader.expectName("the table's new name");
  return { is: 'rename-table', position, table, to: { name, position: at }, ifExists, ofView };
}

function tableOf(reader: QueryReader): TableName {
  return { ...tablePath(reader.expectName("a table's name"), reader), alias: null };
}
