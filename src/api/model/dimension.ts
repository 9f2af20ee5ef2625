/**
 * POST, GET and DELETE /v1/dimension. A decision against one model consists of the changes to log and the fields of the
 * answer (the HTTP server adds `status` and `took`). A refused request changes nothing.
 */
import { checkAll, DIMENSIONS_PER_REQUEST_MAX, QuarryError, quoted } from '../../base/index.js';
import type { CatalogChange, NewDimension } from '../../catalog/index.js';
import { deletedDimension, newDimension } from '../../interface/index.js';
import {
  type DatabaseModel,
  DEFAULT_DIMENSION,
  RESERVED_DIMENSIONS,
  type TextCase,
} from '../../schema/index.js';
import { dimensionAt, readAll } from '../body/fields.js';
import { isList, type Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';

export interface ModelDecision<T> {
  readonly changes: readonly CatalogChange[];
  readonly answer: T;
}

export interface ApiNamesAnswer {
  readonly 'api-name': string | readonly string[];
}

/** Returns the api-name of a new dimension. Throws 5001 if it is reserved. */
export function checkNewDimensionName(apiName: string): string {
  if (!RESERVED_DIMENSIONS.includes(apiName)) return apiName;
  throw new QuarryError(5001, `dimension api-name ${quoted(apiName)} is reserved`);
}

/**
 * Creates dimensions from one object or a list, with the next ids of the model; an error reports every invalid field of
 * each. Throws 5000 to 5010.
 */
export function createDimensions(body: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const entries = isList(body) ? body : [body];
  if (entries.length === 0) throw new QuarryError(5007, 'the body contains no dimension');
  if (entries.length > DIMENSIONS_PER_REQUEST_MAX) {
    throw new QuarryError(5009, `the body has more than ${DIMENSIONS_PER_REQUEST_MAX} dimensions`);
  }
  const made = new Set<string>();
  const changes = checkAll(entries, (entry, index): CatalogChange => {
    const path = isList(body) ? `body[${index}]` : 'the body';
    const fields = RequestBody.of(newDimension, entry, path);
    const dimension = readDimension(fields, model.nextDimensionId + index, model.textCase);
    if (model.dimensions.has(dimension.apiName) || made.has(dimension.apiName)) {
      throw new QuarryError(5006, `dimension ${quoted(dimension.apiName)} already exists`);
    }
    made.add(dimension.apiName);
    return { change: 'dimension-created', databaseId: model.id, dimension };
  });
  return { changes, answer: { 'api-name': [...made] } };
}

function readDimension(
  body: RequestBody<typeof newDimension.properties>,
  id: number,
  textCase: TextCase,
): NewDimension {
  return body.read(() =>
    readAll({
      id: () => id,
      name: () => body.get('name'),
      apiName: () => checkNewDimensionName(body.get('api-name')),
      modelType: () => body.get('relational-model-type') ?? null,
      textCase: () => body.get('case') ?? textCase,
    }),
  );
}

/** Deletes one dimension with its columns. Throws 5007, 5009, 5008, and 5001 for the default dimension. */
export function deleteDimension(json: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const { id, apiName, segments } = RequestBody.of(deletedDimension, json).read((body) =>
    dimensionAt(model, body.get('api-name')),
  );
  if (apiName === DEFAULT_DIMENSION) throw new QuarryError(5001, 'the default dimension cannot be deleted');
  return {
    changes: [
      ...[...segments.values()].map(
        (segment): CatalogChange => ({
          ...{ change: 'segment-deleted', databaseId: model.id, dimensionId: id },
          ...{ name: segment.name, segmentId: segment.id },
        }),
      ),
      { change: 'dimension-deleted', databaseId: model.id, dimensionId: id },
    ],
    answer: { 'api-name': [apiName] },
  };
}

export interface DimensionsAnswer {
  readonly dimensions: readonly string[];
}

export function listDimensions(model: DatabaseModel): DimensionsAnswer {
  return { dimensions: [...model.dimensions.keys()] };
}
