/** Predicates that are short forms of others, as trees of those. */
import { nodeAt } from './operand.js';
import { arrayElements } from './postgres/arrays.js';
import { sqlError } from './sql-error.js';
import type { SourcePosition, SqlNode } from './tree.js';

/** Regular expressions as operators. */
export const MATCHES: ReadonlySet<string> = new Set(['~', '~*', '!~', '!~*']);

/** json -> path as a call of JSON_EXTRACT, json ->> path as one of JSON_EXTRACT_STRING. */
export function memberOf(json: SqlNode, path: SqlNode, sign: string, position: SourcePosition): SqlNode {
  const name = sign === '->' ? 'json_extract' : 'json_extract_string';
  return { is: 'call', name, args: [json, path], distinct: false, isOperator: true, ...nodeAt(position) };
}

/** text ~ pattern as a call of REGEXP_LIKE. */
export function matched(text: SqlNode, pattern: SqlNode, sign: string, position: SourcePosition): SqlNode {
  const options: SqlNode = { is: 'string', text: 'i', quotes: 'single', ...nodeAt(position) };
  const args = sign.endsWith('*') ? [text, pattern, options] : [text, pattern];
  const call = { is: 'call', name: 'regexp_like', args, distinct: false, isOperator: true } as const;
  const node: SqlNode = { ...call, ...nodeAt(position) };
  return sign.startsWith('!') ? { is: 'not', of: node, ...nodeAt(position) } : node;
}

/** Builds CASE of WHEN truth THEN value ELSE NOT value END. */
export function caseOf(of: SqlNode, truth: boolean, value: boolean, position: SourcePosition): SqlNode {
  const is = (one: boolean): SqlNode => ({ is: 'boolean', value: one, ...nodeAt(position) });
  // biome-ignore lint/suspicious/noThenProperty: a keyword of SQL; a branch is never awaited
  const branches = [{ when: is(truth), then: is(value) }];
  return { is: 'case', of, branches, otherwise: is(!value), isOperator: true, ...nodeAt(position) };
}

/** IS DISTINCT FROM: `truth` if exactly one operand is missing, or both are present and differ; otherwise the opposite. */
export function differs(left: SqlNode, right: SqlNode, truth: boolean): SqlNode {
  const at = nodeAt(left.position);
  const missing = (of: SqlNode): SqlNode => ({ is: 'is-null', of, negated: false, ...at });
  const same: SqlNode = { is: 'compare', comparison: '=', left, right, ...at };
  const both: SqlNode = { is: 'and', left: missing(left), right: missing(right), ...at };
  return caseOf({ is: 'or', left: same, right: both, ...at }, true, !truth, left.position);
}

/** BETWEEN SYMMETRIC: between the two values, whichever is greater. */
export function betweenEither(
  between: Extract<SqlNode, { readonly is: 'between' }>,
  position: SourcePosition,
): SqlNode {
  const { low, high, negated } = between;
  const swapped: SqlNode = { ...between, low: high, high: low };
  return { is: negated ? 'and' : 'or', left: between, right: swapped, ...nodeAt(position) };
}

/** Patterns of LIKE ANY and LIKE ALL, each of which duplicates the text. */
export const PATTERNS_MAX = 50;

/** LIKE ANY (list) and LIKE ALL (list), where `list` is ARRAY[...] or a literal such as '{a,b}'. Throws 6000. */
export function likeList(
  like: Extract<SqlNode, { readonly is: 'like' }>,
  list: SqlNode,
  quantifier: 'any' | 'all',
): SqlNode {
  const patterns = patternsIn(list);
  if (patterns === null || patterns.length === 0 || patterns.length > PATTERNS_MAX) {
    throw sqlError(`LIKE ANY and LIKE ALL take ARRAY[...] of 1 to ${PATTERNS_MAX} patterns`, list.position);
  }
  return patterns
    .map((pattern): SqlNode => ({ ...like, pattern }))
    .reduce((left, right) => ({
      is: quantifier === 'any' ? 'or' : 'and',
      left,
      right,
      ...nodeAt(like.position),
    }));
}

function patternsIn(list: SqlNode): readonly SqlNode[] | null {
  if (list.is === 'cast') return patternsIn(list.of);
  if (list.is === 'call' && list.name === 'array') return list.args;
  if (list.is !== 'string') return null;
  const { position } = list;
  return arrayElements(list.text, position).map((text) =>
    text === null
      ? { is: 'null', ...nodeAt(position) }
      : { is: 'string', text, quotes: 'single', ...nodeAt(position) },
  );
}
