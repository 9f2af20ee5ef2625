/** The entities behind a number of an answer, as a condition of the interface. */
import { stepBefore } from '../answer/behaviour.js';
import type { Chart } from '../answer/chart.js';
import { formatMoment, plural } from '../answer/format.js';
import type { Post } from './source.js';
import { instantText } from './zone.js';

/** What was clicked in a chart. */
export type Pick =
  | { readonly kind: 'step'; readonly step: number; readonly lost: boolean }
  | { readonly kind: 'cohort'; readonly cohort: number; readonly period: number | null }
  | { readonly kind: 'bar'; readonly index: number };

export interface Behind {
  /** Who they are, in words that follow the name of the dimension. */
  readonly title: string;
  readonly dimension: string | undefined;
  readonly query: readonly unknown[];
}

/** Fields of questions that conditions do not use. */
const NOT_IN_CONDITIONS: ReadonlySet<string> = new Set([
  ...['query-name', 'dimension', 'breakdown', 'histogram', 'bypass-cache'],
]);

/** The charts whose numbers have entities behind them, by the path of the request. */
const PICKABLE: Readonly<Record<string, Chart['kind']>> = {
  '/v1/query/funnel': 'funnel',
  '/v1/query/retention': 'retention',
  '/v1/query/stickiness': 'bars',
};
export const isPickable = (path: string, { kind }: Chart): boolean => PICKABLE[path] === kind;

/** The entities behind what was clicked; null = the chart is not pickable. */
export function behindOf({ path, body }: Post, chart: Chart, pick: Pick): Behind | null {
  const question = JSON.parse(body) as Record<string, unknown>;
  const dimension = typeof question.dimension === 'string' ? question.dimension : undefined;
  const fields = Object.fromEntries(
    Object.entries(question).filter(([name]) => !NOT_IN_CONDITIONS.has(name)),
  );
  if (chart.kind === 'funnel' && pick.kind === 'step') {
    const { interval: _, ...funnel } = fields;
    const { step, lost } = pick;
    const before = lost ? stepBefore(chart.steps, step) : step;
    const reached = { reached: before + 1, ...(lost ? { 'not-reached': step + 1 } : {}) };
    const { name } = chart.steps[step];
    const title = lost
      ? `that reached “${chart.steps[before].name}” but not “${name}”`
      : `that reached “${name}”`;
    return { title, dimension, query: [{ funnel: { ...funnel, ...reached } }] };
  }
  if (chart.kind === 'retention' && pick.kind === 'cohort') {
    const { cohort, period } = pick;
    const [start] = chart.cohorts[cohort].between;
    const zone = typeof question['time-zone'] === 'string' ? question['time-zone'] : '';
    const retention = {
      ...fields,
      'cohort-of': instantText(start, zone),
      ...(period === null ? {} : { period }),
    };
    const returned = period === null ? '' : ` and returned in period ${period}`;
    return { title: `of the cohort ${formatMoment(start)}${returned}`, dimension, query: [{ retention }] };
  }
  if (chart.kind === 'bars' && isPickable(path, chart) && pick.kind === 'bar') {
    const periods = pick.index + 1;
    const active = { ...fields, 'at-least': periods, 'at-most': periods };
    return { title: `active in exactly ${plural(periods, 'period')}`, dimension, query: [{ active }] };
  }
  return null;
}
