/**
 * Summarizes the plan of any query as EXPLAIN does for a SELECT: one line per operator, summed over the shards. The summary is
 * for the log, so it includes columns and rows that the caller may not read.
 */
import type { AggregatePlan, BehaviourPlan, ExtractPlan, SelectPlan } from '../../ir/index.js';
import type { LeafSummary, ScanSummary } from '../../protocol/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { QueryPlan } from '../api.js';
import { counted, leafDetail, mainRows, Names } from './explain.js';

/** The plan of a query over one dimension, or without one. */
export type DimensionQueryPlan =
  | Exclude<QueryPlan, { readonly kind: 'select' }>
  | { readonly kind: 'select'; readonly plan: SelectPlan };

/** `scans`: the scan of the plan's own dimension, one summary per shard that has data of it. */
export function planSummaryLines(
  query: DimensionQueryPlan,
  summaries: readonly ScanSummary[],
  model: DatabaseModel | undefined,
): readonly string[] {
  const names = new Names(model, query.plan);
  return [...scanLines(summaries, names), ...workLines(query, names)];
}

function scanLines(summaries: readonly ScanSummary[], names: Names): string[] {
  if (names.own === '') return [];
  const total = (of: (summary: ScanSummary) => number): number =>
    summaries.reduce((sum, summary) => sum + of(summary), 0);
  const entities = total(({ entityCount }) => entityCount);
  const segments = total(({ segmentCount }) => segmentCount);
  const rows = total(({ estimatedRows }) => estimatedRows);
  const scan = `scan ${names.own}: ${entities} entities in ${segments} segments of ${counted(summaries.length, 'shard')}, about ${rows} rows pass`;
  const [first] = summaries;
  const leaves = (first?.leaves ?? []).map((_, index) =>
    together(summaries.flatMap(({ leaves }) => leaves[index] ?? [])),
  );
  return [scan, ...leaves.map((leaf) => `condition ${leafDetail(leaf, names)}`)];
}

/** Sums the same condition over all shards. `leaves` has at least one element. */
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

function workLines(query: DimensionQueryPlan, names: Names): string[] {
  switch (query.kind) {
    case 'count':
      return ['count'];
    case 'exist':
      return ['look up entity IDs'];
    case 'aggregate':
      return aggregateLines(query.plan, names);
    case 'behaviour':
      return [behaviourLine(query.plan)];
    case 'extract':
      return extractLines(query.plan);
    case 'select':
      return selectLines(query.plan, names);
  }
}

function aggregateLines({ levels, metric }: AggregatePlan, names: Names): string[] {
  const tops = levels.map(({ source, limit }) => `top ${limit} values of ${names.source(source)}`);
  if (metric === null) return tops;
  const buckets = metric.buckets === null ? '' : ' per bucket of time';
  return [...tops, `${metric.metric} of ${names.source(metric.source)}${buckets}`];
}

function behaviourLine({ question, events, periods, breakdown }: BehaviourPlan): string {
  const by = breakdown === null ? '' : `, the ${counted(breakdown.limit, 'most frequent value')}`;
  const over = periods.length === 0 ? '' : `, ${counted(periods.length - 1, 'period')}`;
  return `${question.kind} over the events of each entity: ${counted(events.length, 'event condition')}${over}${by}`;
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
