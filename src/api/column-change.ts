/**
 * PUT and DELETE /v1/column: one column per request. What a column holds stays with it while it is inactive and goes
 * with it when it is deleted; `entity-id` can be neither changed nor deleted.
 */
import { QuarryError, quoted } from '../base/index.js';
import type { CatalogChange } from '../catalog/index.js';
import type { Column, DatabaseModel } from '../schema/index.js';
import { readColumnName, readDescription } from './column-fields.js';
import type { ApiNamesAnswer, ModelDecision } from './dimension.js';
import { columnAt, dimensionAt, objectAt, readAll, readKnown, requiredString } from './fields.js';
import { type Json, type JsonObject, kindOf } from './json.js';
import { KNOWN_FIELDS } from './known-fields.js';

const PLACE = 'the body';
const API_NAME = { missing: 3000, wrongType: 3007 } as const;
const CHANGEABLE = ['name', 'description', 'active'];

interface ColumnPlace {
  readonly databaseId: number;
  readonly dimensionId: number;
  readonly column: Column;
}

/**
 * Changes the fields that the body gives; a refusal tells every faulty field. Throws 3000 (also when it gives none), 3001 for `entity-id`, 3007 to 3010,
 * 3014, 3018, 5008 and 5009. A column that is so already is not changed.
 */
export function changeColumn(body: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const object = objectAt(body, 3000, PLACE);
  const readers = { own: () => ownColumn(object, model, 'changed'), wanted: () => readWanted(object) };
  const { own, wanted } = readKnown(object, KNOWN_FIELDS.changedColumn, 3000, PLACE, () => readAll(readers));
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
export function deleteColumn(body: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const object = objectAt(body, 3000, PLACE);
  const { column, ...place } = readKnown(object, KNOWN_FIELDS.deletedColumn, 3000, PLACE, () =>
    ownColumn(object, model, 'deleted'),
  );
  return decision(column, [{ change: 'column-deleted', ...place, columnId: column.id }]);
}

interface Wanted {
  readonly name: string | null;
  readonly description: string | null;
  readonly active: boolean | null;
}

/** What the fields are to become; null = what it is. */
function readWanted(object: JsonObject): Wanted {
  if (!CHANGEABLE.some((field) => object.has(field))) {
    throw new QuarryError(3000, `${PLACE} has nothing to change: no "name", "description" or "active"`);
  }
  return readAll({
    name: () => (object.has('name') ? readColumnName(object, 3008, PLACE) : null),
    description: () => (object.has('description') ? readDescription(object, PLACE) : null),
    active: () => (object.has('active') ? readActive(object) : null),
  });
}

/** The column that the body names by `api-name` and `dimension`. */
function ownColumn(object: JsonObject, model: DatabaseModel, what: string): ColumnPlace {
  const { apiName, dimension } = readAll({
    apiName: () => requiredString(object, 'api-name', API_NAME, PLACE),
    dimension: () => dimensionAt(model, object.get('dimension'), '"dimension"'),
  });
  const column = columnAt(dimension, apiName);
  if (column.type !== 'unique-id') return { databaseId: model.id, dimensionId: dimension.id, column };
  throw new QuarryError(3001, `the column ${quoted(apiName)} of type unique-id cannot be ${what}`);
}

function readActive(object: JsonObject): boolean {
  const active = object.get('active');
  if (typeof active === 'boolean') return active;
  throw new QuarryError(3000, `"active" in ${PLACE} must be true or false, not ${kindOf(active)}`);
}

function decision(column: Column, changes: readonly CatalogChange[]): ModelDecision<ApiNamesAnswer> {
  return { changes, answer: { 'api-name': [column.apiName] } };
}
