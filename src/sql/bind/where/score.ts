/** Binds `score`, the number of conditions of WHERE that hold for a row. */
import { type Expression, FLOAT } from '../../../ir/index.js';
import type { SqlNode } from '../../tree.js';
import { caseOf, constantOf } from '../expressions/build.js';
import { expressionOf, type Predicate, type PredicateForms } from './predicate.js';
import type { WhereRead } from './reader.js';

const ZERO = constantOf(FLOAT, 0);
const ONE = constantOf(FLOAT, 1);

/** The sum of the points, or 1 if no condition adds a point. Conditions on the score itself add none. */
export function scoreOf(
  { predicates, points: all }: WhereRead,
  forms: PredicateForms,
  readsScore: (node: SqlNode) => boolean,
): Expression {
  const hasScore = (predicate: Predicate): boolean => nodesIn(predicate).some(readsScore);
  const points = all.filter((point) => !hasScore(point));
  if (points.length === 0) return ONE;
  // A row remains only if all members of the top list hold.
  const required = new Set<Predicate>(predicates);
  const isRequired = (point: Predicate): boolean =>
    required.has(point) || (point.is === 'and' && point.members.every(isRequired));
  const others = points.filter((point) => !isRequired(point));
  let sum: Expression = constantOf(FLOAT, points.length - others.length);
  for (const point of others) {
    const isTrue = expressionOf(point, false, forms);
    const value = caseOf(FLOAT, [[isTrue, ONE]], ZERO);
    sum =
      sum.op === 'constant' && sum.value === 0
        ? value
        : { op: 'arithmetic', type: FLOAT, operator: '+', left: sum, right: value };
  }
  return sum;
}

/** The parts of a predicate that are expressions. */
function nodesIn(predicate: Predicate): readonly SqlNode[] {
  switch (predicate.is) {
    case 'expression':
      return [predicate.node];
    case 'not':
      return nodesIn(predicate.member);
    case 'and':
    case 'or':
      return predicate.members.flatMap(nodesIn);
    default:
      return [];
  }
}
