/**
 * Finds uses of the parameters of a SELECT that determine their types: in LIMIT and similar clauses, in a cast, or in a comparison
 * or calculation with another expression.
 */
import { nodesOf } from '../bind/nodes.js';
import { queryIn, scopesOf } from '../query/query-nodes.js';
import { isSign, type Token } from '../tokens.js';
import type { CommonTable, Query, ReadStatement, SelectBlock, SqlNode } from '../tree.js';
import { expressionsOf } from './expressions.js';
import { readPostgresSelect } from './select.js';
import { type PostgresStatement, parameterOf } from './statements.js';
import type { SqlParameter } from './translate.js';

export type ParameterUse =
  | { readonly is: 'count' }
  /** Type name in lower case: 'int8', 'double precision'. */
  | { readonly is: 'cast'; readonly type: string }
  /** A SELECT of the other expression alone; `isArray`: the parameter is an array of its type. */
  | { readonly is: 'beside'; readonly select: ReadStatement; readonly isArray: boolean };

/** Functions whose arguments have the same type. */
const OF_ONE_TYPE: ReadonlySet<string> = new Set(['coalesce', 'nullif', 'greatest', 'least']);
const COUNTS: ReadonlySet<string> = new Set(['LIMIT', 'OFFSET', 'FIRST', 'NEXT']);

/**
 * The first use of each parameter from $1 on that determines its type; null = none. Throws 6000 if the statement cannot be
 * parsed.
 */
export function parameterUses(statement: PostgresStatement): readonly (ParameterUse | null)[] {
  const uses: (ParameterUse | null)[] = Array<null>(statement.parameterCount).fill(null);
  const { tokens } = statement;
  tokens.forEach((token, at) => {
    const number = parameterOf(token);
    if (number !== null) uses[number - 1] ??= useAmong(tokens, at);
  });
  if (!uses.includes(null)) return uses;
  const arrays = arrayParameters(tokens);
  const marked = uses.map((use, at): SqlParameter => {
    if (use?.is === 'count') return { is: 'number', text: '1' };
    return { is: 'text', text: arrays.has(at) ? `{${markOf(at)}}` : markOf(at) };
  });
  const select = readPostgresSelect(statement, marked);
  const known = new Map<SqlNode, ParameterUse | null>();
  for (const { roots, selectOf } of sourcesIn(select)) {
    for (const [mark, beside] of pairsIn(roots)) {
      const at = markedBy(mark);
      if (at === null || uses[at] !== null) continue;
      let use = known.get(beside);
      if (use === undefined) {
        use = isMarked(beside) ? null : { is: 'beside', select: selectOf(beside), isArray: false };
        known.set(beside, use);
      }
      uses[at] = use?.is === 'beside' && arrays.has(at) ? { ...use, isArray: true } : use;
    }
  }
  return uses;
}

/** The indexes of parameters in ANY ($1), SOME ($1) and ALL ($1). */
function arrayParameters(tokens: readonly Token[]): ReadonlySet<number> {
  const found = new Set<number>();
  tokens.forEach((token, at) => {
    const number = parameterOf(token);
    const isQuantified = ['ANY', 'SOME', 'ALL'].includes(tokens[at - 2]?.upper ?? '');
    if (number !== null && isQuantified && isSign(tokens[at - 1], '(')) found.add(number - 1);
  });
  return found;
}

/** Expressions over the same tables. */
interface Source {
  readonly roots: readonly SqlNode[];
  /** A SELECT of an expression alone over these tables. */
  selectOf(of: SqlNode): ReadStatement;
}

function* sourcesIn(statement: ReadStatement): Generator<Source> {
  if (statement.is === 'query') {
    yield* queriesIn(statement.query);
    return;
  }
  const clauses = {
    distinct: false,
    where: null,
    groupBy: [],
    having: null,
    orderBy: [],
    limit: null,
    offset: 0,
  };
  yield {
    roots: expressionsOf(statement),
    selectOf: (of) => ({ ...statement, ...clauses, explain: 'no', items: [{ of, alias: null }] }),
  };
}

function* queriesIn(query: Query): Generator<Source> {
  for (const { block, tables, roots } of scopesOf(query)) {
    yield { roots, selectOf: (of) => queryOf(of, block, tables) };
    for (const root of roots) {
      for (const node of nodesOf(root)) {
        const inside = queryIn(node);
        if (inside !== null) yield* queriesIn(inside);
      }
    }
  }
}

function queryOf(of: SqlNode, block: SelectBlock | null, tables: readonly CommonTable[]): ReadStatement {
  const { position } = of;
  const clauses = {
    distinct: false,
    distinctOn: null,
    where: null,
    groupBy: [],
    having: null,
    qualify: null,
  };
  const from = block?.from ?? [];
  const body = {
    is: 'block',
    position,
    ...clauses,
    items: [{ of, alias: null }],
    from,
    windows: [],
  } as const;
  const query = { position, tables, body, orderBy: [], limit: null, withTies: false, offset: 0 };
  return { is: 'query', position, explain: 'no', query };
}

function useAmong(tokens: readonly Token[], at: number): ParameterUse | null {
  const [before, behind] = [tokens[at - 1], tokens[at + 1]];
  if (before !== undefined && COUNTS.has(before.upper)) return { is: 'count' };
  const isCast = behind.upper === 'AS' && isSign(before, '(') && tokens[at - 2]?.upper === 'CAST';
  if (!isCast && !isSign(behind, '::')) return null;
  const type = tokens.slice(at + 2, at + 6).map(({ upper, text }) => upper.toLowerCase() || text);
  const from = type[0] === 'pg_catalog' && type[1] === '.' ? 2 : 0;
  const follows = type[from + 1] ?? '';
  const words = ['precision', 'varying', '[]'].includes(follows) ? 2 : 1;
  const isZoned = type[from] === 'timestamp' && follows === 'with';
  return { is: 'cast', type: isZoned ? 'timestamptz' : type.slice(from, from + words).join(' ') };
}

/** Marks a parameter; texts of clients never contain a zero character. */
const markOf = (at: number): string => `\0${at}`;

function markedBy(node: SqlNode): number | null {
  return node.is === 'string' && node.text.startsWith('\0') ? Number(node.text.slice(1)) : null;
}

function isMarked(root: SqlNode): boolean {
  for (const node of nodesOf(root)) if (markedBy(node) !== null) return true;
  return false;
}

/** All pairs of expressions that are compared or calculated with each other, in both orders. */
function* pairsIn(roots: readonly SqlNode[]): Generator<readonly [SqlNode, SqlNode]> {
  for (const root of roots) {
    for (const node of nodesOf(root)) {
      if (node.is === 'compare' || (node.is === 'arithmetic' && node.operator !== '||')) {
        yield [node.left, node.right];
        yield [node.right, node.left];
      } else if (node.is === 'between' || node.is === 'in') {
        const values = node.is === 'in' ? node.values : [node.low, node.high];
        for (const value of values) yield [value, node.of];
        for (const value of values) yield [node.of, value];
      } else if (node.is === 'in-query' && node.of.length === 1) {
        const { query, position } = node;
        yield [node.of[0], { is: 'subquery', query, position, parenthesized: false }];
      } else if (node.is === 'call' && OF_ONE_TYPE.has(node.name)) {
        const other = node.args.find((one) => markedBy(one) === null);
        if (other !== undefined) for (const one of node.args) yield [one, other];
      }
    }
  }
}
