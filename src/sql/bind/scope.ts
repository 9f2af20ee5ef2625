/**
 * The scope in which a scalar expression is bound: the names visible in a part of a statement (WHERE, outputs of groups, the
 * condition of a join) and the creation of plan inputs. Each clause provides its own.
 */
import type { BindingTime } from '../../base/index.js';
import type { Expression } from '../../ir/index.js';
import type { SourcePosition, SqlNode } from '../tree.js';

export type NodeOf<Kind extends SqlNode['is']> = Extract<SqlNode, { readonly is: Kind }>;

/** Nodes that only a bound query can evaluate. */
export type QueryNode = NodeOf<'subquery' | 'exists' | 'in-query' | 'over' | 'filtered' | 'ordered'>;

/**
 * The letters of a text. lower: no capitals, as most columns store them. mixed: possibly capitals, which comparisons ignore.
 * preserved: of a column that preserves case; compared exactly.
 */
export type TextLetters = 'lower' | 'mixed' | 'preserved';

/** Properties of an input beyond its type. */
export interface InputTraits {
  /** The input contains points, which can only be selected. */
  readonly points: boolean;
  /** 'mixed' if the input is not text. */
  readonly letters: TextLetters;
}

export interface Scope {
  /** Throws 6000 if the column does not exist or is not allowed here. */
  column(node: NodeOf<'column'>): Expression;
  /** The column that a string in double quotes names; null = it is a string. */
  string(node: NodeOf<'string'>): Expression | null;
  /** Resolves aggregates and other calls that belong to the clause; null = an ordinary function. */
  call(node: NodeOf<'call'>): Expression | null;
  /** Binds a subquery, a window function, or an aggregate with FILTER or ORDER BY. Throws 6000 where none is allowed. */
  query(node: QueryNode): Expression;
  /** A text that is different for each row; null if the rows have none. Absent = null. */
  rowIdentity?(position: SourcePosition): Expression | null;
  /** The traits of an input of this scope. */
  traits(input: number): InputTraits;
  /**
   * Whether a call over constants may become a constant. Not where it may be a key of a grouping set, which is missing in other
   * sets. Absent = it may.
   */
  readonly foldsCalls?: boolean;
  /** The instant that NOW() returns, in milliseconds since 1970-01-01. */
  readonly nowMs: BindingTime;
}
