/**
 * PUT and DELETE /v1/column: one column per request. An inactive column keeps its values; deleting a column deletes them.
 * `entity-id` can be neither changed nor deleted.
 */
import { checkAll, QuarryError, quoted } from '../../base/index.js';
import type { CatalogChange } from '../../catalog/index.js';
import { COLUMN_CHANGES, changedColumn, deletedColumn } from '../../interface/index.js';
import { type Column, type DatabaseModel, isEventType } from '../../schema/index.js';
import { columnAt, dimensionOf, readAll, readOrNull } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import { retentionDaysOf } from './column-fields.js';
import type { ApiNamesAnswer, ModelDecision } from './dimension.js';

interface ColumnRef {
  readonly databaseId: number;
  readonly dimensionId: number;
  readonly column: Column;
}

/**
 * Changes the fields that the body contains; an error reports every invalid field. Throws 3000 (also if there is nothing to
 * change), 3001 for `entity-id`, 3007 to 3010, 3014, 3017, 3018, 5008 and 5009. Logs nothing if the column already has these values.
 */
export function changeColumn(json: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const body = RequestBody.of(changedColumn, json);
  const { own, wanted } = body.read(() =>
    readAll({ own: () => ownColumn(body, model, 'changed'), wanted: () => readChanges(body, model) }),
  );
  const { column, ...ids } = own;
  const changed: Column = { ...column, ...wanted };
  const isSame = Object.keys(wanted).every(
    (field) => changed[field as keyof Column] === column[field as keyof Column],
  );
  return decision(column, isSame ? [] : [{ change: 'column-changed', ...ids, column: changed }]);
}

/** Deletes one column with its values. Throws 3000, 3001 for `entity-id`, 3007, 3018, 5008 and 5009. */
export function deleteColumn(json: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const { column, ...ids } = RequestBody.of(deletedColumn, json).read((body) =>
    ownColumn(body, model, 'deleted'),
  );
  return decision(column, [{ change: 'column-deleted', ...ids, columnId: column.id }]);
}

type ColumnChanges = Partial<Pick<Column, 'name' | 'description' | 'active' | 'retentionDays'>>;
type ChangeBody = RequestBody<typeof changedColumn.properties>;

/** The new values of the fields that the body contains. */
function readChanges(body: ChangeBody, model: DatabaseModel): ColumnChanges {
  const fields = COLUMN_CHANGES.filter((field) => body.object.has(field));
  if (fields.length === 0) {
    const names = COLUMN_CHANGES.map((field) => `"${field}"`);
    throw new QuarryError(
      3000,
      `the body has nothing to change: no ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
    );
  }
  const readers = {
    name: () => ({ name: body.get('name') }),
    description: () => ({ description: body.get('description') ?? '' }),
    active: () => ({ active: body.get('active') }),
    'retention-time': () => ({ retentionDays: readRetention(body, model) }),
  };
  return Object.assign({}, ...checkAll(fields, (field) => readers[field]()));
}

function readRetention(body: ChangeBody, model: DatabaseModel): number | null {
  const own = readOrNull(() => ownColumn(body, model, 'changed'));
  if (own !== null && !isEventType(own.column.type))
    throw body.error('retention-time', 'is for event columns only');
  return retentionDaysOf(body.object.get('retention-time') as Json, body);
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
