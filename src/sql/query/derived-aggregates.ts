/**
 * Aggregates that are functions of counts and sums: CORR(y, x) becomes a call of the scalar function `corr` with the number of
 * pairs and the sums of x, y, x^2, y^2 and xy, each with the FILTER and OVER of the aggregate.
 */
import { sqlError } from '../sql-error.js';
import type { CallNode, SqlNode } from '../tree.js';

/** Aggregates of pairs (y, x). */
const OF_PAIRS: ReadonlySet<string> = new Set([
  ...['corr', 'covar_pop', 'covar_samp', 'regr_avgx', 'regr_avgy', 'regr_intercept', 'regr_r2', 'regr_slope'],
  ...['regr_sxx', 'regr_sxy', 'regr_syy', 'regr_count'],
]);
/** Variances and deviations over windows, and their scalar functions. */
const OF_WINDOWS: ReadonlyMap<string, string> = new Map([
  ['var_pop', 'window var_pop'],
  ['var_samp', 'window var_samp'],
  ['variance', 'window var_samp'],
  ['stddev_pop', 'window stddev_pop'],
  ['stddev_samp', 'window stddev_samp'],
  ['stddev', 'window stddev_samp'],
  ['stdev', 'window stddev_samp'],
]);

/** Height of the nodes that are added around the arguments. */
export const DERIVED_HEIGHT = 6;

type Aggregate = CallNode | Extract<SqlNode, { readonly is: 'filtered' | 'over' }>;

/**
 * Returns the derived form of an aggregate that has one, and other nodes unchanged. Derived forms repeat their arguments, so they
 * must not be nested. Throws 6000.
 */
export function derivedAggregate(node: SqlNode): SqlNode {
  if (node.is !== 'call' && node.is !== 'filtered' && node.is !== 'over' && node.is !== 'ordered')
    return node;
  const call = node.is === 'call' ? node : node.call;
  const isOfPairs = OF_PAIRS.has(call.name);
  const name = isOfPairs ? call.name : node.is === 'over' ? OF_WINDOWS.get(call.name) : undefined;
  if (name === undefined) return node;
  const label = call.name.toUpperCase();
  const [y, x = y] = call.args;
  if (call.args.length !== (isOfPairs ? 2 : 1) || call.args.some(({ is }) => is === 'star')) {
    const accepts = isOfPairs ? 'two values, y and x' : 'one value';
    throw sqlError(`${label} takes ${accepts}`, call.position);
  }
  if (node.is === 'ordered' || call.distinct) {
    throw sqlError(`${label} has neither DISTINCT nor ORDER BY`, call.position);
  }
  return { ...call, name, args: sumsOf(node, isOfPairs ? present(y, x) : y, isOfPairs ? present(x, y) : x) };
}

/** CASE WHEN other IS NOT NULL THEN of END */
function present(of: SqlNode, other: SqlNode): SqlNode {
  const at = { position: of.position, parenthesized: false } as const;
  const when: SqlNode = { is: 'is-null', of: other, negated: true, ...at };
  // biome-ignore lint/suspicious/noThenProperty: a keyword of SQL; a branch is never awaited
  return { is: 'case', of: null, branches: [{ when, then: of }], otherwise: null, ...at };
}

function sumsOf(node: Aggregate, y: SqlNode, x: SqlNode): readonly SqlNode[] {
  const { position } = node;
  const at = { position, parenthesized: false } as const;
  const aggregate = (name: string, of: SqlNode): SqlNode => {
    const call: CallNode = { is: 'call', name, args: [of], distinct: false, ...at };
    return node.is === 'call' ? call : { ...node, call };
  };
  const product = (left: SqlNode, right: SqlNode): SqlNode => {
    return { is: 'arithmetic', operator: '*', left, right, ...at };
  };
  return [
    aggregate('count', x),
    aggregate('sum', x),
    aggregate('sum', y),
    aggregate('sum', product(x, x)),
    aggregate('sum', product(y, y)),
    aggregate('sum', product(x, y)),
  ];
}
