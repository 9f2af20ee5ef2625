/** Builders of SQL trees, and a scope with one column per type, for tests of binding. */
import type { Expression } from '../../../src/ir/index.js';
import type { NodeOf, Scope } from '../../../src/sql/bind/scope.js';
import { sqlError } from '../../../src/sql/sql-error.js';
import type { ComparisonOperator, SqlNode } from '../../../src/sql/tree.js';
import type { SqlType } from '../../../src/vector/index.js';

const POSITION = { line: 1, column: 1 };
const at = { position: POSITION, parenthesized: false } as const;

export const number = (text: string): SqlNode => ({ ...at, is: 'number', text });
export const string = (text: string, quotes: 'single' | 'double' = 'single'): SqlNode => {
  return { ...at, is: 'string', text, quotes };
};
export const column = (name: string): SqlNode => ({ ...at, is: 'column', table: null, name });
export const truth = (value: boolean): SqlNode => ({ ...at, is: 'boolean', value });
export const nothing: SqlNode = { ...at, is: 'null' };
export const star: SqlNode = { ...at, is: 'star', table: null };
export const not = (of: SqlNode): SqlNode => ({ ...at, is: 'not', of });
export const negative = (of: SqlNode): SqlNode => ({ ...at, is: 'negative', of });
export const both = (left: SqlNode, right: SqlNode): SqlNode => ({ ...at, is: 'and', left, right });
export const either = (left: SqlNode, right: SqlNode): SqlNode => ({ ...at, is: 'or', left, right });
export const compare = (left: SqlNode, comparison: ComparisonOperator, right: SqlNode): SqlNode => {
  return { ...at, is: 'compare', comparison, left, right };
};
export const arithmetic = (
  left: SqlNode,
  operator: NodeOf<'arithmetic'>['operator'],
  right: SqlNode,
): SqlNode => {
  return { ...at, is: 'arithmetic', operator, left, right };
};
export const between = (of: SqlNode, low: SqlNode, high: SqlNode, negated = false): SqlNode => {
  return { ...at, is: 'between', of, low, high, negated };
};
export const oneOf = (of: SqlNode, values: readonly SqlNode[], negated = false): SqlNode => {
  return { ...at, is: 'in', of, values, negated };
};
export const like = (of: SqlNode, pattern: SqlNode, mark: string | null = null, negated = false): SqlNode => {
  return { ...at, is: 'like', of, pattern, escape: mark, ignoresCase: false, negated };
};
export const isNull = (of: SqlNode, negated = false): SqlNode => ({ ...at, is: 'is-null', of, negated });
export const choice = (
  of: SqlNode | null,
  branches: readonly (readonly [SqlNode, SqlNode])[],
  otherwise: SqlNode | null = null,
): SqlNode => {
  return { ...at, is: 'case', of, branches: branches.map(([when, then]) => ({ when, then })), otherwise };
};
export const cast = (
  of: SqlNode,
  typeName: string,
  precision: number | null = null,
  scale: number | null = null,
  lenient = false,
): SqlNode => {
  return { ...at, is: 'cast', of, typeName, precision, scale, lenient };
};
export const call = (name: string, ...args: readonly SqlNode[]): SqlNode => {
  return { ...at, is: 'call', name, args, distinct: false };
};

/** The columns of `testScope`, by input number. */
export const TEST_COLUMNS: readonly { readonly name: string; readonly type: SqlType }[] = [
  { name: 'age', type: { type: 'integer' } },
  { name: 'salary', type: { type: 'decimal', scale: 2 } },
  { name: 'ratio', type: { type: 'float' } },
  { name: 'name', type: { type: 'text' } },
  { name: 'active', type: { type: 'boolean' } },
  { name: 'admission', type: { type: 'date' } },
  { name: 'seen', type: { type: 'datetime' } },
  { name: 'tags', type: { type: 'json' } },
  { name: 'home', type: { type: 'json' } },
  { name: 'Label', type: { type: 'text' } },
];

export const TEST_TYPES: readonly SqlType[] = TEST_COLUMNS.map(({ type }) => type);

/** 2026-11-21T10:00:00.900Z */
export const TEST_NOW_MS = Date.UTC(2026, 10, 21, 10, 0, 0, 900);

function input(name: string): Expression | null {
  const index = TEST_COLUMNS.findIndex((candidate) => candidate.name === name);
  return index < 0 ? null : { op: 'input', type: TEST_COLUMNS[index].type, input: index };
}

/**
 * `home` contains points, `tags` a list, `Label` texts in any letter case; the only aggregate is total(), a decimal(2)
 * of input 1.
 */
export const testScope: Scope = {
  column({ name, position }) {
    const found = input(name);
    if (found === null) throw sqlError(`there is no column ${name}`, position);
    return found;
  },
  string: ({ text }) => input(text),
  call: ({ name }) => (name === 'total' ? input('salary') : null),
  query: ({ position }) => {
    throw sqlError('no subqueries here', position);
  },
  traits: (index) => {
    const { name } = TEST_COLUMNS[index];
    return { points: name === 'home', letters: name === 'Label' ? 'mixed' : 'lower' };
  },
  nowMs: TEST_NOW_MS,
};
