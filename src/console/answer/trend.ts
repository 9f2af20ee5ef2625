/** The answers to the requests of a trend as one chart and one table. */
import { type BehaviourDraft, SERIES_MAX } from '../query/behaviour-draft.js';
import { formulaOf } from '../query/formula.js';
import type { TrendPart } from '../query/trend.js';
import { isList, isObject, type Json, type JsonObject } from '../server/json.js';
import { type Reading, secondsOf } from './behaviour.js';
import type { Line } from './chart.js';
import { formatMoment } from './format.js';
import { rowsTable } from './table.js';

/** What the trend says beside its requests. */
export type TrendOptions = Pick<BehaviourDraft['trend'], 'by' | 'formula' | 'notes'>;

interface Points {
  /** Index of the series. */
  readonly series: number;
  /** The value that divides the series; null = it is not divided. */
  readonly group: string | null;
  readonly name: string;
  readonly earlierSeconds: number;
  readonly values: ReadonlyMap<number, number>;
  /** The value of a period without events: 0 for numbers of something, null for values. */
  readonly empty: 0 | null;
}

/** `answers` are those to the requests of `parts`, in their order. */
export function readTrend(
  parts: readonly TrendPart[],
  answers: readonly Json[],
  { by, formula, notes }: TrendOptions,
): Reading {
  const found = parts.flatMap((part, index) => pointsOf(part, answers[index], by));
  const current = found.filter(({ earlierSeconds }) => earlierSeconds === 0);
  const at = [...new Set(current.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b);
  const lines = found.map((points) => lineOf(points, at));
  const computed = formula === '' ? [] : formulaLines(formula, found, lines);
  const table = at.map((second, index) => ({
    from: new Date(second * 1000).toISOString().replace('.000', ''),
    ...Object.fromEntries([...computed, ...lines].map(({ name, values }) => [name, values[index]])),
  }));
  const label = formula === '' ? [...new Set(parts.map(({ name }) => name))].join(', ') : formula;
  const shown = formula === '' ? lines : computed;
  const marks = notes.flatMap(({ day, text }) =>
    Number.isNaN(Date.parse(day)) ? [] : [{ at: Date.parse(day) / 1000, text }],
  );
  return {
    tables: [rowsTable('', table)],
    charts:
      at.length === 0
        ? []
        : [{ kind: 'lines', label, axis: 'time', at, lines: shown, ...(marks.length > 0 ? { marks } : {}) }],
  };
}

/** The formula of the series, of each group and of the time before. */
function formulaLines(text: string, found: readonly Points[], lines: readonly Line[]): Line[] {
  const formula = formulaOf(text, 1 + Math.max(...found.map(({ series }) => series)));
  if (formula === null || typeof formula === 'string') return [];
  const keys = [...new Set(found.map(keyOf))];
  return keys.map((key) => {
    const own = found.flatMap((points, index) =>
      keyOf(points) === key ? [{ points, line: lines[index] }] : [],
    );
    const valuesOfSeries = (series: number) =>
      own.find(({ points }) => points.series === series)?.line.values;
    const [{ points, line }] = own;
    const bySeries = Array.from({ length: SERIES_MAX }, (_, series) => valuesOfSeries(series));
    const values = line.values.map((_, index) => formula(bySeries.map((list) => list?.[index] ?? null)));
    const of = points.group === null ? text : `${points.group} · ${text}`;
    return { ...line, name: `${of}${beforeText(points.earlierSeconds)}`, values };
  });
}

const keyOf = ({ group, earlierSeconds }: Points): string => JSON.stringify([group, earlierSeconds]);

/** A series, or one for each of its groups. */
function pointsOf({ index, series, name, earlierSeconds }: TrendPart, answer: Json, by: string): Points[] {
  const result = isObject(answer) && isObject(answer.result) ? answer.result : {};
  const empty = ['entities', 'events', 'sum', 'count-distinct'].includes(series.of) ? 0 : null;
  const common = { series: index, group: null, name, earlierSeconds, empty } as const;
  const [first] = Object.values(result);
  if (isObject(first) && isList(first.series)) return [{ ...common, values: valuesOf(first.series) }];
  if (by === '') return [{ ...common, values: valuesOf(first) }];
  const groups = isList(result[by]) ? result[by].filter(isObject) : [];
  return groups.map((one) => {
    const group = String(one.value ?? '(none)');
    return { ...common, group, name: `${group} · ${name}`, values: valuesOf(one[series.column]) };
  });
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
  return { name: `${name}${beforeText(earlierSeconds)}`, values: shifted, faint: true };
}

const beforeText = (earlierSeconds: number): string =>
  earlierSeconds === 0 ? '' : `, ${Math.round(earlierSeconds / 86_400)} days before`;

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
