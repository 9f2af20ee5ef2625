/**
 * What EXPLAIN tells of a SELECT, shortly, and of every other kind of query alike: a line per operator, the shards taken
 * together. For the log, so it leaves nothing out that a caller may not see.
 */
import type { AggregatePlan, ExtractPlan, SelectPlan } from '../../ir/index.js';
import type { LeafSummary, ScanSummary } from '../../protocol/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { AskedPlan } from '../api.js';
import { counted, leafDetail, mainRows, Names } from './explain.js';

/** `outlines`: of the scan of the plan's own dimension, one per shard that holds something of it. */
export function outlineLines(
  asked: AskedPlan,
  outlines: readonly ScanSummary[],
  model: DatabaseModel | undefined,
): readonly string[] {
  const names = new Names(model, asked.plan);
  return [...scanLines(outlines, names), ...workLines(asked, names)];
}

function scanLines(outlines: readonly ScanSummary[], names: Names): string[] {
  if (names.own === '') return [];
  const total = (of: (outline: ScanSummary) => number): number =>
    outlines.reduce((sum, outline) => sum + of(outline), 0);
  const entities = total(({ entityCount }) => entityCount);
  const segments = total(({ segmentCount }) => segmentCount);
  const rows = total(({ estimatedRows }) => estimatedRows);
  const scan = `scan ${names.own}: ${entities} entities in ${segments} segments of ${counted(outlines.length, 'shard')}, about ${rows} rows pass`;
  const [first] = outlines;
  const leaves = (first?.leaves ?? []).map((_, index) =>
    together(outlines.flatMap(({ leaves }) => leaves[index] ?? [])),
  );
  return [scan, ...leaves.map((leaf) => `condition ${leafDetail(leaf, names)}`)];
}

/** The same test in every shard; there is at least one. */
function together(leaves: readonly LeafSummary[]): LeafSummary {
  const total = (of: (leaf: LeafSummary) => number): number =>
    leaves.reduce((sum, leaf) => sum + of(leaf), 0);
  return {
    columnIds: leaves[0].columnIds,
    over: leaves[0].over,
    segmentCount: total(({ segmentCount }) => segmentCount),
    skipped: total(({ skipped }) => skipped),
    whole: total(({ whole }) => whole),
    kernels: [...new Set(leaves.flatMap(({ kernels }) => kernels))],
  };
}

function workLines(asked: AskedPlan, names: Names): string[] {
  switch (asked.asks) {
    case 'count':
      return ['count'];
    case 'exist':
      return ['look entity IDs up'];
    case 'aggregate':
      return aggregateLines(asked.plan, names);
    case 'extract':
      return extractLines(asked.plan);
    case 'select':
      return selectLines(asked.plan, names);
  }
}

function aggregateLines({ levels, metric }: AggregatePlan, names: Names): string[] {
  const tops = levels.map(({ source, limit }) => `top ${limit} values of ${names.source(source)}`);
  if (metric === null) return tops;
  const buckets = metric.buckets === null ? '' : ' per bucket of time';
  return [...tops, `${metric.metric} of ${names.source(metric.source)}${buckets}`];
}

function extractLines({ limit, scored, order }: ExtractPlan): string[] {
  const first = `first ${limit} rows`;
  const sort = order.length === 0 ? [] : [`sort by ${counted(order.length, 'key')}`];
  if (scored === null) return [...sort, first];
  return [`score by ${counted(scored.length, 'condition')}`, first, ...sort];
}

function selectLines(plan: SelectPlan, names: Names): string[] {
  const joins = plan.joins.map(({ dimensionId, kind }) => `join ${kind}, ${names.dimension(dimensionId)}`);
  const rest = mainRows(plan).map(({ operator, detail }) => `${operator} ${detail}`);
  return [...joins, ...rest];
}
