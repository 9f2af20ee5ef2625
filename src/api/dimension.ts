/**
 * POST, GET and DELETE /v1/dimension. A decision is made against one model: the changes to log and the answer's
 * own fields (`status` and `took` are the front end's). A refused request changes nothing.
 */
import { checkAll, DIMENSIONS_PER_REQUEST_MAX, QuarryError, quoted } from '../base/index.js';
import type { CatalogChange, NewDimension } from '../catalog/index.js';
import { type DatabaseModel, DEFAULT_DIMENSION, RESERVED_DIMENSIONS } from '../schema/index.js';
import { dimensionAt, objectAt, readAll, readKnown, requiredString } from './fields.js';
import { isList, type Json, type JsonObject } from './json.js';
import { KNOWN_FIELDS } from './known-fields.js';
import { checkApiName, checkName, DIMENSION_API_NAME, DIMENSION_NAME } from './names.js';

export interface ModelDecision<T> {
  readonly changes: readonly CatalogChange[];
  readonly answer: T;
}

export interface ApiNamesAnswer {
  readonly 'api-name': string | readonly string[];
}

const REQUIRED = { missing: 5007, wrongType: 5009 } as const;

/** Checks the api-name of a dimension that is about to be made. Throws 5000, 5001 and 5004. */
export function checkNewDimensionName(apiName: string): string {
  checkApiName(apiName, DIMENSION_API_NAME);
  if (!RESERVED_DIMENSIONS.includes(apiName)) return apiName;
  throw new QuarryError(5001, `dimension api-name ${quoted(apiName)} is reserved`);
}

/**
 * Makes dimensions from one object or a list; a refusal tells every faulty field of each. Throws 5000 to 5010; ids are
 * those that the model gives next.
 */
export function createDimensions(body: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const entries = isList(body) ? body : [body];
  if (entries.length === 0) throw new QuarryError(5007, 'the body holds no dimension');
  if (entries.length > DIMENSIONS_PER_REQUEST_MAX) {
    throw new QuarryError(5009, `the body holds more than ${DIMENSIONS_PER_REQUEST_MAX} dimensions`);
  }
  const made = new Set<string>();
  const changes = checkAll(entries, (entry, index): CatalogChange => {
    const place = isList(body) ? `body[${index}]` : 'the body';
    const dimension = readDimension(objectAt(entry, 5009, place), model.nextDimensionId + index, place);
    if (model.dimensions.has(dimension.apiName) || made.has(dimension.apiName)) {
      throw new QuarryError(5006, `dimension ${quoted(dimension.apiName)} already exists`);
    }
    made.add(dimension.apiName);
    return { change: 'dimension-created', databaseId: model.id, dimension };
  });
  return { changes, answer: { 'api-name': [...made] } };
}

function readDimension(entry: JsonObject, id: number, place: string): NewDimension {
  return readKnown(entry, KNOWN_FIELDS.newDimension, 5007, place, () =>
    readAll({
      id: () => id,
      name: () => checkName(requiredString(entry, 'name', REQUIRED, place), DIMENSION_NAME),
      apiName: () => checkNewDimensionName(requiredString(entry, 'api-name', REQUIRED, place)),
      modelType: () => readModelType(entry, place),
    }),
  );
}

function readModelType(entry: JsonObject, place: string): NewDimension['modelType'] {
  const modelType = entry.get('relational-model-type') ?? null;
  if (modelType === null || modelType === 'fact' || modelType === 'dimension') return modelType;
  throw new QuarryError(5010, `"relational-model-type" in ${place} must be "fact" or "dimension"`);
}

/** Deletes one dimension with its columns. Throws 5007, 5009, 5008, and 5001 for the default dimension. */
export function deleteDimension(body: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const object = objectAt(body, 5007, 'the body');
  const { id, apiName } = readKnown(object, KNOWN_FIELDS.deletedDimension, 5007, 'the body', () =>
    dimensionAt(model, requiredString(object, 'api-name', REQUIRED, 'the body'), 'api-name'),
  );
  if (apiName === DEFAULT_DIMENSION) throw new QuarryError(5001, 'the default dimension cannot be deleted');
  return {
    changes: [{ change: 'dimension-deleted', databaseId: model.id, dimensionId: id }],
    answer: { 'api-name': [apiName] },
  };
}

export interface DimensionsAnswer {
  readonly dimensions: readonly string[];
}

export function listDimensions(model: DatabaseModel): DimensionsAnswer {
  return { dimensions: [...model.dimensions.keys()] };
}
