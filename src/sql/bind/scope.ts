/**
 * What scalar expressions are bound over: the names that a place of a statement knows (WHERE, a group's outputs, the
 * condition of a join), and how inputs of the plan are asked for. Whoever binds a clause gives its own.
 */
import type { BindingTime } from '../../base/index.js';
import type { Expression } from '../../ir/index.js';
import type { SqlNode } from '../tree.js';

export type NodeOf<Kind extends SqlNode['is']> = Extract<SqlNode, { readonly is: Kind }>;

/** What an input holds beyond its type. */
export interface InputTraits {
  /** Points: nothing but to be put out. */
  readonly points: boolean;
  /** Texts without upper-case letters, as columns are stored; false where keys or aggregates may hold any. */
  readonly lowerCase: boolean;
}

export interface Scope {
  /** Throws 6000 where there is no such column, or where it may not stand. */
  column(node: NodeOf<'column'>): Expression;
  /** Of a string in double quotes: the column of that name; null = it is a string. */
  string(node: NodeOf<'string'>): Expression | null;
  /** Aggregates and what else is resolved by the clause itself; null = an ordinary function. */
  call(node: NodeOf<'call'>): Expression | null;
  /** Of the inputs that the expressions of this scope read. */
  traits(input: number): InputTraits;
  /** The instant that NOW() answers, in milliseconds since 1970-01-01. */
  readonly nowMs: BindingTime;
}
