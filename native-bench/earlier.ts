/**
 * Compares a run with an earlier one (`--compare FILE`) and lists slower questions. Machines vary from hour to hour, so a
 * question counts as slower only when both its time and its ratio to the other databases got worse.
 */
import { type Comparison, ratioOf } from './comparison.js';
import type { Table, TableCell } from './table.js';

/** Smaller changes are not reported. */
const SHARE_MIN = 0.1;

const keyOf = ({ line, name }: Comparison): string => `${line}: ${name}`;

/** How much the value got worse: 0.5 = 50% more time, or the equivalent loss of throughput. */
function worseBy(before: Comparison, now: Comparison): number {
  const [old, fresh] = [before.quarry.median, now.quarry.median];
  return now.better === 'less' ? fresh / old - 1 : old / fresh - 1;
}

/** The same for the ratio to the other databases, or for the time if a run has no other database. */
function worseBesideOthers(before: Comparison, now: Comparison): number {
  const [old, fresh] = [ratioOf(before), ratioOf(now)];
  return old === null || fresh === null ? worseBy(before, now) : old / fresh - 1;
}

/** `file` is the report that contains `before`. */
export function earlierTable(file: string, before: readonly Comparison[], now: readonly Comparison[]): Table {
  const known = new Map(before.map((comparison) => [keyOf(comparison), comparison]));
  const both = now.flatMap((comparison) => {
    const old = known.get(keyOf(comparison));
    return old === undefined ? [] : [{ old, comparison }];
  });
  const worse = both
    .map(({ old, comparison }) => ({
      old,
      comparison,
      share: Math.min(worseBy(old, comparison), worseBesideOthers(old, comparison)),
    }))
    .filter(({ share }) => share > SHARE_MIN)
    .sort((a, b) => b.share - a.share);
  const rows = worse.map(({ old, comparison, share }): TableCell[] => [
    keyOf(comparison),
    comparison.unit,
    old.quarry,
    comparison.quarry,
    `${Math.round(share * 100)}%`,
  ]);
  return {
    line: 'compare',
    title: `Slower than in ${file}`,
    columns: ['', 'unit', 'before', 'now', 'worse by'],
    rows,
    notes: [
      `${both.length} figures are in both runs; ${rows.length} got worse by more than ${SHARE_MIN * 100}%, both in absolute terms and relative to the other databases`,
    ],
  };
}
