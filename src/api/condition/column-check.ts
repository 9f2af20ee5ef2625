/** Whether the caller of a request may use a column. */
import type { Column, Dimension } from '../../schema/index.js';

/** Called for every column that a condition names; throws if the caller may not use the column. */
export type ColumnCheck = (dimension: Dimension, column: Column) => void;
