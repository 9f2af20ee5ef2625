/**
 * Compares the times of one question in Quarry and in the other databases, and summarizes a whole run.
 * A ratio above 1 is in favour of Quarry, for times and for rates; it compares with the better of the others.
 */
import type { Spread } from './measure.js';
import type { Table, TableCell } from './table.js';

export interface Comparison {
  /** The name of the line in --only. */
  readonly line: string;
  readonly name: string;
  readonly unit: string;
  readonly better: 'less' | 'more';
  readonly quarry: Spread;
  /** p99 of answer times; null where there is none. */
  readonly p99: Spread | null;
  readonly peers: readonly { readonly name: string; readonly spread: Spread }[];
  /** The scan's throughput as a share of the memory bandwidth of one kernel; null where it is not computed. */
  readonly ofMemory: number | null;
}

/** Ratio to the better of the others; null without another database. */
export function ratioOf({ better, quarry, peers }: Comparison): number | null {
  if (peers.length === 0) return null;
  const medians = peers.map(({ spread }) => spread.median);
  return better === 'less' ? Math.min(...medians) / quarry.median : quarry.median / Math.max(...medians);
}

/** The geometric mean; `values` is not empty. */
export const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

export const ratioText = (ratio: number): string => `${ratio.toFixed(ratio < 10 ? 2 : 1)}x`;

/** All comparisons and their mean; null when there are none. */
export function comparisonTable(comparisons: readonly Comparison[]): Table | null {
  const compared = comparisons.flatMap((comparison) => {
    const ratio = ratioOf(comparison);
    return ratio === null ? [] : [{ comparison, ratio }];
  });
  if (compared.length === 0) return null;
  const names = [...new Set(compared.flatMap(({ comparison }) => comparison.peers.map(({ name }) => name)))];
  const rows = compared.map(({ comparison, ratio }): TableCell[] => [
    `${comparison.line}: ${comparison.name}`,
    comparison.unit,
    comparison.quarry,
    comparison.p99,
    ...names.map((name) => comparison.peers.find((peer) => peer.name === name)?.spread ?? null),
    ratioText(ratio),
    comparison.ofMemory === null ? null : `${Math.round(comparison.ofMemory * 100)}%`,
  ]);
  const behind = compared.filter(({ ratio }) => ratio < 1);
  const mean = geometricMean(compared.map(({ ratio }) => ratio));
  return {
    line: 'summary',
    title: 'Everything that the other databases ran too: medians [least..most]',
    columns: ['', 'unit', 'Quarry', 'p99', ...names, 'ahead', 'of memory speed'],
    rows,
    notes: [
      'Quarry over HTTPS with keep-alive and caches bypassed, the others in process; "ahead" compares with the faster of them, a value above 1 means that Quarry is ahead',
      `geometric mean of ${compared.length} ratios: ${ratioText(mean)}; behind in ${behind.length}${behind.length === 0 ? '' : `: ${behind.map(({ comparison }) => comparison.name).join(', ')}`}`,
    ],
  };
}
