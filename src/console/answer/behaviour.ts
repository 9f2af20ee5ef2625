/** Reads answers to questions about behaviour as tables and charts. */
import { isList, isObject, type Json, type JsonObject } from '../server/json.js';
import type {
  Actives,
  ComparedValue,
  Flow,
  FlowNode,
  Funnel,
  FunnelStep,
  Group,
  LifecyclePeriod,
  Overlap,
  Retention,
  SessionStats,
  Sessions,
  Stickiness,
  TimelineEvent,
} from './behaviour-answer.js';
import type { Chart } from './chart.js';
import { formatMoment, formatSeconds, plural } from './format.js';
import { planOf } from './plan.js';
import { rowsTable, type Table, tablesOf } from './table.js';

export interface Reading {
  readonly tables: readonly Table[];
  /** null = the charts of whichever table is chosen. */
  readonly charts: readonly Chart[] | null;
}

/**
 * The index of the step before, from which the step's conversion counts. Steps that attempts may leave out are no such step;
 * the answer does not say which they are, but the conversion does.
 */
export function stepBefore(steps: readonly FunnelStep[], index: number): number {
  const { count, 'step-conversion': share } = steps[index];
  for (let before = index - 1; before > 0; before--) {
    if (share === null || Math.abs(steps[before].count * share - count) < 1e-6 * Math.max(1, count))
      return before;
  }
  return 0;
}

export const groupName = ({ value, others }: Group): string => (others ? 'others' : (value ?? '(none)'));
export const secondsOf = (between: readonly [string, string]): number => Date.parse(between[0]) / 1000;
export const nodeName = ({ value, others }: FlowNode): string => (others ? 'others' : (value ?? ''));
export const shareText = (share: number | null): string =>
  share === null ? '–' : `${(share * 100).toFixed(1)}%`;

const start = (between: readonly [string, string]): string => formatMoment(between[0]);
const rows = (name: string, list: readonly object[]): Table => rowsTable(name, list as readonly JsonObject[]);

const stepRow = ({ name, count, conversion, seconds, ...step }: FunnelStep): object => ({
  ...{
    step: name,
    count,
    conversion: shareText(conversion),
    'from the step before': shareText(step['step-conversion']),
  },
  'median time': seconds?.median == null ? null : formatSeconds(seconds.median),
});

function readFunnel(answer: Funnel): Reading {
  const { steps, groups = [] } = answer;
  const byGroup = groups.flatMap((group) =>
    group.steps.map((step) => ({ group: groupName(group), ...stepRow(step) })),
  );
  const classes = steps.at(-1)?.histogram ?? [];
  const times = classes.map(({ from, to, count }) => ({
    ...{ name: `${formatSeconds(from)} to ${formatSeconds(to)}`, value: count, text: String(count) },
  }));
  return {
    tables: [rows('Steps', steps.map(stepRow)), ...(groups.length > 0 ? [rows('Groups', byGroup)] : [])],
    charts: [
      { kind: 'funnel', steps, groups },
      ...(times.length > 0
        ? [
            {
              kind: 'bars',
              title: 'Time to convert',
              label: 'attempts that reach the last step, by the time they took',
              bars: times,
            } as const,
          ]
        : []),
    ],
  };
}

function readRetention({ cohorts, total }: Retention): Reading {
  const whole = { between: null, size: total.size, counts: total.counts };
  const table = [...cohorts, whole].map(({ between, size, counts }) => ({
    cohort: between === null ? 'all' : start(between),
    entities: size,
    ...Object.fromEntries(counts.map((count, period) => [`period ${period}`, count])),
  }));
  const points = (shares: readonly (number | null)[]) =>
    shares.map((share) => (share === null ? null : share * 100));
  const lines = [
    { name: 'all cohorts', values: points(total.ratios) },
    ...cohorts.slice(0, CURVES_MAX).map(({ between, size, counts }) => ({
      name: start(between),
      values: points(counts.map((count) => (size === 0 ? null : count / size))),
    })),
  ];
  const periods = total.ratios.map((_, period) => period);
  return {
    tables: [rows('', table)],
    charts: [
      { kind: 'retention', cohorts, total },
      {
        kind: 'lines',
        title: 'Curves',
        label: 'entities that return, in percent of the cohort, by period',
        axis: 'number',
        at: periods,
        lines,
      },
    ],
  };
}
const CURVES_MAX = 6;

const readLifecycle = ({ series }: { readonly series: readonly LifecyclePeriod[] }): Reading => ({
  tables: [
    rows(
      '',
      series.map(({ between, ...counts }) => ({ from: between[0], ...counts })),
    ),
  ],
  charts: [{ kind: 'lifecycle', series }],
});

const readStickiness = ({ counts }: Stickiness): Reading => ({
  tables: [
    rows(
      '',
      counts.map(({ active, count }) => ({ 'active periods': active, entities: count })),
    ),
  ],
  charts: [
    {
      kind: 'bars',
      label: 'entities, by the number of periods in which they are active',
      bars: counts.map(({ active, count }) => ({
        name: plural(active, 'period'),
        value: count,
        text: String(count),
      })),
    },
  ],
});

