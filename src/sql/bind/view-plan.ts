/** Binds the query of a view by itself, to check it and to run it as a saved query. */
import { type SavedQuery, viewDefinition } from '../../catalog/index.js';
import type { ReadPlan } from '../../ir/index.js';
import { readView } from '../read-view.js';
import { readScript } from '../script.js';
import { sqlError } from '../sql-error.js';
import { bindRead } from './query/query.js';
import type { SessionTable, SqlRequest } from './request.js';

/**
 * The plan of `SELECT *` over the view, whose outputs are its columns. `saved` need not be saved yet; a view that reads itself
 * is refused. Throws 6000, 506.
 */
export function bindView(saved: Pick<SavedQuery, 'name' | 'query'>, request: SqlRequest): ReadPlan {
  const definition = viewDefinition(saved);
  const { dialect, columns: columnNames } = definition;
  const query = readView(definition, request.model.name);
  const view: SessionTable = { is: 'view', query, columnNames, tables: new Map(), dialect };
  const script = readScript('SELECT * FROM v');
  if (script.kind !== 'reads') throw sqlError('a view is one SELECT', null);
  return bindRead(script.statements[0], {
    ...request,
    dialect,
    savedQueries: withView(saved, request.savedQueries ?? new Map()),
    sessionTables: new Map([['v', view]]),
  });
}

/** The saved queries with `saved` among them, so that its own name means itself. */
function withView(
  { name, query }: Pick<SavedQuery, 'name' | 'query'>,
  all: ReadonlyMap<string, SavedQuery>,
): ReadonlyMap<string, SavedQuery> {
  const kind = { type: 'sql', dimension: null, cachePeriodSeconds: null, creator: null, version: 0 } as const;
  return new Map([...all, [name, { databaseId: 0, ...kind, name, query }]]);
}
