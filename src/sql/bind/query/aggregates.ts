/** Binds the aggregates of a query block: over the block's rows, with FILTER and WITHIN GROUP. */
import { BOOLEAN, type Expression, INTEGER, type RelationAggregate } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import type { CallNode, SqlNode } from '../../tree.js';
import { caseOf, integerOf } from '../expressions/build.js';
import { bindCondition, bindScalar } from '../expressions/scalar.js';
import { lettersOf } from '../expressions/text-case.js';
import { typeName } from '../expressions/types.js';
import { aggregateForm, aggregateIn, aggregateType } from '../functions/aggregate-functions.js';
import type { NodeOf, Scope, TextLetters } from '../scope.js';

export type AggregateNode = CallNode | NodeOf<'filtered' | 'ordered'>;

export interface BoundAggregate extends Omit<RelationAggregate, 'column' | 'of'> {
  readonly of: Expression | null;
  /** Texts that it returns are in lower case. */
  readonly letters: TextLetters;
}

/** Whether the node is an aggregate with everything that belongs to it. */
export function isAggregateNode(node: SqlNode): node is AggregateNode {
  if (node.is === 'call') return aggregateForm(node.name) !== null;
  return node.is === 'filtered' || node.is === 'ordered';
}

/** `scope` is that of the argument, without aggregates. Throws 6000. */
export function bindAggregate(node: AggregateNode, scope: Scope): BoundAggregate {
  const call = node.is === 'filtered' || node.is === 'ordered' ? node.call : node;
  const form = aggregateForm(call.name);
  if (form === null) throw sqlError(`${call.name.toUpperCase()} is not an aggregate`, call.position);
  const { argument, fraction } = argumentsOf(node, call);
  const value = argument.is === 'star' ? null : bindArgument(argument, form.label, scope);
  if (value === null && (form.function !== 'count' || call.distinct)) {
    throw sqlError(`* is allowed only in COUNT(*), not in ${form.label}`, call.position);
  }
  const type = aggregateType(form.function, value?.type ?? null);
  if (type === null) {
    const found = value === null ? '*' : typeName(value.type);
    throw sqlError(`${form.label} does not take ${found === 'json' ? 'lists' : found}`, call.position);
  }
  const of = node.is === 'filtered' ? whereTrue(value, node.where, scope) : value;
  const distinct = call.distinct && form.function !== 'min' && form.function !== 'max';
  const letters = value === null ? 'mixed' : lettersOf(value, scope);
  const known = form.fraction === 'argument' ? fractionOf(fraction, form.label, call) : form.fraction;
  return { function: form.function, of, distinct, fraction: known, type, letters };
}

function bindArgument(argument: SqlNode, label: string, scope: Scope): Expression {
  const inner = aggregateIn(argument);
  if (inner !== null) throw sqlError(`${label} cannot contain another aggregate`, inner.position);
  return bindScalar(argument, scope);
}

/** The value where the condition of FILTER is true, otherwise missing. COUNT(*) counts ones. */
function whereTrue(value: Expression | null, where: SqlNode, scope: Scope): Expression {
  const condition = bindCondition(where, scope);
  const counted = value ?? integerOf(1);
  if (condition.op === 'constant' && condition.type === BOOLEAN && condition.value === true) return counted;
  return caseOf(value === null ? INTEGER : counted.type, [[condition, counted]], null);
}

/** The aggregated argument and that of the fraction, if any. Throws 6000. */
function argumentsOf(
  node: AggregateNode,
  call: CallNode,
): { readonly argument: SqlNode; readonly fraction: SqlNode | null } {
  const form = aggregateForm(call.name);
  const label = form?.label ?? call.name;
  if (node.is === 'ordered') {
    if (form?.fraction === 'argument' && call.args.length === 1 && node.orderBy.length === 1) {
      return { argument: node.orderBy[0].of, fraction: call.args[0] };
    }
    // An order does not change what the other aggregates return.
  }
  const expected = form?.fraction === 'argument' ? 2 : 1;
  if (call.args.length !== expected) {
    const accepts = expected === 2 ? 'a value and a fraction' : 'one value';
    throw sqlError(`${label} takes ${accepts}, not ${call.args.length} arguments`, call.position);
  }
  return { argument: call.args[0], fraction: call.args[1] ?? null };
}

function fractionOf(node: SqlNode | null, label: string, call: CallNode): number {
  const fraction = node?.is === 'number' ? Number(node.text) : Number.NaN;
  if (fraction >= 0 && fraction <= 1) return fraction;
  throw sqlError(`the fraction of ${label} must be a number from 0 to 1`, (node ?? call).position);
}
