/** The interface that the binders of the node kinds share: they bind operands and resolve names through it. */
import type { Expression } from '../../ir/index.js';
import type { SqlNode } from '../tree.js';
import type { Scope } from './scope.js';

export interface Binder {
  readonly scope: Scope;
  /** Binds an operand. Throws 6000 for lists and points, which operators do not support. */
  value(node: SqlNode): Expression;
  /** Binds an operand that may be a list or a point. */
  bind(node: SqlNode): Expression;
  /** Binds an operand that is a condition: true, false or missing. */
  condition(node: SqlNode): Expression;
}
