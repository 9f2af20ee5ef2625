/** Columns as options of a choice. */
import type { Option } from '../../parts/controls.js';
import { activeColumns, type Column, type Dimension } from '../../server/model.js';

export const columnOptions = (columns: readonly Column[]): Option[] =>
  columns.map(({ name, isEvent }) => ({ value: name, text: isEvent ? `${name} (events)` : name }));

export const eventColumns = (dimension: Dimension | undefined): readonly Column[] =>
  activeColumns(dimension).filter(({ isEvent }) => isEvent);

/** The attributes whose values can divide an answer, and none. */
export const breakdownOptions = (dimension: Dimension | undefined): Option[] => [
  { value: '', text: 'nothing' },
  ...activeColumns(dimension)
    .filter(({ isEvent, kind }) => !isEvent && kind !== 'point')
    .map(({ name }) => ({ value: name, text: name })),
];
