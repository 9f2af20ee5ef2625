/** Views of SQL: a view is a saved query of type `sql`, read as a table by its name. */
import type { SavedQuery } from './catalog.js';

/** The query of a view, as text. */
export interface ViewDefinition {
  /** One SELECT. */
  readonly sql: string;
  /** The rules by which the text is read and its columns are named. */
  readonly dialect: 'http' | 'postgres';
  /** Names of the first columns; null = those of the SELECT. */
  readonly columns: readonly string[] | null;
}

/** The definition in a saved query of type `sql`, which is a text or an object. */
export function viewDefinition({ query }: Pick<SavedQuery, 'query'>): ViewDefinition {
  const stored = JSON.parse(query) as string | Partial<ViewDefinition>;
  const {
    sql = '',
    dialect = 'http',
    columns = null,
  } = typeof stored === 'string' ? { sql: stored } : stored;
  return { sql, dialect, columns };
}

/** The form in which a definition is stored: a text if it has the dialect of HTTP and no names of columns. */
export function storedView({ sql, dialect, columns }: ViewDefinition): string {
  if (dialect === 'http' && columns === null) return JSON.stringify(sql);
  return JSON.stringify({ sql, dialect, ...(columns === null ? {} : { columns }) });
}

/** The saved queries of type `sql`, by name in lower case; of names that differ in case alone, the one that was saved first. */
export function viewsIn(saved: ReadonlyMap<string, SavedQuery>): ReadonlyMap<string, SavedQuery> {
  const views = new Map<string, SavedQuery>();
  for (const one of saved.values()) {
    const name = one.name.toLowerCase();
    if (one.type === 'sql' && !views.has(name)) views.set(name, one);
  }
  return views;
}
