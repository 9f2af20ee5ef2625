/** A question while the user edits it in the form: the fields as typed, whether or not they are complete. */
import { activeColumns, type Column, type Dimension, type ValueKind } from '../server/model.js';

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

export interface Condition extends Window {
  readonly id: number;
  readonly column: string;
  readonly test: Test;
  /** Minimum number of events. */
  readonly atLeast: string;
  readonly negated: boolean;
}

export type Metric = 'events' | 'sum' | 'avg' | 'min' | 'max' | 'median' | 'p95' | 'count-distinct';

/** What a question computes: the number of entities, or a metric of one column's values. */
export interface Measure extends Window {
  readonly of: 'entities' | Metric;
  readonly column: string;
  /** Selects the column's values. */
  readonly test: Test;
}

export type Show = 'count' | 'time' | 'top' | 'map' | 'rows';
export type Interval = 'hours' | 'days' | 'weeks' | 'months';

export interface Draft {
  readonly dimension: string;
  readonly join: 'and' | 'or';
  readonly conditions: readonly Condition[];
  readonly show: Show;
  readonly measure: Measure;
  /** The measure over time; only events have one. */
  readonly overTime: Measure;
  /** For `top`: the column whose values form the groups. */
  readonly by: string;
  readonly limit: string;
  readonly interval: Interval;
  /** For `map`: the column of points. */
  readonly point: string;
  /** For `rows`: the columns to show. */
  readonly columns: readonly string[];
}

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

export function newCondition(id: number, column: Column, window: Window): Condition {
  const operator = operatorsOf(column)[0];
  const test = { operator, values: column.kind === 'yes-no' ? ['true'] : [] };
  return { id, column: column.name, test, ...window, atLeast: '1', negated: false };
}

const NO_WINDOW: Window = { from: '', to: '' };
const ROWS_SHOWN = '50';
const COLUMNS_SHOWN = 6;

/** The first question about a dimension: the number of its entities. */
export function newDraft(dimension: Dimension | undefined): Draft {
  const columns = activeColumns(dimension);
  const attributes = columns.filter(({ isEvent }) => !isEvent);
  return {
    dimension: dimension?.name ?? '',
    join: 'and',
    conditions: [],
    show: 'count',
    measure: { of: 'entities', column: '', test: ANY, ...NO_WINDOW },
    overTime: { of: 'events', column: countedColumn(columns)?.name ?? '', test: ANY, ...NO_WINDOW },
    by: groupingColumn(columns)?.name ?? '',
    limit: ROWS_SHOWN,
    interval: 'days',
    point: columns.find(({ kind }) => kind === 'point')?.name ?? '',
    columns: attributes.slice(0, COLUMNS_SHOWN).map(({ name }) => name),
  };
}

/** A column that probably divides entities into few groups: texts that are not names. */
export function groupingColumn(columns: readonly Column[]): Column | undefined {
  const attributes = columns.filter(
    ({ isEvent, kind }) => !isEvent && (kind === 'text' || kind === 'yes-no'),
  );
  return (
    attributes.find(({ name }) => !/name|title|place|city|email|address|url/.test(name)) ??
    attributes[0] ??
    columns[0]
  );
}

/** The event column to count by default: a column of numbers, if there is one. */
export function countedColumn(columns: readonly Column[]): Column | undefined {
  const events = columns.filter(({ isEvent }) => isEvent);
  return events.find(({ kind }) => kind === 'number') ?? events[0];
}

/** The measure of the draft's current way of showing. */
export const measureOf = ({ show, measure, overTime }: Draft): Measure =>
  show === 'time' ? overTime : measure;

export const withMeasure = (draft: Draft, measure: Measure): Draft =>
  draft.show === 'time' ? { ...draft, overTime: measure } : { ...draft, measure };

const HOURS_DAYS_MAX = 3;
const DAYS_DAYS_MAX = 200;
const WEEKS_DAYS_MAX = 1_100;
const DAY_MS = 86_400_000;

/** The interval that divides a window into a few dozen buckets. */
export function intervalFor({ from, to }: Window): Interval {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS;
  if (!(days > HOURS_DAYS_MAX)) return 'hours';
  if (days <= DAYS_DAYS_MAX) return 'days';
  return days <= WEEKS_DAYS_MAX ? 'weeks' : 'months';
}

/** The draft with the window for its events, and an interval that fits the window. */
export const withWindow = (draft: Draft, window: Window): Draft =>
  withMeasure({ ...draft, interval: intervalFor(window) }, { ...measureOf(draft), ...window });
