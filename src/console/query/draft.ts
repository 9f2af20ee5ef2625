/** A question while the user edits it in the form: the fields as typed, whether or not they are complete. */
import { activeColumns, type Column, columnOf, type Dimension } from '../server/model.js';
import { type BehaviourDraft, newBehaviour } from './behaviour-draft.js';
import { ANY, type Interval, type Metric, operatorsOf, type Test, type Window } from './fields.js';

export interface Condition extends Window {
  readonly id: number;
  readonly column: string;
  readonly test: Test;
  /** Minimum number of events. */
  readonly atLeast: string;
  readonly negated: boolean;
}

/** The column of a condition on a segment; no column has this name. The test has the name of the segment. */
export const SEGMENT = '(segment)';

export const segmentCondition = (id: number, name: string): Condition => ({
  ...{ id, column: SEGMENT, test: { operator: 'equals', values: [name] }, from: '', to: '' },
  ...{ atLeast: '1', negated: false },
});

/** What a count or a list of values computes: the number of entities, or a metric of one column's values. */
export interface Measure {
  readonly of: 'entities' | Metric;
  readonly column: string;
  /** Selects the column's values. */
  readonly test: Test;
}

export const SHOWS = [
  'trend',
  'funnel',
  'retention',
  'lifecycle',
  'flow',
  'distribution',
  'count',
  'top',
  'map',
  'rows',
  'entity',
] as const;
export type Show = (typeof SHOWS)[number];

/** The fields of all kinds of questions: changing the kind and back keeps what was typed. */
export interface Draft extends BehaviourDraft {
  readonly dimension: string;
  readonly join: 'and' | 'or';
  readonly conditions: readonly Condition[];
  /** The segment that is answered beside the entities of the conditions; empty = none. */
  readonly beside: string;
  readonly show: Show;
  /** The IANA name of the zone of days and periods; empty = UTC. */
  readonly timeZone: string;
  /** The range of time whose events count. */
  readonly window: Window;
  /** Divides the range of time. */
  readonly interval: Interval;
  readonly measure: Measure;
  /** For `top`: the column whose values form the groups. */
  readonly by: string;
  readonly limit: string;
  /** For `map`: the column of points. */
  readonly point: string;
  /** For `rows`: the columns to show. */
  readonly columns: readonly string[];
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
    beside: '',
    show: 'count',
    timeZone: '',
    window: NO_WINDOW,
    measure: { of: 'entities', column: '', test: ANY },
    by: groupingColumn(columns)?.name ?? '',
    limit: ROWS_SHOWN,
    interval: 'days',
    ...newBehaviour(columns),
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

/** The question about the segment that stands beside the entities of the conditions. */
export const besideOf = (draft: Draft): Draft => ({
  ...{ ...draft, beside: '', join: 'and' },
  conditions: [segmentCondition(1, draft.beside)],
});

/** The draft with another range of time, and an interval that fits it. */
export const withWindow = (draft: Draft, window: Window): Draft => ({
  ...draft,
  window,
  interval: intervalFor(window),
});

/** The event column whose events the question counts, and whose first and last date are the default range; null = none. */
export function windowColumn(draft: Draft, dimension: Dimension | undefined): string | null {
  const named: Readonly<Record<Show, string | undefined>> = {
    trend: draft.trend.series[0]?.column,
    funnel: draft.funnel.steps[0]?.column,
    retention: draft.retention.start.column,
    lifecycle: draft.activity.column,
    distribution: draft.activity.column,
    flow: draft.flow.start.column,
    count: draft.measure.of === 'entities' ? undefined : draft.measure.column,
    top: draft.measure.of === 'entities' ? draft.by : draft.measure.column,
    map: draft.point,
    ...{ rows: undefined, entity: undefined },
  };
  const column = columnOf(dimension, named[draft.show] ?? '');
  return column?.isEvent ? column.name : null;
}
