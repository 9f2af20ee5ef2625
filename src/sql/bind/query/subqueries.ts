/** Subqueries in expressions, as joins to the rows of the block around them. */
import { BOOLEAN, type Comparison, type Expression, type JoinKind, readColumn } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import { junctionOf } from '../expressions/build.js';
import { compared } from '../expressions/compare.js';
import { bindScalar } from '../expressions/scalar.js';
import type { NodeOf } from '../scope.js';
import type { BoundQuery, QueryContext, VisibleTables } from './context.js';
import { PLAIN_TRAITS } from './plan-columns.js';
import type { QueryScope } from './query-scope.js';

type SubqueryNode = NodeOf<'subquery' | 'exists' | 'in-query'>;

export interface SubqueryJoin {
  readonly kind: JoinKind;
  readonly query: BoundQuery;
  readonly conditions: readonly Expression[];
  readonly mark: number | null;
  /** The value of the subquery over the joined rows. */
  readonly result: Expression;
}

const INVERSE: Readonly<Record<Comparison, Comparison>> = {
  '=': '<>',
  '<>': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};

/** Throws 6000, 506. */
export function subqueryJoin(
  node: SubqueryNode,
  scope: QueryScope,
  context: QueryContext,
  visible: VisibleTables,
): SubqueryJoin {
  const query = context.bindQuery(node.query, visible, scope);
  if (node.is === 'subquery') return scalarJoin(node, query);
  const { column } = context.columns.add(BOOLEAN, PLAIN_TRAITS, 'a subquery');
  const truth: Expression = { op: 'input', type: BOOLEAN, input: column };
  if (node.is === 'exists') return { kind: 'mark', query, conditions: [], mark: column, result: truth };
  // x < ALL (...) is NOT x >= ANY (...).
  const isAll = node.quantifier === 'all';
  const conditions = comparisons(node, query, isAll ? INVERSE[node.comparison] : node.comparison, scope);
  const negated = isAll !== node.negated;
  return { kind: 'mark', query, conditions, mark: column, result: negated ? not(truth) : truth };
}

/**
 * The join for a subquery that is a condition of WHERE on its own: only rows for which it is true remain. null = it must
 * be evaluated as an expression.
 */
export function conditionJoin(
  node: NodeOf<'exists' | 'in-query'>,
  negated: boolean,
  scope: QueryScope,
  context: QueryContext,
  visible: VisibleTables,
): Omit<SubqueryJoin, 'result' | 'mark'> | null {
  if (node.is === 'exists') {
    const query = context.bindQuery(node.query, visible, scope);
    return { kind: negated ? 'anti' : 'semi', query, conditions: [] };
  }
  if (negated || node.negated || node.quantifier === 'all') return null;
  const query = context.bindQuery(node.query, visible, scope);
  return { kind: 'semi', query, conditions: comparisons(node, query, node.comparison, scope) };
}

function scalarJoin(node: NodeOf<'subquery'>, query: BoundQuery): SubqueryJoin {
  const [column, second] = query.columns;
  if (second !== undefined) {
    const what = `a subquery that is a value returns one column, not ${query.columns.length}`;
    throw sqlError(what, node.position);
  }
  return { kind: 'single', query, conditions: [], mark: null, result: readColumn(column) };
}

/** The comparisons of the operands with the columns of the subquery. */
function comparisons(
  node: NodeOf<'in-query'>,
  { columns }: BoundQuery,
  comparison: Comparison,
  scope: QueryScope,
): readonly Expression[] {
  if (node.of.length !== columns.length) {
    const what = `the subquery returns ${columns.length} columns, and ${node.of.length} are compared`;
    throw sqlError(what, node.position);
  }
  if (node.of.length > 1 && comparison !== '=' && comparison !== '<>') {
    throw sqlError(`row values are compared by = and <> only`, node.position);
  }
  const each = node.of.map((operand, index) => {
    const bound = bindScalar(operand, scope);
    return compared(
      comparison,
      bound,
      columns[index].constant ?? readColumn(columns[index]),
      node.position,
      scope,
    );
  });
  return comparison === '<>' ? [junctionOf('or', each)] : each;
}

const not = (member: Expression): Expression => ({ op: 'not', type: BOOLEAN, member });
