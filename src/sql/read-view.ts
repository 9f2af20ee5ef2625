/** Reads the text of a saved view, and takes that text from CREATE VIEW. */
import type { ViewDefinition } from '../catalog/index.js';
import { queryOf } from './bind/query/unflattened.js';
import { readPostgresSelect } from './postgres/select.js';
import { inDatabase, readPostgres } from './postgres/statements.js';
import { readScript } from './script.js';
import { sqlError } from './sql-error.js';
import type { CreateViewStatement, Query, ReadStatement, SourcePosition } from './tree.js';

/** The query of a view; `database` is the name of the database. Throws 6000 with positions in the text. */
export function readView({ sql, dialect }: ViewDefinition, database: string): Query {
  const statement = dialect === 'http' ? readHttp(sql) : readPort(sql, database);
  if (statement === null || statement.explain !== 'no') {
    throw sqlError('a view is one SELECT, without parameters', null);
  }
  return statement.is === 'query' ? statement.query : queryOf(statement);
}

function readHttp(text: string): ReadStatement | null {
  const { kind, statements } = readScript(text);
  return kind === 'reads' && statements.length === 1 ? statements[0] : null;
}

function readPort(text: string, database: string): ReadStatement | null {
  const [statement, ...more] = readPostgres(text);
  if (statement === undefined || more.length > 0 || statement.parameterCount > 0) return null;
  return readPostgresSelect(inDatabase(statement, database), []);
}

/** The text of the query of `statement`, which was read from `text`. */
export function viewText(text: string, { query, end }: CreateViewStatement): string {
  return text.slice(offsetOf(text, query.position), offsetOf(text, end)).trimEnd();
}

/** The index in `text` of a source position, whose columns count code points. */
function offsetOf(text: string, { line, column }: SourcePosition): number {
  let begin = 0;
  for (let passed = 1; passed < line; passed++) begin = text.indexOf('\n', begin) + 1;
  let at = begin;
  for (let passed = 1; passed < column && at < text.length; passed++) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}
