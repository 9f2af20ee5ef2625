/** Columns as options of a choice. */
import type { Option } from '../../parts/controls.js';
import { activeColumns, type Column, type Dimension } from '../../server/model.js';

/** The name for people, with that of requests where they differ. */
export const shownName = ({ name, label }: Column): string => (label === name ? name : `${label} (${name})`);

export const columnOptions = (columns: readonly Column[]): Option[] =>
  columns.map((column) => ({
    value: column.name,
    text: column.isEvent ? `${shownName(column)} (events)` : shownName(column),
  }));

export const eventColumns = (dimension: Dimension | undefined): readonly Column[] =>
  activeColumns(dimension).filter(({ isEvent }) => isEvent);

/** The attributes whose values can divide an answer, and none. */
export const breakdownOptions = (dimension: Dimension | undefined): Option[] => [
  { value: '', text: 'nothing' },
  ...activeColumns(dimension)
    .filter(({ isEvent, kind }) => !isEvent && kind !== 'point')
    .map((column) => ({ value: column.name, text: shownName(column) })),
];
