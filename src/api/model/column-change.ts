/**
 * PUT and DELETE /v1/column: one column per request. What a column holds stays with it while it is inactive and goes
 * with it when it is deleted; `entity-id` can be neither changed nor deleted.
 */
import { QuarryError, quoted } from '../../base/index.js';
import type { CatalogChange } from '../../catalog/index.js';
import { COLUMN_CHANGES, changedColumn, deletedColumn } from '../../interface/index.js';
import type { Column, DatabaseModel } from '../../schema/index.js';
import { columnAt, dimensionOf, readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import type { ApiNamesAnswer, ModelDecision } from './dimension.js';

interface ColumnPlace {
  readonly databaseId: number;
  readonly dimensionId: number;
  readonly column: Column;
}

/**
 * Changes the fields that the body gives; a refusal tells every faulty field. Throws 3000 (also when it gives none), 3001 for `entity-id`, 3007 to 3010,
 * 3014, 3018, 5008 and 5009. A column that is so already is not changed.
 */
export function changeColumn(json: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const body = RequestBody.of(changedColumn, json);
  const readers = { own: () => ownColumn(body, model, 'changed'), wanted: () => readWanted(body) };
  const { own, wanted } = body.read(() => readAll(readers));
  const { column, ...place } = own;
  const changed: Column = {
    ...column,
    name: wanted.name ?? column.name,
    description: wanted.description ?? column.description,
    active: wanted.active ?? column.active,
  };
  const isSame =
    changed.name === column.name &&
    changed.description === column.description &&
    changed.active === column.active;
  return decision(column, isSame ? [] : [{ change: 'column-changed', ...place, column: changed }]);
}

/** Deletes one column with its values. Throws 3000, 3001 for `entity-id`, 3007, 3018, 5008 and 5009. */
export function deleteColumn(json: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const { column, ...place } = RequestBody.of(deletedColumn, json).read((body) =>
    ownColumn(body, model, 'deleted'),
  );
  return decision(column, [{ change: 'column-deleted', ...place, columnId: column.id }]);
}

interface Wanted {
  readonly name: string | null;
  readonly description: string | null;
  readonly active: boolean | null;
}

/** What the fields are to become; null = what it is. */
function readWanted(body: RequestBody<typeof changedColumn.properties>): Wanted {
  if (!COLUMN_CHANGES.some((field) => body.object.has(field))) {
    throw new QuarryError(3000, 'the body has nothing to change: no "name", "description" or "active"');
  }
  return readAll({
    name: () => body.get('name') ?? null,
    description: () => (body.object.has('description') ? (body.get('description') ?? '') : null),
    active: () => body.get('active') ?? null,
  });
}

/** The column that the body names by `api-name` and `dimension`. */
function ownColumn(
  body: RequestBody<typeof deletedColumn.properties>,
  model: DatabaseModel,
  what: string,
): ColumnPlace {
  const { apiName, dimension } = readAll({
    apiName: () => body.get('api-name'),
    dimension: () => dimensionOf(model, body),
  });
  const column = columnAt(dimension, apiName);
  if (column.type !== 'unique-id') return { databaseId: model.id, dimensionId: dimension.id, column };
  throw new QuarryError(3001, `the column ${quoted(apiName)} of type unique-id cannot be ${what}`);
}

function decision(column: Column, changes: readonly CatalogChange[]): ModelDecision<ApiNamesAnswer> {
  return { changes, answer: { 'api-name': [column.apiName] } };
}
