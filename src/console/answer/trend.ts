/** The answers to the requests of a trend as one chart and one table. */
import type { TrendPart } from '../query/trend.js';
import { isList, isObject, type Json, type JsonObject } from '../server/json.js';
import { type Reading, secondsOf } from './behaviour.js';
import type { Line } from './chart.js';
import { formatMoment } from './format.js';
import { rowsTable } from './table.js';

interface Points {
  readonly name: string;
  readonly earlierSeconds: number;
  readonly values: ReadonlyMap<number, number>;
  /** The value of a period without events: 0 for numbers of something, null for values. */
  readonly empty: 0 | null;
}

/** `answers` are those to the requests of `parts`, in their order. */
export function readTrend(parts: readonly TrendPart[], answers: readonly Json[], by: string): Reading {
  const found = parts.flatMap((part, index) => pointsOf(part, answers[index], by));
  const current = found.filter(({ earlierSeconds }) => earlierSeconds === 0);
  const at = [...new Set(current.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b);
  const lines = found.map((points) => lineOf(points, at));
  const table = at.map((second, index) => ({
    from: new Date(second * 1000).toISOString().replace('.000', ''),
    ...Object.fromEntries(lines.map(({ name, values }) => [name, values[index]])),
  }));
  const label = [...new Set(parts.map(({ name }) => name))].join(', ');
  return {
    tables: [rowsTable('', table)],
    charts: at.length === 0 ? [] : [{ kind: 'lines', label, axis: 'time', at, lines }],
  };
}

/** A series, or one for each of its groups. */
function pointsOf({ series, name, earlierSeconds }: TrendPart, answer: Json, by: string): Points[] {
  const result = isObject(answer) && isObject(answer.result) ? answer.result : {};
  const empty = ['entities', 'events', 'sum', 'count-distinct'].includes(series.of) ? 0 : null;
  const common = { name, earlierSeconds, empty } as const;
  const [first] = Object.values(result);
  if (isObject(first) && isList(first.series)) return [{ ...common, values: valuesOf(first.series) }];
  if (by === '') return [{ ...common, values: valuesOf(first) }];
  const groups = isList(result[by]) ? result[by].filter(isObject) : [];
  return groups.map((group) => ({
    ...{ ...common, name: `${String(group.value ?? '(none)')} · ${name}` },
    values: valuesOf(group[series.column]),
  }));
}

/** The number of each period, by its start. */
function valuesOf(periods: Json | undefined): Map<number, number> {
  const list = isList(periods) ? periods.filter(isObject) : [];
  return new Map(
    list.flatMap(({ between, ...numbers }: JsonObject): [number, number][] => {
      const [value] = Object.values(numbers);
      return isList(between) && value !== null ? [[secondsOf([String(between[0]), '']), Number(value)]] : [];
    }),
  );
}

/** The values at the starts; earlier periods are shifted to the nearest of them. */
function lineOf({ name, earlierSeconds, values, empty }: Points, at: readonly number[]): Line {
  if (earlierSeconds === 0) return { name, values: at.map((second) => values.get(second) ?? empty) };
  const shifted = at.map((): number | null => empty);
  for (const [second, value] of values) {
    const index = nearest(at, second + earlierSeconds);
    if (index >= 0) shifted[index] = (shifted[index] ?? 0) + value;
  }
  const days = Math.round(earlierSeconds / 86_400);
  return { name: `${name}, ${days} days before`, values: shifted, faint: true };
}

/** The index of the start that is nearest to the second; -1 if there is none. */
function nearest(at: readonly number[], second: number): number {
  let found = at.length > 0 ? 0 : -1;
  for (let index = 1; index < at.length; index++) {
    if (Math.abs(at[index] - second) < Math.abs(at[found] - second)) found = index;
  }
  return found;
}

/** The start of a period in words. */
export const periodName = (second: number): string =>
  formatMoment(new Date(second * 1000).toISOString().replace('.000', ''));
