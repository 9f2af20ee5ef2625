/** Tests and events in words, for names of steps and series. */
import type { Happening, Series } from './behaviour-draft.js';
import type { Draft } from './draft.js';
import type { Metric, Operator } from './fields.js';

export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  any: 'any value',
  equals: 'is',
  'not-equals': 'is not',
  in: 'is one of',
  contains: 'contains',
  'starts-with': 'begins with',
  'ends-with': 'ends with',
  gt: 'more than',
  gte: 'at least',
  lt: 'less than',
  lte: 'at most',
  range: 'from … to',
  near: 'within … km of',
};

export const METRIC_WORDS: Readonly<Record<Metric, string>> = {
  events: 'number of events',
  sum: 'sum of',
  avg: 'average of',
  min: 'minimum of',
  max: 'maximum of',
  median: 'median of',
  p95: '95th percentile of',
  'count-distinct': 'number of distinct values of',
};

/** Events in few words: `page home`, `delay more than 120`, `order`. */
export function wordsOf({ column, test: { operator, values } }: Happening): string {
  if (operator === 'any') return column;
  const typed = values.filter((value) => value.trim() !== '').join(' to ');
  if (operator === 'equals') return `${column} ${typed}`;
  const words = operator === 'range' ? 'from' : operator === 'near' ? 'near' : OPERATOR_WORDS[operator];
  return `${column} ${words} ${typed}`;
}

/** A series in few words: `page home events`, `sum of paid`, `entities with page home`. */
export function seriesWords(series: Series): string {
  const events = wordsOf(series);
  if (series.of === 'entities') return `entities with ${events}`;
  return series.of === 'events' ? `${events} events` : `${METRIC_WORDS[series.of]} ${events}`;
}

/** A question in few words, as the first title of a tile. */
export function titleOf(draft: Draft): string {
  const { show, dimension, trend, funnel, retention, activity, flow } = draft;
  const about: Readonly<Record<Draft['show'], string>> = {
    trend: trend.series.map(seriesWords).join(', '),
    funnel: funnel.steps.map(wordsOf).join(' → '),
    retention: `Retention: ${wordsOf(retention.start)}`,
    lifecycle: `Lifecycle: ${wordsOf(activity)}`,
    distribution: `Distribution: ${wordsOf(activity)}`,
    flow: `Flow ${flow.direction} ${wordsOf(flow.start)}`,
    count: `Number of ${draft.measure.of === 'entities' ? dimension : draft.measure.column}`,
    top: `${dimension} by ${draft.by}`,
    map: `Map of ${dimension}`,
    rows: dimension,
    entity: `Entity ${draft.entity}`,
  };
  return about[show].slice(0, TITLE_CHARS_MAX);
}
const TITLE_CHARS_MAX = 80;
