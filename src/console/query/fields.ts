/** Parts of a draft that several kinds of questions use: tests of values, ranges of time, metrics. */
import type { Column, ValueKind } from '../server/model.js';

export type Operator =
  | 'any'
  | 'equals'
  | 'not-equals'
  | 'in'
  | 'contains'
  | 'starts-with'
  | 'ends-with'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'range'
  | 'near';

export interface Test {
  readonly operator: Operator;
  /** Values as typed; the operator determines how many are used. */
  readonly values: readonly string[];
}

/** Days in UTC, both inclusive, as `YYYY-MM-DD`; empty = not chosen yet. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

export type Metric = 'events' | 'sum' | 'avg' | 'min' | 'max' | 'median' | 'p95' | 'count-distinct';

export type Interval = 'hours' | 'days' | 'weeks' | 'months';

/**
 * Takes a function from the current value to the new one, so that a result that arrives later does not undo newer changes.
 */
export type OnChange<Value> = (change: (now: Value) => Value) => void;

export const ANY: Test = { operator: 'any', values: [] };

const OPERATORS: Readonly<Record<ValueKind, readonly Operator[]>> = {
  text: ['equals', 'not-equals', 'in', 'contains', 'starts-with', 'ends-with'],
  number: ['gt', 'gte', 'lt', 'lte', 'equals', 'not-equals', 'range'],
  'yes-no': ['equals'],
  day: ['gte', 'lte', 'equals'],
  moment: ['gte', 'lte'],
  point: ['near'],
};

export const operatorsOf = ({ kind, isEvent }: Column): readonly Operator[] =>
  isEvent ? ['any', ...OPERATORS[kind]] : OPERATORS[kind];

/** Metrics that fit the column's values. */
export function metricsOf({ kind, isEvent }: Column): readonly Metric[] {
  const ofEvents: readonly Metric[] = isEvent ? ['events'] : [];
  if (kind === 'number') return [...ofEvents, 'sum', 'avg', 'min', 'max', 'median', 'p95', 'count-distinct'];
  return kind === 'point' ? ofEvents : [...ofEvents, 'count-distinct'];
}

/** The number of values that an operator takes; `in` takes one text with values separated by commas. */
export function valueCountOf(operator: Operator): number {
  if (operator === 'any') return 0;
  if (operator === 'range') return 2;
  return operator === 'near' ? 3 : 1;
}
