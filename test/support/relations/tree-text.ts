/** Trees of relations as text, an operator a line with its inputs below it, and functions that build them. */
import {
  type Condition,
  childrenOf,
  columnsOf,
  type Expression,
  INTEGER,
  inputExpression,
  type JoinKind,
  type Relation,
  type RelationColumn,
  type RelationOf,
  type RelationPlan,
  relationInputs,
  type SelectPlan,
  type ValueTest,
} from '../../../src/ir/index.js';
import { scanPlan } from './generate.js';

/** Two integer columns of a dimension, as columns `first` and first + 1. */
export function integerScan(
  dimensionId: number,
  first: number,
  more: Partial<SelectPlan> = {},
): RelationOf<'scan'> {
  const inputs = [1, 2].map((columnId) => {
    return { from: 'attribute', columnId, kind: 'i64', type: INTEGER } as const;
  });
  const outputs = inputs.map(({ type }, index) => ({ name: '', type, of: inputExpression(type, index) }));
  const plan = scanPlan({ dimensionId, inputs, outputs, ...more });
  return { op: 'scan', plan, columns: inputs.map(({ type }, index) => ({ column: first + index, type })) };
}

/** The tables, then the root. */
export function planText({ tables, root }: RelationPlan): string {
  return [...tables.map((table, index) => `table ${index}:\n${treeText(table, '  ')}`), treeText(root)].join(
    '\n',
  );
}

export function treeText(relation: Relation, indent = ''): string {
  const below = relationInputs(relation).map((input) => treeText(input, `${indent}  `));
  return [`${indent}${operatorText(relation)}`, ...below].join('\n');
}

function operatorText(relation: Relation): string {
  switch (relation.op) {
    case 'scan':
      return scanText(relation);
    case 'shared':
      return `table ${relation.table}: ${relation.columns.map(({ column }, at) => `c${column}=${relation.from[at]}`).join(' ')}`;
    case 'values':
      return `${relation.rows.length} values: ${namesOf(relation.columns)}`;
    case 'filter':
      return `filter ${expressionText(relation.condition, 'c')}`;
    case 'project':
      return `project ${relation.columns.map(({ column, of }) => definitionText(column, of)).join(' ')}`;
    case 'join':
      return joinText(relation);
    case 'aggregate':
      return `aggregate ${[namesOf(relation.keys), ...relation.aggregates.map(aggregateText)].join(' ').trim()}`;
    case 'sort':
      return `sort ${relation.keys.map(({ column, descending }) => `c${column}${descending ? ' desc' : ''}`).join(' ')}${pageText(relation)}`;
    case 'set':
      return `${relation.operator}: ${relation.columns.map(({ column, left, right }) => `c${column}=c${left}|c${right}`).join(' ')}`;
    case 'window':
      return `window by ${namesOf(relation.partition)}: ${relation.functions.map((one) => `c${one.column}=${one.function}`).join(' ')}`;
    case 'series':
      return `series c${relation.value.column}: ${[relation.first, relation.last].map((of) => expressionText(of, 'c')).join(' to ')}`;
    default:
      return relation.op;
  }
}

const namesOf = (columns: readonly { readonly column: number }[]): string =>
  columns.map(({ column }) => `c${column}`).join(' ');

function definitionText(column: number, of: Expression): string {
  return of.op === 'input' && of.input === column ? `c${column}` : `c${column}=${expressionText(of, 'c')}`;
}

function joinText({ kind, keys, condition, mark }: RelationOf<'join'>): string {
  const equal = keys.map(({ left, right, nullsEqual }) => `c${left}${nullsEqual ? '==' : '='}c${right}`);
  const on = condition === null ? [] : [`on ${expressionText(condition, 'c')}`];
  return [`${kind} join`, ...equal, ...on, ...(mark === null ? [] : [`as c${mark}`])].join(' ');
}

function aggregateText({
  column,
  function: name,
  of,
}: RelationOf<'aggregate'>['aggregates'][number]): string {
  return `c${column}=${name}(${of === null ? '*' : `c${of.column}`})`;
}

const pageText = ({ offset, limit }: { readonly offset: number; readonly limit: number | null }): string =>
  `${limit === null ? '' : ` limit ${limit}`}${offset === 0 ? '' : ` offset ${offset}`}`;

