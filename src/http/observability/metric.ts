/** A metric of /metrics: its name, its help text, and a function that reads its values. */
import type { HistogramStats } from '../../base/index.js';

export type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

export interface HistogramSample {
  readonly labels?: Labels;
  readonly stats: HistogramStats;
}

interface MetricDescription {
  readonly name: string;
  readonly help: string;
}

export type Metric =
  | (MetricDescription & { readonly type: 'counter' | 'gauge'; readonly read: () => readonly Sample[] })
  | (MetricDescription & { readonly type: 'histogram'; readonly read: () => readonly HistogramSample[] });

/** A line of the text format. `metricName`: left out if it is the metric's own name. */
export interface MetricLine extends Sample {
  readonly metricName?: string;
}

/** The lines of a metric. The count of a histogram's bucket includes the counts of all lower buckets. */
export function metricLinesOf(metric: Metric): MetricLine[] {
  if (metric.type !== 'histogram') return [...metric.read()];
  return metric.read().flatMap(({ labels = {}, stats }) => bucketLines(metric.name, labels, stats));
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
