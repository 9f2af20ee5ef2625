/**
 * Binds aggregates of several values per row: ARG_MIN and ARG_MAX as extremes of packed texts, ARRAY_AGG, JSON_OBJECT_AGG and
 * STRING_AGG as lists of them. Without ORDER BY the values themselves are sorted, so that no result depends on the shards.
 */
import { BOOLEAN, type Expression, TEXT } from '../../../ir/index.js';
import type { SqlType } from '../../../vector/index.js';
import { sqlError } from '../../sql-error.js';
import type { CallNode, OrderKey, SqlNode } from '../../tree.js';
import { asText } from '../expressions/arithmetic.js';
import {
  callOf,
  caseOf,
  castOf,
  constantOf,
  integerOf,
  isTextConstant,
  JSON_TYPE,
} from '../expressions/build.js';
import { explicitCast } from '../expressions/cast.js';
import { comparable, lettersOf, lettersOfAny } from '../expressions/text-case.js';
import type { AggregateForm, ListForm } from '../functions/aggregate-functions.js';
import type { Scope, TextLetters } from '../scope.js';
import {
  type AggregateNode,
  type BoundAggregate,
  bindArgument,
  callOf as calledBy,
  whereTrue,
} from './aggregate-arguments.js';

type Special = 'packed' | ListForm;

interface Packed {
  readonly of: Expression;
  readonly letters: TextLetters;
  finish(column: Expression): Expression;
}

/** Throws 6000. */
export function bindPacked(
  special: Special,
  form: AggregateForm,
  node: AggregateNode,
  scope: Scope,
): BoundAggregate {
  const call = calledBy(node);
  if (call.args.some((argument) => argument.is === 'star')) {
    throw sqlError(`* is allowed only in COUNT(*), not in ${form.label}`, call.position);
  }
  const orderBy = node.is === 'call' ? [] : (node.orderBy ?? []);
  const { of, letters, finish } =
    special === 'packed'
      ? argumentOfExtreme(form, call, orderBy, scope)
      : list(special, form, call, orderBy, scope);
  return {
    function: form.function,
    of: node.is === 'filtered' ? whereTrue(of, node.where, scope) : of,
    distinct: call.distinct && special !== 'packed',
    fraction: null,
    type: TEXT,
    letters,
    finish,
  };
}

/** ARG_MIN(x, y): rows whose x or y is missing are ignored; of several rows with the least y, the least x as text. */
function argumentOfExtreme(
  form: AggregateForm,
  call: CallNode,
  orderBy: readonly OrderKey[],
  scope: Scope,
): Packed {
  if (call.args.length !== 2 || orderBy.length > 0) {
    throw sqlError(`${form.label} takes a value and the value that is compared`, call.position);
  }
  const [value, compared] = call.args.map((argument) => bindArgument(argument, form.label, scope));
  refuseLists([value, compared], form, call);
  const key = comparable(compared, scope);
  const packed = pack('al', asText(value), [key]);
  const isPresent: Expression = { op: 'is-null', type: BOOLEAN, of: compared, negated: true };
  const of = caseOf(TEXT, [[isPresent, packed]], null);
  const letters = lettersOf(value, scope);
  const finish = (column: Expression): Expression =>
    explicitCast(callOf('packed-text', TEXT, [column]), value.type, false, call.position);
  return { of, letters, finish };
}

function refuseLists(values: readonly Expression[], form: AggregateForm, call: CallNode): void {
  if (values.some(({ type }) => type.type === 'json'))
    throw sqlError(`${form.label} does not take lists`, call.position);
}

function pack(directions: string, text: Expression, keys: readonly Expression[]): Expression {
  return callOf('pack', TEXT, [constantOf(TEXT, directions), text, ...keys]);
}