/** i0 is the first input of the SELECT, or of its groups. */
function scanText({ plan, columns }: RelationOf<'scan'>): string {
  const { dimensionId, condition, filter, grouping, having, outputs, distinct, order } = plan;
  const of = (expression: Expression): string => expressionText(expression, 'i');
  const groups =
    grouping?.aggregates.map((one) => `${one.function}(${one.of === null ? '*' : of(one.of)})`) ?? [];
  return (
    [
      `scan ${dimensionId}`,
      ...(condition === null ? [] : [`with ${conditionText(condition)}`]),
      ...(filter === null ? [] : [`where ${of(filter)}`]),
      ...(grouping === null ? [] : [`group by ${grouping.keys.map(of).join(' ')}: ${groups.join(' ')}`]),
      ...(having === null ? [] : [`having ${of(having)}`]),
      `${distinct ? 'distinct' : 'select'} ${outputs.map((one, at) => `c${columns[at].column}=${of(one.of)}`).join(' ')}`,
      ...(order.length === 0
        ? []
        : [`order ${order.map((key) => `${of(key.of)}${key.descending ? ' desc' : ''}`).join(' ')}`]),
    ].join(' ') + pageText(plan)
  );
}

function conditionText(condition: Condition): string {
  switch (condition.op) {
    case 'and':
    case 'or':
      return `(${condition.members.map(conditionText).join(` ${condition.op} `)})`;
    case 'not':
      return `not ${conditionText(condition.member)}`;
    case 'missing':
      return `column ${condition.columnId} is null`;
    case 'attribute':
      return `column ${condition.columnId} ${condition.tests.map(testText).join(' or ')}`;
    default:
      return condition.op;
  }
}

const testText = (test: ValueTest): string =>
  test.kind === 'ranges'
    ? `in ${test.ranges.map(({ low, high }) => `${low}..${high}`).join(' ')}`
    : test.kind;

/** `letter` begins the names of inputs. */
function expressionText(expression: Expression, letter: string): string {
  const parts = childrenOf(expression).map((child) => expressionText(child, letter));
  switch (expression.op) {
    case 'constant':
      return String(expression.value);
    case 'input':
      return `${letter}${expression.input}`;
    case 'compare':
      return parts.join(` ${expression.comparison} `);
    case 'arithmetic':
      return `(${parts.join(` ${expression.operator} `)})`;
    case 'and':
    case 'or':
      return `(${parts.join(` ${expression.op} `)})`;
    case 'is-null':
      return `${parts[0]} is ${expression.negated ? 'not ' : ''}null`;
    case 'call':
      return `${expression.name}(${parts.join(', ')})`;
    default:
      return `${expression.op}(${parts.join(', ')})`;
  }
}

/** A plan with one tree, and the columns of the tree as its answer. */
export const planOf = (root: Relation, tables: readonly Relation[] = []): RelationPlan => ({
  databaseId: 1,
  root,
  outputs: columnsOf(root).map(({ type, column }) => ({ name: `c${column}`, type })),
  tables,
});

/** The integer column. */
export const column = (number: number): Expression => inputExpression(INTEGER, number);

export const filterOf = (input: Relation, condition: Expression): Relation => ({
  op: 'filter',
  input,
  condition,
});

/** A join of integer columns; with `more`, also other conditions. */
export const joinOf = (
  kind: JoinKind,
  left: Relation,
  right: Relation,
  keys: readonly (readonly [left: number, right: number])[],
  more: Partial<RelationOf<'join'>> = {},
): RelationOf<'join'> => ({
  ...{ op: 'join', kind, left, right, condition: null, mark: null },
  keys: keys.map(([leftKey, rightKey]) => ({ left: leftKey, right: rightKey, nullsEqual: false })),
  ...more,
});

const integers = (numbers: readonly number[]): RelationColumn[] =>
  numbers.map((number) => ({ column: number, type: INTEGER }));

/** Groups by integer columns with the number of rows as column `count`; null = without it. */
export const groupsOf = (input: Relation, keys: readonly number[], count: number | null): Relation => ({
  ...{ op: 'aggregate', input, keys: integers(keys) },
  aggregates: integers(count === null ? [] : [count]).map((one) => {
    return { ...one, function: 'count', of: null, distinct: false, fraction: null };
  }),
});

/** Sorted by integer columns. */
export const sortOf = (
  input: Relation,
  keys: readonly number[],
  limit: number | null = null,
  offset = 0,
): RelationOf<'sort'> => ({
  ...{ op: 'sort', input, offset, limit },
  keys: integers(keys).map((key) => ({ ...key, descending: false, missingFirst: false })),
});

export const projectOf = (
  input: Relation,
  columns: readonly (readonly [column: number, of: Expression])[],
): Relation => ({
  ...{ op: 'project', input },
  columns: columns.map(([number, of]) => ({ column: number, of })),
});
