/** The aggregate functions of SQL: names, argument types and result types. */
import type { AggregateFunction } from '../../../ir/index.js';
import { FLOAT, INTEGER } from '../../../ir/index.js';
import { MEAN_SCALE, type SqlType, scaleOf } from '../../../vector/index.js';
import type { CallNode, SqlNode } from '../../tree.js';
import { isExactNumber, isNumber } from '../expressions/types.js';
import { nodesOf } from '../nodes.js';

/** What is made of the texts in the list of an aggregate. */
export type ListForm = 'array' | 'object' | 'texts';

export interface AggregateForm {
  readonly function: AggregateFunction;
  /** The name in answers. */
  readonly label: string;
  /** The fraction of a percentile; 'argument' = given by the second argument. */
  readonly fraction: number | 'argument' | null;
  /** The only type of values that the aggregate takes; null = the types that its function takes. */
  readonly only: SqlType['type'] | null;
  /** Equal values count once, also without DISTINCT. */
  readonly isDistinct: boolean;
  /**
   * packed: ARG_MIN(x, y), the extreme of packed texts; array, object and texts: a list of packed texts; grouping:
   * GROUPING(key, ...).
   * Only SELECTs of general form have them.
   */
  readonly special: 'packed' | ListForm | 'grouping' | null;
}

const form = (name: AggregateFunction, label: string, more: Partial<AggregateForm> = {}): AggregateForm => ({
  function: name,
  label,
  fraction: null,
  only: null,
  isDistinct: false,
  special: null,
  ...more,
});

/** Aggregates by their names, the first of which is the name in answers. */
const NAMED: readonly (readonly [readonly string[], AggregateFunction, Partial<AggregateForm>?])[] = [
  [['count'], 'count'],
  [['sum'], 'sum'],
  [['avg', 'mean'], 'avg'],
  [['min'], 'min'],
  [['max'], 'max'],
  [['stddev', 'stdev', 'stddev_samp'], 'stddev'],
  [['stddev_pop'], 'stddev-pop'],
  [['variance', 'var_samp'], 'variance'],
  [['var_pop'], 'variance-pop'],
  [['median'], 'percentile', { fraction: 0.5 }],
  [['percentile', 'quantile_cont', 'percentile_cont'], 'percentile', { fraction: 'argument' }],
  [['percentile_disc', 'quantile_disc'], 'percentile-disc', { fraction: 'argument' }],
  [['mode'], 'mode'],
  [['any_value'], 'min'],
  [['approx_count_distinct'], 'count', { isDistinct: true }],
  [['bool_and', 'every'], 'min', { only: 'boolean' }],
  [['bool_or'], 'max', { only: 'boolean' }],
  [['bit_and'], 'bit-and', { only: 'integer' }],
  [['bit_or'], 'bit-or', { only: 'integer' }],
  [['bit_xor'], 'bit-xor', { only: 'integer' }],
  [['arg_min', 'argmin', 'min_by'], 'min', { special: 'packed' }],
  [['arg_max', 'argmax', 'max_by'], 'max', { special: 'packed' }],
  [['array_agg', 'json_agg', 'jsonb_agg'], 'list', { special: 'array' }],
  [['json_object_agg', 'jsonb_object_agg', 'json_group_object'], 'list', { special: 'object' }],
  [['string_agg', 'listagg', 'group_concat'], 'list', { special: 'texts' }],
  [['grouping'], 'count', { special: 'grouping' }],
];

const FORMS: ReadonlyMap<string, AggregateForm> = new Map(
  NAMED.flatMap(([names, name, more]) =>
    names.map((each) => [each, form(name, names[0].toUpperCase(), more)] as const),
  ),
);

/** Returns null if `name` is not an aggregate function. */
export function aggregateForm(name: string): AggregateForm | null {
  return FORMS.get(name) ?? null;
}

/** The form of a call, which in PostgreSQL's dialect has an AVG that is not rounded. */
export function formOfCall({ name, ofPostgres }: CallNode): AggregateForm | null {
  const found = aggregateForm(name);
  return found?.function === 'avg' && ofPostgres === true ? { ...found, function: 'mean' } : found;
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
  if (OF_ANY.includes(name)) return of;
  if (!isNumber(of)) return null;
  if (name === 'mean' && isExactNumber(of))
    return { type: 'decimal', scale: Math.max(MEAN_SCALE, scaleOf(of)) };
  return name === 'sum' || name.startsWith('bit-') ? of : FLOAT;
}

/** Functions that return one of the values, of any type with an order. */
const OF_ANY: readonly AggregateFunction[] = [
  ...(['min', 'max', 'mode', 'percentile-disc', 'percentile-disc-down', 'list'] as const),
];

/** The result type of an aggregate as it is written. Returns null if it does not accept the values. */
export function formType(form: AggregateForm, of: SqlType | null): SqlType | null {
  if (form.only !== null && of?.type !== form.only) return null;
  return aggregateType(form.function, of);
}
