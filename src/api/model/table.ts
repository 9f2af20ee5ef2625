/** Dimensions that SQL creates, alters, renames and deletes as tables. Throws the errors of /v1/dimension and /v1/column. */
import { QuarryError, quoted } from '../../base/index.js';
import { applyChanges, type Catalog, type CatalogChange, customKeysOf } from '../../catalog/index.js';
import { type ColumnType, type DatabaseModel, DEFAULT_DIMENSION } from '../../schema/index.js';
import { type Json, parseJson } from '../body/json.js';
import { createColumns } from './column.js';
import { deleteColumn } from './column-change.js';
import { createDimensions, deleteDimension } from './dimension.js';

export interface TableColumn {
  readonly apiName: string;
  readonly type: ColumnType;
  /** For decimal columns. */
  readonly decimalPlaces: number | null;
}

/** The changes that create a dimension with these columns beside its entity ID. Throws 5006 if it exists. */
export function createTable(
  apiName: string,
  columns: readonly TableColumn[],
  model: DatabaseModel,
): readonly CatalogChange[] {
  if (model.dimensions.has(apiName)) {
    throw new QuarryError(5006, `dimension ${quoted(apiName)} already exists`);
  }
  if (columns.length === 0) {
    return createDimensions(jsonOf({ name: apiName, 'api-name': apiName }), model).changes;
  }
  return addColumns(apiName, columns, model);
}

function addColumns(
  dimension: string,
  columns: readonly TableColumn[],
  model: DatabaseModel,
): readonly CatalogChange[] {
  const bodies = columns.map(({ apiName, type, decimalPlaces }) => ({
    ...{ name: apiName, 'api-name': apiName, type, dimension },
    ...(decimalPlaces === null ? {} : { 'decimal-places': decimalPlaces }),
  }));
  return createColumns(jsonOf(bodies), model).changes;
}

/** The columns to delete from a dimension, and those to create in it afterwards. */
export interface TableAlteration {
  readonly dimension: string;
  readonly dropped: readonly string[];
  readonly added: readonly TableColumn[];
}

/** The changes that delete and create columns of a dimension that exists. */
export function alterTable(
  { dimension, dropped, added }: TableAlteration,
  model: DatabaseModel,
  catalog: Catalog,
): readonly CatalogChange[] {
  const deleted = dropped.flatMap(
    (column) => deleteColumn(jsonOf({ 'api-name': column, dimension }), model).changes,
  );
  if (added.length === 0) return deleted;
  const left = applyChanges(catalog, deleted).databases.get(model.id) ?? model;
  return [...deleted, ...addColumns(dimension, added, left)];
}

/** The changes that delete a dimension. Throws 5008 if it does not exist, and 5001 for the default dimension. */
export const dropTable = (apiName: string, model: DatabaseModel): readonly CatalogChange[] =>
  deleteDimension(jsonOf({ 'api-name': apiName }), model).changes;

/**
 * The changes that give a dimension another name. Throws 5001 for a reserved name, and for a dimension whose rows or columns
 * a key restricts by its name; 5006 if the name is taken; 5008.
 */
export function renameTable(
  from: string,
  to: string,
  model: DatabaseModel,
  catalog: Catalog,
): readonly CatalogChange[] {
  const dimension = model.dimensions.get(from);
  if (dimension === undefined) throw new QuarryError(5008, `dimension ${quoted(from)} does not exist`);
  if (from === DEFAULT_DIMENSION) throw new QuarryError(5001, 'the default dimension cannot be renamed');
  for (const { name, filter, columnsWhitelist } of customKeysOf(catalog, model.id).values()) {
    if (![...filter, ...(columnsWhitelist ?? [])].some((own) => own.dimension === from)) continue;
    const why = `key ${quoted(name)} restricts its rows or columns`;
    throw new QuarryError(5001, `dimension ${quoted(from)} cannot be renamed: ${why}`);
  }
  // A new dimension of the name has the same rules.
  createDimensions(jsonOf({ name: to, 'api-name': to }), model);
  return [{ change: 'dimension-renamed', databaseId: model.id, dimensionId: dimension.id, apiName: to }];
}

const jsonOf = (value: object): Json => parseJson(Buffer.from(JSON.stringify(value)));
