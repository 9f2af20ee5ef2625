/**
 * POST, DELETE and GET /v1/column/relation. A relation consists of event columns of one dimension; the Nth events of these
 * columns in an insert belong together.
 * Invariants: a column is in at most one relation; a relation has at least one column; a refused request changes
 * nothing.
 */
import { checkAll, QuarryError, quoted } from '../../base/index.js';
import type { CatalogChange } from '../../catalog/index.js';
import { relation as relationBody } from '../../interface/index.js';
import {
  type Column,
  type DatabaseModel,
  type Dimension,
  isEventType,
  type Relation,
} from '../../schema/index.js';
import type { Access } from '../body/access.js';
import { columnAt, dimensionOf, readAll } from '../body/fields.js';
import { type Json, kindOf } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import type { ModelDecision } from './dimension.js';

/** All columns of the relation after the request, in the order in which they were added. */
export interface RelatedAnswer {
  readonly columns_on_relation: readonly string[];
}

/** The columns that were removed, in the order of the request. */
export interface UnrelatedAnswer {
  readonly columns_deleted: readonly string[];
}

/**
 * Creates a relation, or adds columns to an existing one; columns that it already has keep their position. Throws 3000,
 * 3001 for attribute columns, 3003 for a column that is named twice or is in another relation, 3004, 3007, 3008, 3014,
 * 3018, 5008 and 5009.
 */
export function createRelation(body: Json, model: DatabaseModel): ModelDecision<RelatedAnswer> {
  const { name, dimension, columnNames } = readRelation(body, model);
  const columns = columnsNamed(columnNames, dimension, (column) => checkRelatable(column, name, dimension));
  const before = dimension.relations.get(name);
  const known = before?.columnIds ?? [];
  const added = columns.map(({ id }) => id).filter((id) => !known.includes(id));
  const relation: Relation = { id: before?.id ?? model.nextColumnId, name, columnIds: [...known, ...added] };
  return {
    changes: added.length === 0 ? [] : [relationSet(model, dimension, relation)],
    answer: { columns_on_relation: columnsOf(relation, dimension).map(({ apiName }) => apiName) },
  };
}

function checkRelatable(column: Column, name: string, dimension: Dimension): void {
  const which = `column ${quoted(column.apiName)}`;
  if (!isEventType(column.type)) {
    throw new QuarryError(3001, `${which} is of type ${column.type}; a relation takes event columns only`);
  }
  if (!column.active) throw new QuarryError(3018, `${which} is inactive`);
  for (const other of dimension.relations.values()) {
    if (other.name !== name && other.columnIds.includes(column.id)) {
      throw new QuarryError(3003, `${which} is in the relation ${quoted(other.name)} already`);
    }
  }
}

/**
 * Removes columns from a relation; a relation without columns is deleted. Throws 3000, 3003, 3004, 3007, 3008, 3014, 3018,
 * 5008 and 5009.
 */
export function deleteRelation(body: Json, model: DatabaseModel): ModelDecision<UnrelatedAnswer> {
  const { name, dimension, columnNames } = readRelation(body, model);
  const before = dimension.relations.get(name);
  if (before === undefined) {
    const where = `in dimension ${quoted(dimension.apiName)}`;
    throw new QuarryError(3018, `relation ${quoted(name)} does not exist ${where}`);
  }
  const columns = columnsNamed(columnNames, dimension, ({ id, apiName }) => {
    if (before.columnIds.includes(id)) return;
    throw new QuarryError(3018, `column ${quoted(apiName)} is not in the relation ${quoted(name)}`);
  });
  const gone = new Set(columns.map(({ id }) => id));
  const relation = { ...before, columnIds: before.columnIds.filter((id) => !gone.has(id)) };
  return {
    changes: [relationSet(model, dimension, relation)],
    answer: { columns_deleted: columns.map(({ apiName }) => apiName) },
  };
}

interface RelationBody {
  readonly name: string;
  readonly dimension: Dimension;
  /** 1 to 100. */
  readonly columnNames: readonly Json[];
}

function readRelation(json: Json, model: DatabaseModel): RelationBody {
  return RequestBody.of(relationBody, json).read((body) =>
    readAll({
      name: () => body.get('name'),
      columnNames: () => body.get('columns'),
      dimension: () => dimensionOf(model, body),
    }),
  );
}

/** The columns that the body names, each checked; an error reports the first error of each. */
function columnsNamed(
  names: readonly Json[],
  dimension: Dimension,
  check: (column: Column) => void,
): readonly Column[] {
  const seen = new Set<Column>();
  return checkAll(names, (apiName, index) => {
    if (typeof apiName !== 'string') {
      throw new QuarryError(3007, `columns[${index}] must be a column's api-name, not ${kindOf(apiName)}`);
    }
    const column = columnAt(dimension, apiName);
    if (seen.has(column)) throw new QuarryError(3003, `column ${quoted(apiName)} is named twice`);
    seen.add(column);
    check(column);
    return column;
  });
}

function relationSet(model: DatabaseModel, dimension: Dimension, relation: Relation): CatalogChange {
  return { change: 'relation-set', databaseId: model.id, dimensionId: dimension.id, relation };
}

/** The columns of the relation, in its order. */
function columnsOf({ columnIds }: Relation, { columns }: Dimension): readonly Column[] {
  const byId = new Map(Array.from(columns.values(), (column) => [column.id, column]));
  return columnIds.flatMap((id) => byId.get(id) ?? []);
}

export interface RelationEntry {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface DimensionRelations {
  readonly dimension: string;
  /** Not empty. */
  readonly relations: readonly RelationEntry[];
}

/** The relations per dimension, with the columns that the caller may use. Relations without such columns are left out. */
export function listRelations(model: DatabaseModel, access: Access): readonly DimensionRelations[] {
  const listed = Array.from(model.dimensions.values(), (dimension) => ({
    dimension: dimension.apiName,
    relations: Array.from(dimension.relations.values(), (relation) => ({
      name: relation.name,
      columns: columnsOf(relation, dimension)
        .filter((column) => access.allows(dimension, column))
        .map(({ apiName }) => apiName),
    })).filter(({ columns }) => columns.length > 0),
  }));
  return listed.filter(({ relations }) => relations.length > 0);
}
