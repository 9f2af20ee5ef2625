/** What the binders of single kinds of nodes share: how operands are bound, and what the names in them mean. */
import type { Expression } from '../../ir/index.js';
import type { SqlNode } from '../tree.js';
import type { Scope } from './scope.js';

export interface Binder {
  readonly scope: Scope;
  /** An operand. Throws 6000 for lists and points, with which nothing can be worked out. */
  value(node: SqlNode): Expression;
  /** An operand that is true, false or missing. */
  condition(node: SqlNode): Expression;
}
