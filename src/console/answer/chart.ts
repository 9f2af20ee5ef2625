/** The charts that fit a table, with the data of each. */
import type {
  Flow,
  FunnelGroup,
  FunnelStep,
  LifecyclePeriod,
  Retention,
  SessionStats,
  TimelineEvent,
} from './behaviour-answer.js';
import { formatMoment } from './format.js';
import type { PlanNode } from './plan.js';
import { cellText, type Point, pointsIn, type Table } from './table.js';

export interface Line {
  readonly name: string;
  /** One for each point of the axis; null = none. */
  readonly values: readonly (number | null)[];
  /** Drawn behind the others, for comparison. */
  readonly faint?: true;
}

export interface Lines {
  readonly label: string;
  readonly axis: 'time' | 'number';
  /** Ascending: seconds since 1970, or numbers. */
  readonly at: readonly number[];
  readonly lines: readonly Line[];
  /** Texts at points of the axis. */
  readonly marks?: readonly { readonly at: number; readonly text: string }[];
}

/** A chart; `title` is the name of its tab, if the kind alone does not say it. */
export type Chart = { readonly title?: string } & AnyChart;

type AnyChart =
  | ({ readonly kind: 'lines' } & Lines)
  | {
      readonly kind: 'funnel';
      readonly steps: readonly FunnelStep[];
      readonly groups: readonly FunnelGroup[];
    }
  | ({ readonly kind: 'retention' } & Retention)
  | { readonly kind: 'lifecycle'; readonly series: readonly LifecyclePeriod[] }
  | ({ readonly kind: 'sessions' } & SessionStats)
  | ({ readonly kind: 'flow' } & Flow)
  | { readonly kind: 'plan'; readonly nodes: readonly PlanNode[] }
  | { readonly kind: 'timeline'; readonly events: readonly TimelineEvent[] }
  | { readonly kind: 'figure'; readonly value: string; readonly label: string }
  | {
      readonly kind: 'bars';
      readonly label: string;
      readonly bars: readonly { readonly name: string; readonly value: number; readonly text: string }[];
    }
  | {
      readonly kind: 'times';
      readonly label: string;
      /** Seconds since 1970, ascending. */
      readonly seconds: readonly number[];
      readonly values: readonly number[];
    }
  | { readonly kind: 'map'; readonly points: readonly MapPoint[]; readonly label: string };

export interface MapPoint {
  readonly at: Point;
  readonly name: string;
}

/** The charts for a table, the best first. */
export function chartsOf(table: Table): Chart[] {
  return [figureOf(table), mapOf(table), timesOf(table), barsOf(table)].filter((chart) => chart !== null);
}

const indexOfKind = ({ columns }: Table, kind: string): number =>
  columns.findIndex((column) => column.kind === kind);

/** The last column of numbers: a metric comes after the sizes of the groups. */
const figureColumn = ({ columns }: Table): number => columns.findLastIndex(({ kind }) => kind === 'number');

function figureOf(table: Table): Chart | null {
  const at = figureColumn(table);
  if (table.rows.length !== 1 || at < 0 || table.columns.length > 2) return null;
  const [other] = table.rows[0].filter((_, index) => index !== at);
  const label = other === undefined ? table.columns[at].title : formatMoment(cellText(other));
  return { kind: 'figure', value: cellText(table.rows[0][at]), label };
}

function barsOf(table: Table): Chart | null {
  const at = figureColumn(table);
  const names = table.columns.flatMap(({ kind }, index) =>
    index !== at && kind !== 'number' ? [index] : [],
  );
  const by =
    names.length > 0 ? names : table.columns.flatMap((_, index) => (index < at ? [index] : [])).slice(0, 1);
  if (at < 0 || by.length === 0 || table.rows.length < 2) return null;
  const bars = table.rows.flatMap((row) => {
    const cell = row[at];
    if (cell === null) return [];
    const name = by.map((index) => cellText(row[index]) || '(none)').join(' · ');
    return [{ name, value: Number(cell), text: cellText(cell) }];
  });
  return { kind: 'bars', label: table.columns[at].title, bars };
}

function timesOf(table: Table): Chart | null {
  const at = figureColumn(table);
  const when = indexOfKind(table, 'moment');
  if (at < 0 || when < 0 || table.rows.length < 2) return null;
  const points = table.rows
    .map((row) => ({ second: Date.parse(cellText(row[when])) / 1000, value: Number(row[at] ?? Number.NaN) }))
    .filter(({ second, value }) => Number.isFinite(second) && Number.isFinite(value))
    .sort((a, b) => a.second - b.second);
  const isSeries = points.every(({ second }, index) => index === 0 || second > points[index - 1].second);
  if (!isSeries || points.length < 2) return null;
  return {
    kind: 'times',
    label: table.columns[at].title,
    seconds: points.map(({ second }) => second),
    values: points.map(({ value }) => value),
  };
}

function mapOf(table: Table): Chart | null {
  const at = indexOfKind(table, 'point');
  if (at < 0) return null;
  const points = table.rows.flatMap((row) => {
    const name = row
      .filter((cell, index) => index !== at && cell !== null)
      .map(cellText)
      .join(' · ');
    return pointsIn(row[at]).map((point) => ({ at: point, name }));
  });
  return { kind: 'map', points, label: table.columns[at].title };
}
