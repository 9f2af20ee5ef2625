/** A question as it is being put together in the form: everything as typed, whether or not it can be asked yet. */
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
  /** As typed; how many count depends on the operator. */
  readonly values: readonly string[];
}

/** Days of UTC, both inside, as `YYYY-MM-DD`; empty = not chosen yet. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

export interface Condition extends Window {
  readonly id: number;
  readonly column: string;
  readonly test: Test;
  /** Of events: how many of them. */
  readonly atLeast: string;
  readonly negated: boolean;
}

export type Metric = 'events' | 'sum' | 'avg' | 'min' | 'max' | 'median' | 'p95' | 'count-distinct';

/** What is worked out: how many entities there are, or a metric of one column's values. */
export interface Measure extends Window {
  readonly of: 'entities' | Metric;
  readonly column: string;
  /** Which of the column's values count. */
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
  /** The same for what is shown over time, which only events can be. */
  readonly overTime: Measure;
  /** Of `top`: the column whose values make the groups. */
  readonly by: string;
  readonly limit: string;
  readonly interval: Interval;
  /** Of `map`. */
  readonly point: string;
  /** Of `rows`. */
  readonly columns: readonly string[];
}

/**
 * Takes what becomes of the value as it is by then: what a field finds out later changes nothing that was chosen meanwhile.
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

/** How many values each operator takes; `in` takes one text, parted by commas. */
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

/** The first question about a dimension: how many entities it has. */
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

/** A column that is likely to part entities into few groups: texts that are no names. */
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

/** The event column that says most by being counted: one of numbers, where there is one. */
export function countedColumn(columns: readonly Column[]): Column | undefined {
  const events = columns.filter(({ isEvent }) => isEvent);
  return events.find(({ kind }) => kind === 'number') ?? events[0];
}

/** What is worked out as the draft shows it now. */
export const measureOf = ({ show, measure, overTime }: Draft): Measure =>
  show === 'time' ? overTime : measure;

export const withMeasure = (draft: Draft, measure: Measure): Draft =>
  draft.show === 'time' ? { ...draft, overTime: measure } : { ...draft, measure };

const HOURS_DAYS_MAX = 3;
const DAYS_DAYS_MAX = 200;
const WEEKS_DAYS_MAX = 1_100;
const DAY_MS = 86_400_000;

/** The interval that parts a window into a few dozen buckets. */
export function intervalFor({ from, to }: Window): Interval {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS;
  if (!(days > HOURS_DAYS_MAX)) return 'hours';
  if (days <= DAYS_DAYS_MAX) return 'days';
  return days <= WEEKS_DAYS_MAX ? 'weeks' : 'months';
}

/** With the measure's events taken from that window, and parted by an interval that fits it. */
export const withWindow = (draft: Draft, window: Window): Draft =>
  withMeasure({ ...draft, interval: intervalFor(window) }, { ...measureOf(draft), ...window });
