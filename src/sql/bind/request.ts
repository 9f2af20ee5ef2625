/** What statements are bound against: the model, the time, and what the caller may use. */
import type { BindingTime } from '../../base/index.js';
import type { Condition, Constant, Expression } from '../../ir/index.js';
import type { Column, DatabaseModel, Dimension } from '../../schema/index.js';

/** What of a database the caller may use: its columns and its rows. */
export interface SqlAccess {
  allows(dimension: Dimension, column: Column): boolean;
  /** Throws 506 where `allows` is false. */
  checkColumn(dimension: Dimension, column: Column): void;
  /** `condition` (null = all entities) narrowed to the rows that the caller sees. Throws 506 when that cannot be told. */
  restrict<C extends Condition | null>(dimension: Dimension, condition: C, nowMs: BindingTime): Condition | C;
}

export interface SqlRequest {
  readonly model: DatabaseModel;
  /** Milliseconds since 1970-01-01. */
  readonly nowMs: BindingTime;
  readonly access: SqlAccess;
  /**
   * The value of an expression that reads no rows, so that a column can be compared with it as with a constant
   * ([clicks.date] > DATEADD(day, -7, NOW())); absent = such expressions are worked out for each row.
   */
  readonly evaluate?: (expression: Expression) => Constant['value'];
}
