/** The context in which statements are bound: the model, the time, and the columns and rows that the caller may use. */
import type { BindingTime } from '../../base/index.js';
import type { SavedQuery } from '../../catalog/index.js';
import type { Condition, Constant, Expression, TableQuestion } from '../../ir/index.js';
import type { Column, DatabaseModel, Dimension } from '../../schema/index.js';
import type { SqlType } from '../../vector/index.js';
import type { Query } from '../tree.js';
import type { InputTraits } from './scope.js';

/** The columns and rows of a database that the caller may use. */
export interface SqlAccess {
  /** Empty = the caller may use all columns and rows. */
  readonly fingerprint: string;
  allows(dimension: Dimension, column: Column): boolean;
  /** Throws 506 if `allows` is false. */
  checkColumn(dimension: Dimension, column: Column): void;
  /**
   * `condition` (null = all entities) narrowed to the rows that the caller sees. Throws 506 if the row filter cannot be
   * bound.
   */
  restrict<C extends Condition | null>(dimension: Dimension, condition: C, nowMs: BindingTime): Condition | C;
  /** Membership in a segment of the dimension. Throws 506, 9101, 9106 and the errors of its query. */
  segment(name: string, dimension: Dimension, nowMs: BindingTime): Condition;
}

/**
 * The rules where the JSON interface and PostgreSQL differ: names of the columns of an answer, and whether `*` contains the
 * score. The differences within expressions are in the tree (postgres/dialect.ts).
 */
export type SqlDialect = 'http' | 'postgres';

/** A table that only one session has. */
export type SessionTable =
  | {
      readonly is: 'rows';
      readonly columns: readonly SessionColumn[];
      /** In the stored form of the types of the columns. */
      readonly rows: readonly (readonly Constant['value'][])[];
      /** The same object in every version of the table, which views read in the newest one. */
      readonly origin: object;
    }
  | {
      readonly is: 'view';
      readonly query: Query;
      /** null = those of the query. */
      readonly columnNames: readonly string[] | null;
      /** The tables of the session when the view was made, which its query reads. */
      readonly tables: ReadonlyMap<string, SessionTable>;
      /** The rules by which its columns are named; absent = those of the request. */
      readonly dialect?: SqlDialect;
    };

export interface SessionColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly traits: InputTraits;
}

/** A question about behaviour as a table. */
export interface QuestionTable {
  readonly question: TableQuestion;
  readonly columns: readonly SessionColumn[];
}

export interface SqlRequest {
  /**
   * The table of a question from its JSON (null = the caller has none); null = there is no such kind of questions. Throws the errors of the kind's endpoint.
   * Absent = there are no such tables.
   */
  readonly questions?: (kind: string, json: string | null) => QuestionTable | 'no question' | null;
  /** The tables of the caller's session, by name in lower case, which hide others of the same name. Absent = none. */
  readonly sessionTables?: ReadonlyMap<string, SessionTable>;
  /** The saved queries of the database, by name; those of type `sql` are views. Absent = none. */
  readonly savedQueries?: ReadonlyMap<string, SavedQuery>;
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
