/** The aggregate functions of SQL: names, argument types and result types. */
import type { AggregateFunction } from '../../../ir/index.js';
import { FLOAT, INTEGER } from '../../../ir/index.js';
import type { SqlType } from '../../../vector/index.js';
import type { SqlNode } from '../../tree.js';
import { isNumber } from '../expressions/types.js';
import { nodesOf } from '../nodes.js';

export interface AggregateForm {
  readonly function: AggregateFunction;
  /** The name in answers. */
  readonly label: string;
  /** The fraction of a percentile; 'argument' = given by the second argument. */
  readonly fraction: number | 'argument' | null;
}

const STDDEV: AggregateForm = { function: 'stddev', label: 'STDDEV', fraction: null };
const AVG: AggregateForm = { function: 'avg', label: 'AVG', fraction: null };
const PERCENTILE: AggregateForm = { function: 'percentile', label: 'PERCENTILE', fraction: 'argument' };

const FORMS: ReadonlyMap<string, AggregateForm> = new Map<string, AggregateForm>([
  ['count', { function: 'count', label: 'COUNT', fraction: null }],
  ['sum', { function: 'sum', label: 'SUM', fraction: null }],
  ['avg', AVG],
  ['mean', AVG],
  ['min', { function: 'min', label: 'MIN', fraction: null }],
  ['max', { function: 'max', label: 'MAX', fraction: null }],
  ['stddev', STDDEV],
  ['stdev', STDDEV],
  ['stddev_samp', STDDEV],
  ['median', { function: 'percentile', label: 'MEDIAN', fraction: 0.5 }],
  ['percentile', PERCENTILE],
  ['quantile_cont', PERCENTILE],
  ['percentile_cont', PERCENTILE],
]);

/** Returns null if `name` is not an aggregate function. */
export function aggregateForm(name: string): AggregateForm | null {
  return FORMS.get(name) ?? null;
}

export function isAggregate(node: SqlNode): boolean {
  return node.is === 'call' && FORMS.has(node.name);
}

/** The first aggregate in a tree, including its root. */
export function aggregateIn(root: SqlNode): SqlNode | null {
  for (const node of nodesOf(root)) if (isAggregate(node)) return node;
  return null;
}

/** The result type over values of type `of` (null = COUNT(*)). Returns null if the function does not accept them. */
export function aggregateType(name: AggregateFunction, of: SqlType | null): SqlType | null {
  if (name === 'count') return INTEGER;
  if (of === null || of.type === 'json') return null;
  if (name === 'min' || name === 'max') return of;
  if (!isNumber(of)) return null;
  return name === 'sum' ? of : FLOAT;
}