const sessionRow = (stats: SessionStats): object => ({
  ...{ sessions: stats.sessions, entities: stats.entities, 'of one event': stats['single-event'] },
  ...{ 'median seconds': stats.seconds.median, '90% at most, seconds': stats.seconds.p90 },
  ...{
    'average seconds': stats.seconds.avg,
    'events, average': stats.events.avg,
    'events, median': stats.events.median,
  },
});

function readSessions({ series = [], groups = [], ...whole }: Sessions): Reading {
  const byGroup = groups.map((group) => ({ group: groupName(group), ...sessionRow(group) }));
  const byPeriod = series.map((period) => ({ from: period.between[0], ...sessionRow(period) }));
  const tables = [rows('All', [sessionRow(whole)])];
  if (groups.length > 0) tables.push(rows('Groups', byGroup));
  if (series.length > 0) tables.push(rows('Over time', byPeriod));
  const at = series.map(({ between }) => secondsOf(between));
  const lines = [
    { name: 'sessions', values: series.map(({ sessions }) => sessions) },
    { name: 'entities', values: series.map(({ entities }) => entities) },
  ];
  const overTime = {
    kind: 'lines',
    title: 'Over time',
    label: 'sessions and entities with one',
    axis: 'time',
    at,
    lines,
  } as const;
  return { tables, charts: [{ kind: 'sessions', ...whole }, ...(series.length > 1 ? [overTime] : [])] };
}

function readFlow(flow: Flow): Reading {
  const { levels, links } = flow;
  const nodeAt = (level: number, index: number): string => {
    const node = levels[level]?.nodes[index];
    return node === undefined ? '' : nodeName(node);
  };
  const table = links.map(({ level, from, to, count, ...link }) => ({
    ...{ level, from: nodeAt(level - 1, from), to: nodeAt(level, to), count },
    'median seconds': link['median-seconds'],
  }));
  return { tables: [rows('', table)], charts: [{ kind: 'flow', ...flow }] };
}

function readActives({ series }: Actives): Reading {
  const rolling = series.some((period) => period.rolling !== undefined);
  const lines = [
    { name: 'active entities', values: series.map(({ count }) => count) },
    ...(rolling ? [{ name: 'rolling', values: series.map((period) => period.rolling ?? null) }] : []),
  ];
  const at = series.map(({ between }) => secondsOf(between));
  return {
    tables: [
      rows(
        '',
        series.map(({ between, ...counts }) => ({ from: between[0], ...counts })),
      ),
    ],
    charts: [{ kind: 'lines', label: 'active entities', axis: 'time', at, lines }],
  };
}

function readTimeline({ data }: { readonly data: readonly TimelineEvent[] }): Reading {
  const table = data.map(({ date, column, relation, value, values }) => ({
    ...{ date, event: column ?? relation ?? '', value: value ?? values ?? null },
  }));
  return { tables: [rows('', table)], charts: [{ kind: 'timeline', events: data }] };
}

function readOverlap({ segments, combinations }: Overlap): Reading {
  const named = combinations.map(({ in: names, count }) => ({ 'in exactly': names.join(' and '), count }));
  const bars = named.map((row) => ({ name: row['in exactly'], value: row.count, text: String(row.count) }));
  return {
    tables: [rows('Combinations', named), rows('Segments', segments)],
    charts: [{ kind: 'bars', label: 'entities in exactly these segments', bars }],
  };
}

function readCompare(values: readonly ComparedValue[]): Reading {
  const table = values.map(({ column, value, counts, shares, lift, 'p-value': p }) => ({
    ...{ column, value, 'in the first': counts[0], 'share of the first': shareText(shares[0]) },
    ...{ 'in the second': counts[1], 'share of the second': shareText(shares[1]), lift, 'p-value': p },
  }));
  return { tables: [rows('', table)], charts: [] };
}

const READERS: Readonly<Record<string, (answer: never) => Reading>> = {
  '/v1/query/funnel': readFunnel,
  '/v1/query/retention': readRetention,
  '/v1/query/lifecycle': readLifecycle,
  '/v1/query/stickiness': readStickiness,
  '/v1/query/sessions': readSessions,
  '/v1/query/flow': readFlow,
  '/v1/query/actives': readActives,
  '/v1/query/timeline': readTimeline,
  '/v1/query/overlap': readOverlap,
  '/v1/query/compare': readCompare,
};

/** Any answer of an endpoint as tables and charts. */
export const readAnswer = (path: string, json: Json): Reading =>
  readBehaviour(path, json) ?? { tables: tablesOf(json), charts: plansIn(json) };

/** The plan in the answer to EXPLAIN; null = another answer. */
function plansIn(json: Json): readonly Chart[] | null {
  const result = isObject(json) ? json.result : null;
  const nodes = isList(result) ? planOf(result.filter(isObject)) : null;
  return nodes === null ? null : [{ kind: 'plan', nodes }];
}

/** The answer of an endpoint for behaviour, if it has one question; null = another answer. */
function readBehaviour(path: string, json: Json): Reading | null {
  const reader = READERS[path];
  const result = isObject(json) ? json.result : undefined;
  if (reader === undefined || !isObject(result)) return null;
  const answers = Object.values(result);
  return answers.length === 1 && typeof answers[0] === 'object' ? reader(answers[0] as never) : null;
}
