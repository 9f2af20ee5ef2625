/** Database models for the tests of the JSON interface. */
import { createColumns, type Json, type ModelDecision, parseJson } from '../../src/api/index.js';
import {
  applyChanges,
  type Catalog,
  type CustomKey,
  databaseOf,
  EMPTY_CATALOG,
} from '../../src/catalog/index.js';
import type { DatabaseModel } from '../../src/schema/index.js';

export function emptyCatalog(type: 'test' | 'production' = 'production'): Catalog {
  return applyChanges(EMPTY_CATALOG, [{ change: 'database-created', id: 1, name: 'one', type }]);
}

/** The model after the catalog has applied a decision's changes. */
export function decided(catalog: Catalog, decide: (model: DatabaseModel) => ModelDecision<unknown>): Catalog {
  return applyChanges(catalog, decide(databaseOf(catalog, 1)).changes);
}

export function modelWith(columns: Json): DatabaseModel {
  return databaseOf(
    decided(emptyCatalog(), (model) => createColumns(columns, model)),
    1,
  );
}

export function json(text: string): Json {
  return parseJson(new TextEncoder().encode(text));
}

/** A custom key of the database with only the given restrictions. */
export function customKey(
  restrictions: Partial<Pick<CustomKey, 'columnsWhitelist' | 'filter' | 'level'>>,
): CustomKey {
  return {
    kind: 'custom',
    hash: 'cd',
    databaseId: 1,
    name: 'custom',
    level: 'write-read',
    description: '',
    columnsWhitelist: null,
    filter: [],
    addressesWhitelist: [],
    ...restrictions,
  };
}
