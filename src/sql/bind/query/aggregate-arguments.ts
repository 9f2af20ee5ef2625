/** Common code of the binders of aggregates: nodes, bound aggregates, arguments and FILTER. */
import { BOOLEAN, type Expression, INTEGER, type RelationAggregate } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import type { CallNode, SqlNode } from '../../tree.js';
import { caseOf, integerOf } from '../expressions/build.js';
import { bindCondition, bindScalar } from '../expressions/scalar.js';
import { aggregateIn } from '../functions/aggregate-functions.js';
import type { NodeOf, Scope, TextLetters } from '../scope.js';

export type AggregateNode = CallNode | NodeOf<'filtered' | 'ordered'>;

export interface BoundAggregate extends Omit<RelationAggregate, 'column' | 'of'> {
  readonly of: Expression | null;
  readonly letters: TextLetters;
  /** The result from the aggregate's column; null = the column. */
  readonly finish: ((column: Expression) => Expression) | null;
}

export const callOf = (node: AggregateNode): CallNode => (node.is === 'call' ? node : node.call);

export function bindArgument(argument: SqlNode, label: string, scope: Scope): Expression {
  const inner = aggregateIn(argument);
  if (inner !== null) throw sqlError(`${label} cannot contain another aggregate`, inner.position);
  return bindScalar(argument, scope);
}

/** The value where the condition of FILTER is true, otherwise missing. COUNT(*) counts ones. */
export function whereTrue(value: Expression | null, where: SqlNode, scope: Scope): Expression {
  const condition = bindCondition(where, scope);
  const counted = value ?? integerOf(1);
  if (condition.op === 'constant' && condition.type === BOOLEAN && condition.value === true) return counted;
  return caseOf(value === null ? INTEGER : counted.type, [[condition, counted]], null);
}
