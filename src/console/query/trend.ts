/** The requests of a trend: one for each series, and one more for its values in the same length of time before. */
import { columnOf } from '../server/model.js';
import { common, eventOf, zone } from './behaviour.js';
import { SERIES_MAX, type Series } from './behaviour-draft.js';
import { between, limitOf, predicatesOf, RANGE } from './conditions.js';
import type { Draft } from './draft.js';
import type { Window } from './fields.js';
import { formulaOf } from './formula.js';
import { type Post, post, type Source } from './source.js';
import { seriesWords } from './words.js';

export const GROUPS_MAX = 20;
const ROLLING_MAX = 366;
const DAY_MS = 86_400_000;

/** One of the requests of a trend, in their order. */
export interface TrendPart {
  /** Index of the series. */
  readonly index: number;
  readonly series: Series;
  readonly name: string;
  /** By how many seconds its dates are earlier than those of the range of time; 0 = the range itself. */
  readonly earlierSeconds: number;
}

/** The same number of days that ends before the window. */
export function windowBefore({ from, to }: Window): { readonly window: Window; readonly days: number } {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  const dayBefore = (day: string): string =>
    new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);
  return { window: { from: dayBefore(from), to: dayBefore(to) }, days };
}

/** What the requests of the trend are, in their order. The window must be valid. */
export function trendParts({ trend, window }: Draft): TrendPart[] {
  const parts = trend.series.map((series, index) => ({
    index,
    series,
    name: seriesWords(series),
    earlierSeconds: 0,
  }));
  if (!trend.compared) return parts;
  const earlierSeconds = (windowBefore(window).days * DAY_MS) / 1000;
  return [...parts, ...parts.map((part) => ({ ...part, earlierSeconds }))];
}

export function trendRequests(source: Source): readonly [Post, ...Post[]] {
  const { draft, problems } = source;
  const { series, by, compared } = draft.trend;
  if (series.length > SERIES_MAX) problems.add(`A trend has at most ${SERIES_MAX} series.`);
  if (by !== '' && compared) problems.add('Compare with the time before, or divide by a column.');
  between(draft.window, RANGE, problems, draft.timeZone);
  const formula = formulaOf(draft.trend.formula, series.length);
  if (typeof formula === 'string') problems.add(formula);
  const requests = series.map((one) => seriesRequest(source, one));
  if (compared && problems.found.length === 0) {
    const before = { ...source, draft: { ...draft, window: windowBefore(draft.window).window } };
    requests.push(...series.map((one) => seriesRequest(before, one)));
  }
  const [first, ...others] = requests;
  return [first, ...others];
}

function seriesRequest(source: Source, series: Series): Post {
  const { draft, dimension, filter, problems } = source;
  const { by, groups, rolling } = draft.trend;
  const event = eventOf(source, series);
  if (series.of === 'entities') {
    if (by !== '') problems.add('Only events and their values can be divided by a column.');
    const periods =
      rolling.trim() === '' ? {} : { rolling: limitOf(rolling, ROLLING_MAX, problems, 'Rolling periods') };
    return post('/v1/query/actives', { ...common(source), event, interval: draft.interval, ...periods });
  }
  const column = columnOf(dimension, series.column);
  const metric = {
    [series.column]: series.of === 'events' ? 'count-events' : series.of,
    ...(column === undefined ? {} : predicatesOf(series.test, column, problems)),
    interval: draft.interval,
    ...zone(draft),
    ...between(draft.window, RANGE, problems, draft.timeZone),
  };
  const level = by === '' ? [] : [{ [by]: limitOf(groups, GROUPS_MAX, problems, 'How many values') }];
  return post('/v1/query/aggregation', {
    dimension: draft.dimension,
    ...(filter.length > 0 ? { filter } : {}),
    query: [...level, metric],
  });
}
