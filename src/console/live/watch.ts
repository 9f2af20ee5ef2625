/** Computes the statistics of the live view from two readings of /metrics. */
import { isQuery, quantileBetween, type Sample, sumOf } from './prometheus.js';

export interface Reading {
  /** Seconds since 1970. */
  readonly at: number;
  readonly samples: readonly Sample[];
}

export interface LiveStats {
  readonly at: number;
  /** Per second. */
  readonly entities: number;
  readonly values: number;
  readonly queries: number;
  /** Seconds; null = there was no query between the readings. */
  readonly medianSeconds: number | null;
  readonly p95Seconds: number | null;
  readonly memoryBytes: number;
}

export function statsBetween(before: Reading, after: Reading): LiveStats {
  const seconds = Math.max(after.at - before.at, 0.001);
  /** A counter that decreased was reset by a restart. */
  const rate = (name: string, counts?: (labels: Sample['labels']) => boolean): number =>
    Math.max(0, sumOf(after.samples, name, counts) - sumOf(before.samples, name, counts)) / seconds;
  const quantile = (share: number): number | null =>
    quantileBetween(before.samples, after.samples, 'quarry_http_request_seconds', share);
  return {
    at: after.at,
    entities: rate('quarry_inserted_entities_total'),
    values: rate('quarry_inserted_values_total'),
    queries: rate('quarry_http_requests_total', isQuery),
    medianSeconds: quantile(0.5),
    p95Seconds: quantile(0.95),
    memoryBytes: sumOf(after.samples, 'quarry_memory_used_bytes'),
  };
}
