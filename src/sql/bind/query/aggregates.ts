/** Binds the aggregates of a query block: over the block's rows, with FILTER and WITHIN GROUP. */
import type { AggregateFunction } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import type { CallNode, SqlNode } from '../../tree.js';
import { lettersOf } from '../expressions/text-case.js';
import { typeName } from '../expressions/types.js';
import { type AggregateForm, aggregateForm, formOfCall, formType } from '../functions/aggregate-functions.js';
import type { Scope } from '../scope.js';
import {
  type AggregateNode,
  type BoundAggregate,
  bindArgument,
  callOf,
  whereTrue,
} from './aggregate-arguments.js';
import { bindPacked } from './packed-aggregates.js';

/** Whether the node is an aggregate with everything that belongs to it. */
export function isAggregateNode(node: SqlNode): node is AggregateNode {
  if (node.is === 'call') return aggregateForm(node.name) !== null;
  return node.is === 'filtered' || node.is === 'ordered';
}

/** `scope` is that of the argument, without aggregates. Throws 6000. */
export function bindAggregate(node: AggregateNode, scope: Scope): BoundAggregate {
  const call = callOf(node);
  const form = formOfCall(call);
  if (form === null) throw sqlError(`${call.name.toUpperCase()} is not an aggregate`, call.position);
  if (form.special === 'grouping') throw sqlError('GROUPING has neither FILTER nor ORDER BY', call.position);
  if (form.special !== null) return bindPacked(form.special, form, node, scope);
  const { argument, fraction, isDescending } = argumentsOf(node, call, form);
  const value = argument.is === 'star' ? null : bindArgument(argument, form.label, scope);
  if (value === null && (form.function !== 'count' || call.distinct)) {
    throw sqlError(`* is allowed only in COUNT(*), not in ${form.label}`, call.position);
  }
  const type = formType(form, value?.type ?? null);
  if (type === null) {
    const found = value === null ? '*' : typeName(value.type);
    throw sqlError(`${form.label} does not take ${found === 'json' ? 'lists' : found}`, call.position);
  }
  const of = node.is === 'filtered' ? whereTrue(value, node.where, scope) : value;
  const isExtreme = form.function === 'min' || form.function === 'max';
  const distinct = (call.distinct || form.isDistinct) && !isExtreme;
  const letters = value === null ? 'mixed' : lettersOf(value, scope);
  const known = form.fraction === 'argument' ? fractionOf(fraction, form.label, call) : form.fraction;
  const ordered = isDescending
    ? descending(form.function, known, call)
    : { function: form.function, fraction: known };
  return { ...ordered, of, distinct, type, letters, finish: null };
}

/** Whether the call is GROUPING(key, ...). */
export const isGrouping = (call: CallNode): boolean => aggregateForm(call.name)?.special === 'grouping';

/** The most digits of Number.toFixed. */
const TO_FIXED_MAX = 100;

/** A percentile in descending order. */
function descending(
  name: AggregateFunction,
  fraction: number | null,
  call: CallNode,
): Pick<BoundAggregate, 'function' | 'fraction'> {
  if (name === 'percentile-disc') return { function: 'percentile-disc-down', fraction };
  if (name !== 'percentile' || fraction === null) {
    throw sqlError(
      `WITHIN GROUP (ORDER BY ... DESC) is not available in ${call.name.toUpperCase()}`,
      call.position,
    );
  }
  // 1 - fraction with as many digits: 1 - 0.95 would be 0.050000000000000044.
  const [digits, exponent = '0'] = String(fraction).split('e');
  const places = (digits.split('.')[1]?.length ?? 0) - Number(exponent);
  return { function: name, fraction: Number((1 - fraction).toFixed(Math.min(places, TO_FIXED_MAX))) };
}

interface Arguments {
  readonly argument: SqlNode;
  /** The node of the fraction. */
  readonly fraction: SqlNode | null;
  readonly isDescending: boolean;
}

/** Throws 6000. */
function argumentsOf(node: AggregateNode, call: CallNode, form: AggregateForm): Arguments {
  const { label } = form;
  const hasFraction = form.fraction === 'argument';
  if (node.is === 'ordered' && (hasFraction || form.function === 'mode')) {
    if (call.args.length === (hasFraction ? 1 : 0) && node.orderBy.length === 1) {
      const [{ of, descending: isDescending }] = node.orderBy;
      return { argument: of, fraction: call.args[0] ?? null, isDescending };
    }
    // An order does not change what the other aggregates return.
  }
  const expected = hasFraction ? 2 : 1;
  if (call.args.length !== expected) {
    const accepts = expected === 2 ? 'a value and a fraction' : 'one value';
    throw sqlError(`${label} takes ${accepts}, not ${call.args.length} arguments`, call.position);
  }
  return { argument: call.args[0], fraction: call.args[1] ?? null, isDescending: false };
}

function fractionOf(node: SqlNode | null, label: string, call: CallNode): number {
  const fraction = node?.is === 'number' ? Number(node.text) : Number.NaN;
  if (fraction >= 0 && fraction <= 1) return fraction;
  throw sqlError(`the fraction of ${label} must be a number from 0 to 1`, (node ?? call).position);
}