/** The arguments, and how many of them are required. */
const LIST_ARGUMENTS: Readonly<Record<ListForm, readonly [accepts: string, least: number, most: number]>> = {
  array: ['one value', 1, 1],
  object: ['a key and a value', 2, 2],
  texts: ['a value and a separator', 1, 2],
};

/** The text of a row in the list, and the values by which rows are sorted last. */
function rowOf(
  special: ListForm,
  form: AggregateForm,
  call: CallNode,
  scope: Scope,
): { readonly value: Expression; readonly item: Expression; readonly own: readonly Expression[] } {
  const [accepts, least, most] = LIST_ARGUMENTS[special];
  if (call.args.length < least || call.args.length > most) {
    throw sqlError(`${form.label} takes ${accepts}, not ${call.args.length} arguments`, call.position);
  }
  const value = bindArgument(call.args[0], form.label, scope);
  const own = comparable(value, scope);
  if (special === 'array') return { value, item: jsonItem(value), own: [own] };
  refuseLists([value], form, call);
  if (special === 'texts') return { value, item: asText(value), own: [own] };
  const member = jsonItem(bindArgument(call.args[1], form.label, scope));
  const item = callOf('concat-strict', TEXT, [jsonItem(asText(value)), constantOf(TEXT, ':'), member]);
  return { value, item, own: [own, member] };
}

const jsonItem = (value: Expression): Expression => callOf('json-item', TEXT, [value]);

function list(
  special: ListForm,
  form: AggregateForm,
  call: CallNode,
  orderBy: readonly OrderKey[],
  scope: Scope,
): Packed {
  const isText = special === 'texts';
  const { value, item, own } = rowOf(special, form, call, scope);
  const separator = isText ? separatorOf(call.args[1], form, scope) : ',';
  const text = callOf('concat-strict', TEXT, [constantOf(TEXT, separator), item]);
  const keys = orderBy.map(({ of }) => comparable(bindArgument(of, form.label, scope), scope));
  refuseLists(keys, form, call);
  const directions = orderBy.map(
    ({ descending, missing }) => `${descending ? 'd' : 'a'}${missing === 'first' ? 'f' : 'l'}`,
  );
  if (call.distinct && orderBy.length > 0 && !isOnlyKey(orderBy, call.args[0])) {
    throw sqlError(`${form.label}(DISTINCT x ORDER BY ...) can only be ordered by x`, orderBy[0].of.position);
  }
  const of = pack(directions.join('') + 'al'.repeat(own.length), text, [...keys, ...own]);
  const skipped = [...separator].length + 1;
  const finish = (column: Expression): Expression => {
    const joined = callOf('substring', TEXT, [column, integerOf(skipped)]);
    if (isText) return joined;
    const [open, close] = special === 'object' ? '{}' : '[]';
    const brackets = [constantOf(TEXT, open), joined, constantOf(TEXT, close)];
    const type: SqlType = special === 'object' ? JSON_TYPE : { type: 'json', items: value.type };
    return castOf(callOf('concat-strict', TEXT, brackets), type);
  };
  const letters = isText
    ? lettersOfAny([lettersOf(value, scope), lettersOf(constantOf(TEXT, separator), scope)])
    : 'mixed';
  return { of, letters, finish };
}

const isOnlyKey = (orderBy: readonly OrderKey[], argument: SqlNode): boolean =>
  orderBy.length === 1 && withoutPositions(orderBy[0].of) === withoutPositions(argument);

const withoutPositions = (node: SqlNode): string =>
  JSON.stringify(node, (key, value) => (key === 'position' || key === 'parenthesized' ? undefined : value));

/** Without a separator a comma, as in GROUP_CONCAT. */
function separatorOf(node: SqlNode | undefined, form: AggregateForm, scope: Scope): string {
  if (node === undefined) return ',';
  const bound = bindArgument(node, form.label, scope);
  if (isTextConstant(bound)) return bound.value;
  throw sqlError(`the separator of ${form.label} is a text, the same for all rows`, node.position);
}
