/** Views that SQL creates and drops: saved queries of type `sql`, with the rules of /v1/query/saved. */
import { NAME_CHARS_MAX, QuarryError, quoted } from '../../base/index.js';
import {
  type CatalogChange,
  type SavedQuery,
  savedQueriesOf,
  storedView,
  type ViewDefinition,
  viewDefinition,
  viewsIn,
} from '../../catalog/index.js';
import { changeView, deleteSavedQuery, type SavedQueryCall } from './saved-query.js';

/** A view to be created. */
export interface NewView {
  /** Letters, digits and dashes. */
  readonly name: string;
  readonly definition: ViewDefinition;
  /** Whether a view of this name is replaced. */
  readonly replaces: boolean;
}

/**
 * The changes that create or replace a view; its query has been bound with the rights of the caller. A replaced view keeps its
 * creator and cache-period. Throws 4022 if the name is taken, 4041, 508, 4048.
 */
export function createView(
  { name, definition, replaces }: NewView,
  call: SavedQueryCall,
): readonly CatalogChange[] {
  const saved = savedQueriesOf(call.catalog, call.model.id);
  const known = viewsIn(saved).get(name) ?? null;
  if (call.model.dimensions.has(name))
    throw new QuarryError(4022, `dimension ${quoted(name)} already exists`);
  if (name.length > NAME_CHARS_MAX) {
    throw new QuarryError(4041, `the name has more than ${NAME_CHARS_MAX} characters`);
  }
  if (known === null ? saved.has(name) : !replaces) {
    throw new QuarryError(4022, `saved query ${quoted(name)} already exists`);
  }
  return changeView(known?.name ?? name, storedView(definition), known, call);
}

/** The changes that drop a view. Throws 4023, also for a view that the caller may not read, and 508. */
export const dropView = ({ name }: SavedQuery, call: SavedQueryCall): readonly CatalogChange[] =>
  deleteSavedQuery(name, call).changes;

/** The changes that give a view another name. Throws like `createView` and `dropView`. */
export function renameView(saved: SavedQuery, to: string, call: SavedQueryCall): readonly CatalogChange[] {
  const dropped = dropView(saved, call);
  const created = createView({ name: to, definition: viewDefinition(saved), replaces: false }, call);
  const { creator, cachePeriodSeconds } = saved;
  return [
    ...dropped,
    ...created.map((change) =>
      change.change === 'saved-query-set'
        ? { ...change, savedQuery: { ...change.savedQuery, creator, cachePeriodSeconds } }
        : change,
    ),
  ];
}
