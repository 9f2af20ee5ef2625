/**
 * Views that are saved queries. A view is bound anew by every statement that names it, with the rights of the caller.
 * Invariants: a dimension hides a view of the same name, a view hides an event column; a caller with a column whitelist or a row
 * filter sees only the views that it may read, and the others do not exist for it.
 */
import { QuarryError, quoted } from '../../../base/index.js';
import { type SavedQuery, viewDefinition, viewsIn } from '../../../catalog/index.js';
import { lowerCase } from '../../../schema/index.js';
import { readView } from '../../read-view.js';
import { sqlError } from '../../sql-error.js';
import type { TableName } from '../../tree.js';
import { isOfOtherDatabase, namedOrDashed } from '../clauses/sources.js';
import type { SessionTable, SqlRequest } from '../request.js';
import type { BoundView, QueryContext } from './context.js';

/** Views within views. */
const DEPTH_MAX = 16;
/** Views of one statement, those within views included. */
const VIEWS_MAX = 256;

/** The model and the saved queries of a database. */
export type ViewScope = Pick<SqlRequest, 'model' | 'savedQueries'>;

/** The view that a table name means; null if it means none. */
export function viewNamed(
  table: Pick<TableName, 'name' | 'database'>,
  { model, savedQueries }: ViewScope,
): SavedQuery | null {
  if (savedQueries === undefined || savedQueries.size === 0 || isOfOtherDatabase(table, model)) return null;
  const name = lowerCase(table.name);
  return namedOrDashed(model.dimensions, name) === null ? namedOrDashed(viewsIn(savedQueries), name) : null;
}

/** The views that one statement reads. */
export class SavedViews {
  /** The names of the views around the query that is bound. */
  readonly #around: string[] = [];
  #count = 0;

  /** Returns null if `table` is no view. Throws 6000. */
  bind(table: TableName, context: QueryContext): BoundView | null {
    const { request } = context;
    const saved = viewNamed(table, request);
    if (saved === null) return null;
    const { name } = saved;
    if (this.#around.includes(name)) throw sqlError(`the view ${quoted(name)} reads itself`, table.position);
    if (this.#around.length >= DEPTH_MAX) {
      throw sqlError(`there are more than ${DEPTH_MAX} views within views`, table.position);
    }
    if (++this.#count > VIEWS_MAX) {
      throw sqlError(`the statement reads more than ${VIEWS_MAX} views`, table.position);
    }
    this.#around.push(name);
    try {
      const definition = viewDefinition(saved);
      const { dialect, columns: columnNames } = definition;
      const { columns, build } = refusing(name, table, request, () => {
        const query = readView(definition, request.model.name);
        return context.bindView({ is: 'view', query, columnNames, tables: NONE, dialect });
      });
      return { columns, columnNames, build: () => refusing(name, table, request, build) };
    } finally {
      this.#around.pop();
    }
  }
}

const NONE: ReadonlyMap<string, SessionTable> = new Map();

/** Calls `act` for a view; its errors become those of the statement that names the view. */
function refusing<T>(name: string, table: TableName, request: SqlRequest, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof QuarryError ? refusal(error, name, table, request) : error;
  }
}

/** The error of a statement that names a view which cannot be bound. */
function refusal(error: QuarryError, name: string, table: TableName, { access }: SqlRequest): QuarryError {
  if (access.fingerprint !== '') return sqlError(`there is no table ${quoted(table.name)}`, table.position);
  const why = error.message.replace(/ \(line \d+, column \d+\)$/, '');
  return sqlError(`the view ${quoted(name)} cannot be read: ${why}`, table.position);
}
