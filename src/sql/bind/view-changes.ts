/** CREATE VIEW and DROP VIEW as changes of saved queries. */

import { quoted } from '../../base/index.js';
import { type SavedQuery, storedView, type ViewDefinition } from '../../catalog/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import { viewText } from '../read-view.js';
import { sqlError } from '../sql-error.js';
import type {
  CreateViewStatement,
  DropTableStatement,
  RenameTableStatement,
  SourcePosition,
  TableName,
} from '../tree.js';
import { apiNameOf, tableNamed } from './create-table.js';
import { type ViewScope, viewNamed } from './query/saved-views.js';
import { isTable } from './query/tables/named-tables.js';
import { relationsNamed } from './query/tables/relation-table.js';

/** The view that a statement creates. */
export interface StatementView {
  /** Letters, digits and dashes. */
  readonly name: string;
  readonly definition: ViewDefinition;
  /** The definition in its stored form. */
  readonly query: string;
  readonly replaces: boolean;
}

/** `text` is the text from which the statement was read. Throws 6000, also if an event column or a relation has the name. */
export function newView(
  statement: CreateViewStatement,
  text: string,
  dialect: ViewDefinition['dialect'],
  model: DatabaseModel,
): StatementView {
  const { table, replaces, columnNames: columns } = statement;
  const isDimension = tableNamed(table.name, model) !== null;
  if (!isDimension && (isTable(table.name, model) || relationsNamed(table.name, model).length > 0)) {
    throw sqlError(`${quoted(table.name)} is a table; a view needs another name`, table.position);
  }
  const definition = { sql: viewText(text, statement), dialect, columns };
  return { name: apiNameOf(table.name, table.position), definition, query: storedView(definition), replaces };
}

/** Refuses CREATE TABLE with the name of a view, which the table would hide. Throws 6000. */
export function refuseView(table: TableName, scope: ViewScope): void {
  if (viewNamed(table, scope) === null) return;
  throw sqlError(`${quoted(table.name)} is a view; drop it first`, table.position);
}

/** The table or view of ALTER TABLE ... RENAME TO; null = there is none, and IF EXISTS is written. Throws 6000. */
export function renamedTable(
  { table, ifExists, ofView }: RenameTableStatement,
  scope: ViewScope,
): { readonly dimension: string } | { readonly view: SavedQuery } | null {
  const dimension = tableNamed(table.name, scope.model);
  if (dimension !== null) {
    if (!ofView) return { dimension };
    throw sqlError(`${quoted(table.name)} is not a view; use ALTER TABLE`, table.position);
  }
  const view = viewNamed(table, scope);
  if (view !== null) return { view };
  if (ifExists) return null;
  throw sqlError(`there is no table ${quoted(table.name)}`, table.position);
}

/** The views of DROP VIEW, each once. Throws 6000 for one that does not exist, unless IF EXISTS is written. */
export function droppedViews(
  { tables, ifExists }: DropTableStatement,
  scope: ViewScope,
): readonly { readonly saved: SavedQuery; readonly position: SourcePosition }[] {
  const found = new Map<SavedQuery, SourcePosition>();
  for (const table of tables) {
    const saved = viewNamed(table, scope);
    if (saved !== null) found.set(saved, table.position);
    else if (tableNamed(table.name, scope.model) !== null) {
      throw sqlError(`${quoted(table.name)} is not a view; use DROP TABLE`, table.position);
    } else if (!ifExists) throw sqlError(`there is no table ${quoted(table.name)}`, table.position);
  }
  return [...found].map(([saved, position]) => ({ saved, position }));
}
