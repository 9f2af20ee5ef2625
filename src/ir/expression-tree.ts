/** Traversal, comparison and replacement of bound expression trees. */
import { invariant } from '../base/index.js';
import { caseOf } from './build.js';
import { childrenOf, type Expression } from './expression.js';

/** A text that is equal for structurally equal expressions (or other plain data). */
export function keyOf(plain: unknown): string {
  return JSON.stringify(plain, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

/** The same operation with other operands, in the order of `childrenOf`. */
function withChildren(expression: Expression, children: readonly Expression[]): Expression {
  const [first, second] = children;
  switch (expression.op) {
    case 'constant':
    case 'input':
      return expression;
    case 'and':
    case 'or':
    case 'coalesce':
      return { ...expression, members: children };
    case 'not':
      return { ...expression, member: first };
    case 'is-null':
    case 'in':
    case 'like':
    case 'cast':
      return { ...expression, of: first };
    case 'compare':
    case 'arithmetic':
      return { ...expression, left: first, right: second };
    case 'null-if':
      return { ...expression, of: first, equals: second };
    case 'call':
      return { ...expression, args: children };
    case 'case': {
      const count = expression.branches.length;
      const branches = expression.branches.map(
        (_branch, index) => [children[2 * index], children[2 * index + 1]] as const,
      );
      const otherwise = expression.otherwise === null ? null : children[2 * count];
      invariant(otherwise !== undefined, 'a CASE keeps its operands');
      return caseOf(expression.type, branches, otherwise);
    }
  }
}

/** Replaces each subtree for which `instead` returns a replacement, outermost first. */
export function replaceIn(
  expression: Expression,
  instead: (part: Expression) => Expression | null,
): Expression {
  const replaced = instead(expression);
  if (replaced !== null) return replaced;
  const children = childrenOf(expression);
  if (children.length === 0) return expression;
  const changed = children.map((child) => replaceIn(child, instead));
  return changed.every((child, index) => child === children[index])
    ? expression
    : withChildren(expression, changed);
}

/** Counts the nodes of the tree; stops at `most`. */
export function nodeCount(expression: Expression, most: number): number {
  let count = 0;
  const left = [expression];
  for (let part = left.pop(); part !== undefined && count <= most; part = left.pop()) {
    count++;
    left.push(...childrenOf(part));
  }
  return count;
}
