/** Whether names are those of dimensions or event columns. */
import { type DatabaseModel, isEventType, lowerCase } from '../../../../schema/index.js';
import type { TableName } from '../../../tree.js';
import { namedOrDashed } from '../../clauses/sources.js';

export const isOtherDatabase = (
  { database }: Pick<TableName, 'database'>,
  { name }: DatabaseModel,
): boolean => typeof database === 'string' && lowerCase(database) !== lowerCase(name);

/** Whether a dimension or an event column has the name. */
export const isTable = (name: string, { dimensions }: DatabaseModel): boolean =>
  namedOrDashed(dimensions, lowerCase(name)) !== null ||
  [...dimensions.values()].some(({ columns }) => {
    const column = namedOrDashed(columns, lowerCase(name));
    return column?.active === true && isEventType(column.type);
  });
