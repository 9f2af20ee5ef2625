/** Parses ALTER TABLE and ALTER VIEW, and the definition of a new column. */
import { readType } from './calls.js';
import { commaList } from './query/order-keys.js';
import type { QueryReader } from './query/query-reader.js';
import { sqlError } from './sql-error.js';
import { tablePath } from './table-name.js';
import { shown, type Token, unexpected } from './tokens.js';
import type {
  AlterTableStatement,
  DroppedColumn,
  ModelStatement,
  NewColumn,
  RenameTableStatement,
  TableName,
} from './tree.js';

type Head = Pick<RenameTableStatement, 'position' | 'table' | 'ifExists'>;

/** Reads the statement after ALTER, which is at `position`. Throws 6000. */
export function readAlter(reader: QueryReader, position: Token['position']): ModelStatement {
  const ofView = reader.acceptKeyword('VIEW');
  if (!ofView) reader.expectKeyword('TABLE');
  const ifExists = reader.acceptKeywords('IF', 'EXISTS');
  if (!ofView) reader.acceptKeyword('ONLY');
  const head: Head = { position, table: tableOf(reader), ifExists };
  if (!reader.areKeywords('RENAME', 'TO')) {
    if (ofView) throw unexpected(reader.peek(), 'RENAME TO');
    return changedColumns(reader, head);
  }
  reader.at += 2;
  const { text: name, position: at } = reader.expectName("the table's new name");
  return { is: 'rename-table', ...head, to: { name, position: at }, ofView };
}

function changedColumns(reader: QueryReader, head: Head): AlterTableStatement {
  const added: (NewColumn & { readonly ifNotExists: boolean })[] = [];
  const dropped: DroppedColumn[] = [];
  commaList(reader, () => {
    const action = reader.next();
    if ((action.upper !== 'ADD' && action.upper !== 'DROP') || isConstraint(reader)) {
      throw refusedAction(action, reader);
    }
    reader.acceptKeyword('COLUMN');
    if (action.upper === 'ADD') {
      const ifNotExists = reader.acceptKeywords('IF', 'NOT', 'EXISTS');
      added.push({ ...newColumn(reader), ifNotExists });
      return;
    }
    const ifExists = reader.acceptKeywords('IF', 'EXISTS');
    const { text: name, position } = reader.expectName("a column's name");
    if (!reader.acceptKeyword('CASCADE')) reader.acceptKeyword('RESTRICT');
    dropped.push({ name, position, ifExists });
  });
  return { is: 'alter-table', ...head, added, dropped };
}

const CONSTRAINTS: ReadonlySet<string> = new Set([
  'CONSTRAINT',
  'PRIMARY',
  'UNIQUE',
  'FOREIGN',
  'CHECK',
  'EXCLUDE',
]);

/** Whether a constraint follows, and not a column of that name. */
const isConstraint = (reader: QueryReader): boolean =>
  CONSTRAINTS.has(reader.peek().upper) && (reader.isSign('(', 1) || reader.peek(1).kind === 'word');

function refusedAction(action: Token, reader: QueryReader): Error {
  const { kind, upper, text } = reader.peek();
  const words =
    kind === 'word' && action.kind === 'word' ? `${action.upper} ${upper || text}` : shown(action);
  return sqlError(
    `ALTER TABLE ... ${words} is not available; ALTER TABLE has ADD COLUMN, DROP COLUMN and RENAME TO`,
    action.position,
  );
}

/** Reads a name, a type and what may follow them. Throws 6000. */
export function newColumn(reader: QueryReader): NewColumn {
  const { text: name, position } = reader.expectName("a column's name");
  if (reader.peek().kind !== 'word') throw unexpected(reader.peek(), "the column's type");
  const type = readType(reader, true);
  const isKey = reader.acceptKeywords('PRIMARY', 'KEY');
  const isPresent = reader.acceptKeywords('NOT', 'NULL');
  if (!isPresent) reader.acceptKeyword('NULL');
  const follows = reader.peek();
  if (follows.kind === 'word' && !reader.areKeywords('PRIMARY', 'KEY')) {
    throw sqlError(
      `constraints and defaults of columns are not available: ${follows.text}`,
      follows.position,
    );
  }
  return { name, position, ...type, isKey: isKey || reader.acceptKeywords('PRIMARY', 'KEY'), isPresent };
}

/** Reads the name of a table. Throws 6000. */
export function tableOf(reader: QueryReader): TableName {
  return { ...tablePath(reader.expectName("a table's name"), reader), alias: null };
}
