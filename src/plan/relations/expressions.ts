/** Conjuncts, substitution, constant folding and properties of expressions, for the rules over relations. */
import { QuarryError } from '../../base/index.js';
import { compile, ONE_ROW } from '../../expression/index.js';
import {
  BOOLEAN,
  caseOf,
  childrenOf,
  constantOf,
  type Expression,
  FAILING_DATE_FUNCTIONS,
  FAILING_TEXT_FUNCTIONS,
  inputExpression,
  inputsOf,
  junctionOf,
  keyOf,
  replaceIn,
} from '../../ir/index.js';
import { DIGITS_MAX, type SqlType, scaleOf, type Value, valueAt } from '../../vector/index.js';

export const TRUE = constantOf(BOOLEAN, true);
export const FALSE = constantOf(BOOLEAN, false);

export const isConstant = (expression: Expression, value: Value): boolean =>
  expression.op === 'constant' && expression.value === value;

/** The members of a condition that keeps rows for which it is true: unknown counts as false. */
export function conjunctsOf(condition: Expression | null): readonly Expression[] {
  if (condition === null) return [];
  if (condition.op === 'and') return condition.members.flatMap(conjunctsOf);
  // COALESCE(x, FALSE)
  if (
    condition.op === 'coalesce' &&
    condition.members.length === 2 &&
    isConstant(condition.members[1], false)
  ) {
    return conjunctsOf(condition.members[0]);
  }
  return isConstant(condition, true) ? [] : [condition];
}

/**
 * The condition that is true if all conjuncts are; null without conjuncts. A conjunct that can fail is evaluated only
 * for rows for which those before it are true.
 */
export function allOf(conjuncts: readonly Expression[]): Expression | null {
  let all: Expression | null = null;
  let group: Expression[] = [];
  for (const conjunct of conjuncts) {
    if (group.length > 0 && mayFail(conjunct)) {
      all = caseOf(BOOLEAN, [[junctionOf('and', group), conjunct]], FALSE);
      group = [all];
    } else group.push(conjunct);
  }
  return group.length === 0 ? all : junctionOf('and', group);
}

/** The conjuncts, each once. */
export function withoutRepeats(conjuncts: readonly Expression[]): readonly Expression[] {
  const seen = new Set<string>();
  return conjuncts.filter((conjunct) => {
    const key = keyOf(conjunct);
    return seen.has(key) ? false : seen.add(key) !== null;
  });
}

/** Replaces inputs by expressions. */
export function substitute(
  expression: Expression,
  by: (input: number) => Expression | undefined,
): Expression {
  return replaceIn(expression, (part) => (part.op === 'input' ? (by(part.input) ?? part) : null));
}

/** Renames inputs. */
export function renamedInputs(expression: Expression, names: ReadonlyMap<number, number>): Expression {
  return substitute(expression, (input) => {
    const renamed = names.get(input);
    return renamed === undefined || renamed === input
      ? undefined
      : inputExpression(typeOfInput(expression, input), renamed);
  });
}

function typeOfInput(expression: Expression, input: number): SqlType {
  let type = expression.type;
  replaceIn(expression, (part) => {
    if (part.op === 'input' && part.input === input) type = part.type;
    return null;
  });
  return type;
}

export const readsOnly = (expression: Expression, columns: ReadonlySet<number>): boolean => {
  for (const input of inputsOf(expression)) if (!columns.has(input)) return false;
  return true;
};

export const readsAny = (expression: Expression, columns: ReadonlySet<number>): boolean => {
  for (const input of inputsOf(expression)) if (columns.has(input)) return true;
  return false;
};

/** Whether the evaluation can throw for some row. */
export function mayFail(expression: Expression): boolean {
  const ofParts = childrenOf(expression).some(mayFail);
  switch (expression.op) {
    case 'cast':
      return ofParts || (!expression.lenient && castMayFail(expression.of, expression.type));
    case 'arithmetic':
      return ofParts || digitsOf(expression) > DIGITS_MAX;
    case 'call':
      return (
        ofParts ||
        FAILING_TEXT_FUNCTIONS.has(expression.name) ||
        FAILING_CALLS.has(expression.name) ||
        mayDivideByZero(expression)
      );
    default:
      return ofParts;
  }
}

function mayDivideByZero({ name, args }: Extract<Expression, { readonly op: 'call' }>): boolean {
  if (name !== 'divide' && name !== 'modulo') return false;
  const [, divisor] = args;
  return divisor.op !== 'constant' || Number(divisor.value ?? 1) === 0;
}

/** Functions of dates and numbers that can throw: dates can be outside the years that are supported. */
const FAILING_CALLS: ReadonlySet<string> = new Set([
  ...FAILING_DATE_FUNCTIONS,
  ...['round', 'truncate', 'floor', 'ceiling', 'limit-digits', 'checked'],
]);

const isNumber = ({ type }: SqlType): boolean => type === 'integer' || type === 'decimal';

function castMayFail(of: Expression, to: SqlType): boolean {
  const from = of.type;
  if (from.type === 'text' || from.type === 'json') return to.type !== 'text' && to.type !== 'json';
  if (from.type === 'float') return isNumber(to);
  if (!isNumber(from) || scaleOf(to) <= scaleOf(from)) return false;
  return digitsOf(of) + scaleOf(to) - scaleOf(from) > DIGITS_MAX;
}

