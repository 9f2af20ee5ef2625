/** Compiles expressions for evaluation vector by vector: one closure per node, called for each batch of rows. */
import type { MemoryAccount } from '../base/index.js';
import type { Expression } from '../ir/index.js';
import type { Vector } from '../vector/index.js';
import { vectorKindOf } from '../vector/index.js';
import { evaluateCase, evaluateCoalesce, nullIf } from './branches.js';
import { evaluateByText, rememberedByText } from './by-text.js';
import { evaluateCast, mayLoseValues } from './cast/cast.js';
import { compareVectors } from './compare.js';
import { exactArithmetic } from './exact.js';
import { floatArithmetic } from './float.js';
import { callMayFail, evaluateCall } from './functions/calls.js';
import { likeMatcher } from './functions/like.js';
import { inSet } from './in-set.js';
import { exactOf, floatOf, textOf } from './kinds.js';
import { evaluateLogic, isMissing, negated } from './logic.js';
import { constantNode, type Evaluate, folded, type Node } from './node.js';

/**
 * Results of functions of text are remembered per Texts object, so inputs of the same dictionary should use the same object.
 * `memory` accounts for them as long as the compiled expression lives. Throws 6000.
 */
export function compile(expression: Expression, memory: MemoryAccount | null = null): Evaluate {
  return nodeOf(expression, memory).evaluate;
}

type Of<O extends Expression['op']> = Extract<Expression, { readonly op: O }>;

/** Compiles a node. An expression of constants is evaluated only once. */
function nodeOf(expression: Expression, memory: MemoryAccount | null): Node {
  const node = plainNode(expression, memory);
  return node.constant && expression.op !== 'constant' ? folded(node, memory) : node;
}

function plainNode(expression: Expression, memory: MemoryAccount | null): Node {
  switch (expression.op) {
    case 'constant':
      return constantNode(expression.type, expression.value, memory);
    case 'input': {
      const { input, type } = expression;
      return { type, constant: false, mayFail: false, evaluate: (rows) => rows.input(input) };
    }
    case 'and':
    case 'or':
      return logicNode(expression, memory);
    case 'not':
      return unary(expression, expression.member, memory, negated);
    case 'is-null': {
      const { negated: not } = expression;
      return unary(expression, expression.of, memory, (vector) => isMissing(vector, not));
    }
    case 'compare':
      return compareNode(expression, memory);
    case 'in':
      return ofText(expression, memory, inSet(expression.values, expression.negated));
    case 'like':
      return likeNode(expression, memory);
    case 'case':
      return caseNode(expression, memory);
    case 'coalesce':
      return coalesceNode(expression, memory);
    case 'null-if':
      return nullIfNode(expression, memory);
    case 'arithmetic':
      return arithmeticNode(expression, memory);
    case 'cast':
      return castNode(expression, memory);
    case 'call':
      return callNode(expression, memory);
  }
}

/** Compiles a node with compiled `children`. */
function nodeWith(
  { type }: Expression,
  children: readonly Node[],
  mayFail: boolean,
  evaluate: Evaluate,
): Node {
  return {
    type,
    constant: children.every(({ constant }) => constant),
    mayFail: mayFail || children.some((child) => child.mayFail),
    evaluate,
  };
}

function unary(
  expression: Expression,
  of: Expression,
  memory: MemoryAccount | null,
  apply: (vector: Vector) => Vector,
): Node {
  const child = nodeOf(of, memory);
  return nodeWith(expression, [child], false, (rows) => apply(child.evaluate(rows)));
}

function logicNode(expression: Of<'and' | 'or'>, memory: MemoryAccount | null): Node {
  const members = expression.members.map((member) => nodeOf(member, memory));
  return nodeWith(expression, members, false, evaluateLogic(expression.op, members));
}

function compareNode(expression: Of<'compare'>, memory: MemoryAccount | null): Node {
  const sides = [nodeOf(expression.left, memory), nodeOf(expression.right, memory)];
  const { comparison, type } = expression;
  const evaluate = evaluateByText(sides, type, true, memory, ([left, right]) =>
    compareVectors(comparison, left, right),
  );
  return nodeWith(expression, sides, false, evaluate);
}

/** A function of one argument, remembered by text if the argument is a text. */
function ofText(
  expression: Of<'in' | 'like'>,
  memory: MemoryAccount | null,
  apply: (vector: Vector) => Vector,
): Node {
  const child = nodeOf(expression.of, memory);
  const remembered = rememberedByText(expression.type, true, memory, apply);
  return nodeWith(expression, [child], false, (rows) => {
    const vector = child.evaluate(rows);
    return vector.kind === 'text' ? remembered(vector, rows.scannedRows) : apply(vector);
  });
}

function likeNode(expression: Of<'like'>, memory: MemoryAccount | null): Node {
  const match = likeMatcher(expression.pattern, expression.escape);
  return ofText(expression, memory, (vector) => {
    const matched = match(textOf(vector));
    return expression.negated ? negated(matched) : matched;
  });
}

function caseNode(expression: Of<'case'>, memory: MemoryAccount | null): Node {
  const branches = expression.branches.map(({ when, then }) => {
    return { when: nodeOf(when, memory), result: nodeOf(then, memory) };
  });
  const otherwise = expression.otherwise === null ? null : nodeOf(expression.otherwise, memory);
  const children = branches.flatMap(({ when, result }) => [when, result]).concat(otherwise ?? []);
  return nodeWith(expression, children, false, evaluateCase(expression.type, branches, otherwise, memory));
}

function coalesceNode(expression: Of<'coalesce'>, memory: MemoryAccount | null): Node {
  const members = expression.members.map((member) => nodeOf(member, memory));
  return nodeWith(expression, members, false, evaluateCoalesce(expression.type, members, memory));
}

function nullIfNode(expression: Of<'null-if'>, memory: MemoryAccount | null): Node {
  const sides = [nodeOf(expression.of, memory), nodeOf(expression.equals, memory)];
  return nodeWith(expression, sides, false, (rows) =>
    nullIf(sides[0].evaluate(rows), sides[1].evaluate(rows)),
  );
}

function arithmeticNode(expression: Of<'arithmetic'>, memory: MemoryAccount | null): Node {
  const [left, right] = [nodeOf(expression.left, memory), nodeOf(expression.right, memory)];
  const { operator, type } = expression;
  if (vectorKindOf(type) === 'float' || operator === '/') {
    return nodeWith(expression, [left, right], false, (rows) =>
      floatArithmetic(operator, floatOf(left.evaluate(rows)), floatOf(right.evaluate(rows))),
    );
  }
  return nodeWith(expression, [left, right], operator !== '%', (rows) =>
    exactArithmetic(operator, exactOf(left.evaluate(rows)), exactOf(right.evaluate(rows))),
  );
}

function castNode(expression: Of<'cast'>, memory: MemoryAccount | null): Node {
  const { type, lenient } = expression;
  const child = nodeOf(expression.of, memory);
  const mayFail = !lenient && mayLoseValues(child.type, type);
  return nodeWith(expression, [child], mayFail, evaluateCast(child, type, lenient, memory));
}

function callNode(expression: Of<'call'>, memory: MemoryAccount | null): Node {
  const args = expression.args.map((arg) => nodeOf(arg, memory));
  const mayFail = callMayFail(expression.name);
  return nodeWith(expression, args, mayFail, evaluateCall(expression, args, memory));
}
