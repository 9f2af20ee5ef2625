/** The relation of the event columns that auto-create creates for records whose fields are one event each. */
import { isEventType, type Relation } from '../../schema/index.js';
import type { Inferred } from './infer.js';

/** The name of the relation of the event `prefix`: a table that its columns do not hide. */
export const relationOf = (prefix: string): string => `${prefix}s`;

/** Whether the column of a field is one of the event that `prefix` names. */
export const isOfEvent = (apiName: string, prefix: string): boolean =>
  apiName === prefix || apiName.startsWith(`${prefix}-`);

/**
 * Adds, in each dimension with such new columns, all event columns of the event `prefix` that have no relation to the relation
 * of its name. The model of the result has the relations, too.
 */
export function withRelations(inferred: Inferred, prefix: string): Inferred {
  const { model, createdColumns } = inferred;
  const dimensions = new Map(model.dimensions);
  const createdRelations: { dimensionId: number; relation: Relation }[] = [];
  let nextId = createdColumns.reduce((id, { column }) => Math.max(id, column.id + 1), model.nextColumnId);
  const name = relationOf(prefix);
  for (const [dimensionName, dimension] of model.dimensions) {
    const isNew = createdColumns.some(
      ({ dimensionId, column }) =>
        dimensionId === dimension.id && isEventType(column.type) && isOfEvent(column.apiName, prefix),
    );
    if (!isNew) continue;
    const related = new Set([...dimension.relations.values()].flatMap(({ columnIds }) => columnIds));
    const added = [...dimension.columns.values()].filter(
      ({ id, apiName, type, active }) =>
        active && isEventType(type) && isOfEvent(apiName, prefix) && !related.has(id),
    );
    const before = dimension.relations.get(name);
    const relation = {
      id: before?.id ?? nextId++,
      name,
      columnIds: [...(before?.columnIds ?? []), ...added.map(({ id }) => id)],
    };
    const relations = new Map([...dimension.relations, [name, relation]]);
    dimensions.set(dimensionName, { ...dimension, relations });
    createdRelations.push({ dimensionId: dimension.id, relation });
  }
  return { ...inferred, model: { ...model, dimensions }, createdRelations };
}