/** Most digits of a value. Inputs are taken for stored values, which have 64 bits. */
function digitsOf(expression: Expression): number {
  if (!isNumber(expression.type)) return 0;
  switch (expression.op) {
    case 'constant':
      return String(expression.value ?? '').replace('-', '').length;
    case 'arithmetic': {
      const [left, right] = [digitsOf(expression.left), digitsOf(expression.right)];
      if (expression.operator === '*') return left + right;
      return expression.operator === '%' ? left : Math.max(left, right) + 1;
    }
    case 'cast':
      return isNumber(expression.of.type)
        ? digitsOf(expression.of) + Math.max(0, scaleOf(expression.type) - scaleOf(expression.of.type))
        : 19;
    case 'coalesce':
    case 'case':
      return Math.max(19, ...childrenOf(expression).map(digitsOf));
    default:
      return 19;
  }
}

/** The value of an expression without inputs; null if it reads inputs or cannot be computed. */
function computed(expression: Expression): Expression | null {
  try {
    return constantOf(expression.type, valueAt(compile(expression)(ONE_ROW), 0));
  } catch (error) {
    if (error instanceof QuarryError) return null;
    throw error;
  }
}

/** Computes the parts that read no inputs. */
export function folded(expression: Expression): Expression {
  if (expression.op === 'constant' || expression.op === 'input') return expression;
  if (inputsOf(expression).size === 0) return computed(expression) ?? expression;
  const whole = replaceIn(expression, (part) => (part === expression ? null : folded(part)));
  switch (whole.op) {
    case 'and':
    case 'or':
      return foldedLogic(whole.op, whole.members);
    case 'compare':
      return isConstant(whole.left, null) || isConstant(whole.right, null)
        ? constantOf(BOOLEAN, null)
        : whole;
    case 'not':
      return whole.member.op === 'not' ? whole.member.member : whole;
    default:
      return whole;
  }
}

function foldedLogic(op: 'and' | 'or', members: readonly Expression[]): Expression {
  const [settling, neutral] = op === 'and' ? [false, true] : [true, false];
  const flat = members.flatMap((member) => (member.op === op ? member.members : [member]));
  const rest = flat.filter((member) => !isConstant(member, neutral));
  const settled = rest.findIndex((member) => isConstant(member, settling));
  // Members before the constant could fail.
  if (settled !== -1 && !rest.slice(0, settled).some(mayFail)) return constantOf(BOOLEAN, settling);
  return rest.length === 0 ? constantOf(BOOLEAN, neutral) : junctionOf(op, withoutRepeats(rest));
}

/** Whether the condition cannot be true for a row in which all these inputs are missing. */
export function rejectsMissing(condition: Expression, inputs: ReadonlySet<number>): boolean {
  if (!readsAny(condition, inputs)) return false;
  const without = folded(
    replaceIn(condition, (part) =>
      part.op === 'input' && inputs.has(part.input) ? constantOf(part.type, null) : null,
    ),
  );
  return isNeverTrue(without);
}

function isNeverTrue(condition: Expression): boolean {
  switch (condition.op) {
    case 'constant':
      return condition.value !== true;
    case 'and':
      return condition.members.some(isNeverTrue);
    case 'or':
      return condition.members.every(isNeverTrue);
    default:
      return isAlwaysMissing(condition);
  }
}

/** Whether a missing operand makes the value missing for every row. */
function isAlwaysMissing(expression: Expression): boolean {
  switch (expression.op) {
    case 'constant':
      return expression.value === null;
    case 'not':
    case 'compare':
    case 'arithmetic':
    case 'cast':
    case 'in':
    case 'like':
      return childrenOf(expression).some(isAlwaysMissing);
    case 'and':
    case 'or':
    case 'coalesce':
      return expression.members.every(isAlwaysMissing);
    case 'null-if':
      return isAlwaysMissing(expression.of);
    default:
      return false;
  }
}

/** Whether the value is never missing if the inputs `present` are not. */
export function isPresent(expression: Expression, present: ReadonlySet<number>): boolean {
  const all = (): boolean => childrenOf(expression).every((child) => isPresent(child, present));
  switch (expression.op) {
    case 'constant':
      return expression.value !== null;
    case 'input':
      return present.has(expression.input);
    case 'is-null':
      return true;
    case 'and':
    case 'or':
    case 'not':
    case 'compare':
    case 'like':
      return all();
    case 'in':
      return all() && !expression.values.includes(null);
    case 'coalesce':
      return expression.members.some((member) => isPresent(member, present));
    case 'case':
      return (
        expression.otherwise !== null &&
        [...expression.branches.map(({ then }) => then), expression.otherwise].every((value) =>
          isPresent(value, present),
        )
      );
    case 'arithmetic':
      // x / 0, x % 0 and results that are not finite are missing.
      return isNumber(expression.type) && expression.operator !== '/' && expression.operator !== '%' && all();
    case 'cast':
      return !expression.lenient && isNumber(expression.of.type) && isNumber(expression.type) && all();
    default:
      return false;
  }
}
