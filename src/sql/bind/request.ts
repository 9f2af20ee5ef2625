/** The context in which statements are bound: the model, the time, and the columns and rows that the caller may use. */
import type { BindingTime } from '../../base/index.js';
import type { Condition, Constant, Expression } from '../../ir/index.js';
import type { Column, DatabaseModel, Dimension } from '../../schema/index.js';

/** The columns and rows of a database that the caller may use. */
export interface SqlAccess {
  allows(dimension: Dimension, column: Column): boolean;
  /** Throws 506 if `allows` is false. */
  checkColumn(dimension: Dimension, column: Column): void;
  /**
   * `condition` (null = all entities) narrowed to the rows that the caller sees. Throws 506 if the row filter cannot be
   * bound.
   */
  restrict<C extends Condition | null>(dimension: Dimension, condition: C, nowMs: BindingTime): Condition | C;
}

/**
 * The rules where the JSON interface and PostgreSQL differ: names of the columns of an answer, and whether `*` contains the
 * score. The differences within expressions are in the tree (postgres/dialect.ts).
 */
export type SqlDialect = 'http' | 'postgres';

export interface SqlRequest {
  /** Default: http. */
  readonly dialect?: SqlDialect;
  readonly model: DatabaseModel;
  /** Milliseconds since 1970-01-01. */
  readonly nowMs: BindingTime;
  readonly access: SqlAccess;
  /**
   * Evaluates an expression that reads no rows, so that a column can be compared with it like with a constant
   * ([clicks.date] > DATEADD(day, -7, NOW())). If absent, such expressions are evaluated for each row.
   */
  readonly evaluate?: (expression: Expression) => Constant['value'];
}
