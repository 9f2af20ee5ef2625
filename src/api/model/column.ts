/**
 * POST and GET /v1/column. A refused request creates nothing; a column in an unknown dimension creates the dimension.
 * New columns get the next ids of the model's counters, in the order of the request.
 */
import {
  COLUMNS_PER_REQUEST_MAX,
  checkAll,
  QuarryError,
  quoted,
  TEST_COLUMNS_MAX,
} from '../../base/index.js';
import type { CatalogChange } from '../../catalog/index.js';
import { type answers, newColumn } from '../../interface/index.js';
import { type Column, type DatabaseModel, DEFAULT_DIMENSION, newDimension } from '../../schema/index.js';
import type { Access } from '../body/access.js';
import { isList, type Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import { type ColumnBody, readColumn } from './column-fields.js';
import { type ApiNamesAnswer, checkNewDimensionName, type ModelDecision } from './dimension.js';

/**
 * Creates columns from a list or from one object; the answer's `api-name` is a list or a string accordingly. An error
 * reports every invalid field of each column. Throws 2021, 3000 to 3017, and 5000 to 5009 for `dimension`.
 */
export function createColumns(body: Json, model: DatabaseModel): ModelDecision<ApiNamesAnswer> {
  const entries = isList(body) ? body : [body];
  if (entries.length === 0) throw new QuarryError(3000, 'the body contains no column');
  if (entries.length > COLUMNS_PER_REQUEST_MAX) {
    throw new QuarryError(
      3004,
      `${entries.length} columns in one request; at most ${COLUMNS_PER_REQUEST_MAX}`,
    );
  }
  const request = new ColumnRequest(model);
  const names = checkAll(entries, (entry, index) => {
    const path = isList(body) ? `body[${index}]` : 'the body';
    const column = RequestBody.of(newColumn, entry, path);
    return request.add(readColumn(column, model.textCase, () => request.dimensionOf(column)));
  });
  request.checkTestLimit();
  return { changes: request.changes, answer: { 'api-name': isList(body) ? names : names[0] } };
}

interface DimensionRef {
  readonly id: number;
  readonly apiName: string;
}

/** Collects the changes for the columns of one request. */
class ColumnRequest {
  readonly changes: CatalogChange[] = [];
  readonly #model: DatabaseModel;
  readonly #made = new Set<string>();
  readonly #newDimensionIds = new Map<string, number>();

  constructor(model: DatabaseModel) {
    this.#model = model;
  }

  /** The dimension of a column's object, created if it does not exist. */
  dimensionOf(body: ColumnBody): DimensionRef {
    const value = body.object.get('dimension') ?? DEFAULT_DIMENSION;
    const known = typeof value === 'string' ? this.#knownId(value) : undefined;
    if (known !== undefined) return { id: known, apiName: value as string };
    const apiName = checkNewDimensionName(body.get('dimension') ?? DEFAULT_DIMENSION);
    return { id: this.#makeDimension(apiName), apiName };
  }

  add({ column, dimension }: { column: Omit<Column, 'id'>; dimension: DimensionRef }): string {
    const { id: dimensionId, apiName } = dimension;
    const key = `${apiName} ${column.apiName}`;
    const columns = (this.#model.dimensions.get(apiName) ?? newDimension({ id: dimensionId, apiName }))
      .columns;
    if (columns.has(column.apiName) || this.#made.has(key)) {
      throw new QuarryError(
        3003,
        `column ${quoted(column.apiName)} already exists in dimension ${quoted(apiName)}`,
      );
    }
    const id = this.#model.nextColumnId + this.#made.size;
    this.#made.add(key);
    this.changes.push({
      change: 'column-created',
      databaseId: this.#model.id,
      dimensionId,
      column: { id, ...column },
    });
    return column.apiName;
  }

  #knownId(apiName: string): number | undefined {
    return this.#model.dimensions.get(apiName)?.id ?? this.#newDimensionIds.get(apiName);
  }

  #makeDimension(apiName: string): number {
    const id = this.#model.nextDimensionId + this.#newDimensionIds.size;
    this.#newDimensionIds.set(apiName, id);
    const { textCase } = this.#model;
    const dimension = { id, name: apiName, apiName, modelType: null, textCase };
    this.changes.push({ change: 'dimension-created', databaseId: this.#model.id, dimension });
    return id;
  }

  checkTestLimit(): void {
    if (this.#model.type !== 'test') return;
    const total = ownColumnCount(this.#model) + this.#made.size;
    if (total > TEST_COLUMNS_MAX) {
      throw new QuarryError(
        2021,
        `a test database has at most ${TEST_COLUMNS_MAX} columns; this request would make it ${total}`,
      );
    }
  }
}

/** Number of columns of a database without the `entity-id` of each dimension. */
function ownColumnCount(model: DatabaseModel): number {
  let count = 0;
  for (const dimension of model.dimensions.values()) count += dimension.columns.size - 1;
  return count;
}

type ColumnEntry = answers.ColumnEntry;
export type ColumnGroups = answers.ColumnGroups;

/** The answer: `count` (all listed columns, including `entity-id`) and one key per dimension. */
export interface ColumnsAnswer {
  readonly [key: string]: number | ColumnGroups;
  readonly count: number;
}

function columnEntry(column: Column): ColumnEntry {
  return {
    name: column.name,
    'api-name': column.apiName,
    description: column.description,
    type: column.type,
    category: 'general',
    ...(column.storage === null ? {} : { storage: column.storage }),
    ...(column.textCase === 'preserve' ? { case: column.textCase } : {}),
    ...(column.retentionDays === null ? {} : { 'retention-time': column.retentionDays }),
  };
}

/** The columns that the caller may use. */
export function listColumns(model: DatabaseModel, access: Access): ColumnsAnswer {
  let count = 0;
  const groups: Record<string, ColumnGroups> = {};
  for (const dimension of model.dimensions.values()) {
    const columns = [...dimension.columns.values()].filter((column) => access.allows(dimension, column));
    count += columns.length;
    groups[dimension.apiName] = {
      active: columns.filter((column) => column.active).map(columnEntry),
      inactive: columns.filter((column) => !column.active).map(columnEntry),
    };
  }
  return { ...groups, count };
}
