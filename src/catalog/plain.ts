/**
 * The catalog and its changes as MessagePack can keep them: no Map and no BigInt. The form is part of the log's
 * and the manifest's format: fields are only ever added, with a meaning for their absence.
 */
import type { Column, DatabaseModel, Dimension } from '../schema/index.js';
import type { ApiKey, Catalog, CatalogChange } from './catalog.js';

type PlainColumn = Omit<Column, 'range'> & { readonly range: readonly string[] | null };
type PlainDimension = Omit<Dimension, 'columns'> & { readonly columns: readonly PlainColumn[] };
type PlainModel = Omit<DatabaseModel, 'dimensions'> & { readonly dimensions: readonly PlainDimension[] };
interface PlainCatalog {
  readonly version: number;
  readonly nextDatabaseId: number;
  readonly databases: readonly PlainModel[];
  readonly keys: readonly ApiKey[];
}

const plainColumn = (column: Column): PlainColumn => ({
  ...column,
  range: column.range?.map(String) ?? null,
});
const columnOf = (plain: PlainColumn): Column => ({ ...plain, range: plain.range?.map(BigInt) ?? null });

const byApiName = <T extends { readonly apiName: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  new Map(items.map((item) => [item.apiName, item]));

const plainDimension = (dimension: Dimension): PlainDimension => ({
  ...dimension,
  columns: [...dimension.columns.values()].map(plainColumn),
});
const dimensionOf = (plain: PlainDimension): Dimension => ({
  ...plain,
  columns: byApiName(plain.columns.map(columnOf)),
});

export function catalogToPlain(catalog: Catalog): unknown {
  const plain: PlainCatalog = {
    version: catalog.version,
    nextDatabaseId: catalog.nextDatabaseId,
    databases: [...catalog.databases.values()].map((model) => ({
      ...model,
      dimensions: [...model.dimensions.values()].map(plainDimension),
    })),
    keys: [...catalog.keys.values()],
  };
  return plain;
}

/** The catalog that `catalogToPlain` gave. The bytes it came from were checked by a checksum. */
export function catalogFromPlain(plain: unknown): Catalog {
  const { version, nextDatabaseId, databases, keys } = plain as PlainCatalog;
  return {
    version,
    nextDatabaseId,
    databases: new Map(
      databases.map((model) => [
        model.id,
        { ...model, dimensions: byApiName(model.dimensions.map(dimensionOf)) },
      ]),
    ),
    keys: new Map(keys.map((key) => [key.hash, key])),
  };
}

export function changeToPlain(change: CatalogChange): unknown {
  return change.change === 'column-created' ? { ...change, column: plainColumn(change.column) } : change;
}

export function changeFromPlain(plain: unknown): CatalogChange {
  const change = plain as CatalogChange;
  return change.change === 'column-created'
    ? { ...change, column: columnOf(change.column as unknown as PlainColumn) }
    : change;
}
