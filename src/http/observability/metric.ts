/** One metric as /metrics tells it: a name, what it means, and where its values are read when they are asked for. */
import type { HistogramStats } from '../../base/index.js';

export type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

export interface Spread {
  readonly labels?: Labels;
  readonly figures: HistogramStats;
}

interface Described {
  readonly name: string;
  readonly help: string;
}

export type Metric =
  | (Described & { readonly type: 'counter' | 'gauge'; readonly read: () => readonly Sample[] })
  | (Described & { readonly type: 'histogram'; readonly read: () => readonly Spread[] });

/** A line of the text form: its name, when that is not the metric's own. */
export interface MetricLine extends Sample {
  readonly metricName?: string;
}

/** The lines of a metric; counts of a histogram's buckets include those of the buckets below. */
export function linesOf(metric: Metric): MetricLine[] {
  if (metric.type !== 'histogram') return [...metric.read()];
  return metric.read().flatMap(({ labels = {}, figures }) => bucketLines(metric.name, labels, figures));
}

function bucketLines(
  name: string,
  labels: Labels,
  { bounds, counts, count, sum }: HistogramStats,
): MetricLine[] {
  let below = 0;
  const buckets = bounds.map((bound, index) => {
    below += counts[index];
    return { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: below };
  });
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
