/**
 * PUT and DELETE /v1/column: one column per request. An inactive column keeps its values; deleting a column deletes them.
 * `entity-id` can be neither changed nor deleted.
 */
import { QuarryError, quoted } from '../../base/index.js';
import type { CatalogChange } from '../../catalog/index.js';
import { COLUMN_CHANGES, changedColumn, deletedColumn } from '../../interface/index.js';
import type { Column, DatabaseModel } from '../../schema/index.js';
import { columnAt, dimensionOf, readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import type { ApiNamesAnswer, ModelDecision } from './dimension.js';

interface ColumnRef {
  readonly databaseId: number;
  readonly dimensionId: number;
  readonly column: Column;
}

/**
 * Changes the fields that the body contains; an error reports every invalid field. Throws 3000 (also if there is nothing to
 * change), 3001 for `entity-id`, 3007 to 3010, 3014, 3018, 5008 and 5009. Logs nothing if the column already has these values.
 */
export function changeColumn(json: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const body = RequestBody.of(changedColumn, json);
  const readers = { own: () => ownColumn(body, model, 'changed'), wanted: () => readChanges(body) };
  const { own, wanted } = body.read(() => readAll(readers));
  const { column, ...ids } = own;
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
  return decision(column, isSame ? [] : [{ change: 'column-changed', ...ids, column: changed }]);
}

/** Deletes one column with its values. Throws 3000, 3001 for `entity-id`, 3007, 3018, 5008 and 5009. */
export function deleteColumn(json: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const { column, ...ids } = RequestBody.of(deletedColumn, json).read((body) =>
    ownColumn(body, model, 'deleted'),
  );
  return decision(column, [{ change: 'column-deleted', ...ids, columnId: column.id }]);
}

interface ColumnChanges {
  readonly name: string | null;
  readonly description: string | null;
  readonly active: boolean | null;
}

/** The new values of the fields; null = unchanged. */
function readChanges(body: RequestBody<typeof changedColumn.properties>): ColumnChanges {
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
): ColumnRef {
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
