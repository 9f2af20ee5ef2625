/** The event columns and dimensions that names in SQL mean. */
import { type DatabaseModel, isEventType, lowerCase } from '../../../../schema/index.js';
import { namedOrDashed } from '../../clauses/sources.js';
import type { EventTableName } from './base-table.js';

/** The event columns with a name, which are tables too. */
export const eventTablesNamed = (name: string, { dimensions }: DatabaseModel): readonly EventTableName[] =>
  [...dimensions.values()].flatMap(({ apiName, columns }) => {
    const column = namedOrDashed(columns, lowerCase(name));
    const isEvents = column?.active === true && isEventType(column.type);
    return isEvents ? [{ dimension: apiName, events: column.apiName }] : [];
  });

/** Whether a dimension or an event column has the name. */
export const isTable = (name: string, model: DatabaseModel): boolean =>
  namedOrDashed(model.dimensions, lowerCase(name)) !== null || eventTablesNamed(name, model).length > 0;
