/** The result of a SELECT: rows as columns. */
import type { SelectPlan } from '../../ir/index.js';
import type { Field, Vector } from '../../vector/index.js';

export interface Table {
  readonly fields: readonly Field[];
  /** One column per field, with `rowCount` rows each. */
  readonly columns: readonly Vector[];
  readonly rowCount: number;
}

export const fieldsOf = ({ outputs }: SelectPlan): Field[] =>
  outputs.map(({ name, type }) => ({ name, type }));
