/** Parses CREATE TABLE, CREATE TABLE ... AS and DROP TABLE. */
import { readType } from './calls.js';
import { commaList } from './query/order-keys.js';
import { QueryReader } from './query/query-reader.js';
import { sqlError } from './sql-error.js';
import { tablePath } from './table-name.js';
import { type Token, unexpected } from './tokens.js';
import type {
  CreateTableStatement,
  DropTableStatement,
  ModelStatement,
  NewColumn,
  TableName,
} from './tree.js';

/** Whether a statement changes the model in a way that SQL can. */
export function changesModel(first: Token, second: Token): boolean {
  return (first.upper === 'CREATE' || first.upper === 'DROP') && second.upper === 'TABLE';
}

/** `tokens` are those of one statement for which `changesModel` is true. Throws 6000. */
export function readModelStatement(tokens: readonly Token[]): ModelStatement {
  const reader = new QueryReader(tokens);
  const { position, upper } = reader.next();
  reader.expectKeyword('TABLE');
  const statement = upper === 'CREATE' ? createTable(reader, position) : dropTable(reader, position);
  if (reader.peek().kind !== 'end') throw unexpected(reader.peek(), 'the end of the statement');
  return statement;
}

function createTable(reader: QueryReader, position: Token['position']): CreateTableStatement {
  const ifNotExists = reader.acceptKeywords('IF', 'NOT', 'EXISTS');
  const table = tableOf(reader);
  const head = { is: 'create-table', position, table, ifNotExists } as const;
  const columns = reader.isSign('(') && !reader.isQueryAhead() ? columnsOf(reader) : null;
  if (columns !== null && !reader.isKeyword('AS')) return { ...head, columns, query: null };
  if (columns !== null) throw sqlError('CREATE TABLE ... AS takes the columns of its query', table.position);
  reader.expectKeyword('AS');
  const start = reader.peek();
  const query = reader.query();
  if (reader.acceptKeywords('WITH', 'NO', 'DATA')) {
    throw sqlError('WITH NO DATA is not available; create the table with its columns', table.position);
  }
  reader.acceptKeywords('WITH', 'DATA');
  return {
    ...head,
    columns: null,
    query: { is: 'query', position: start.position, explain: 'no', query },
  };
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

function dropTable(reader: QueryReader, position: Token['position']): DropTableStatement {
  const ifExists = reader.acceptKeywords('IF', 'EXISTS');
  const tables = commaList(reader, () => tableOf(reader));
  if (!reader.acceptKeyword('CASCADE')) reader.acceptKeyword('RESTRICT');
  return { is: 'drop-table', position, tables, ifExists };
}

function tableOf(reader: QueryReader): TableName {
  return { ...tablePath(reader.expectName("a table's name"), reader), alias: null };
}
