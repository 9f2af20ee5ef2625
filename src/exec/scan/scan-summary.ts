/**
 * Describes for EXPLAIN how a SELECT would scan one shard, without running it. Zone maps are consulted for every
 * segment; the number of matching rows is estimated from a sample of segments.
 */
import type { Condition } from '../../ir/index.js';
import type { LeafSummary, ScanSummary } from '../../protocol/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import { ShardCondition } from '../condition/condition.js';
import { EventSelection } from '../condition/event-selection.js';
import { type Leaf, type NormalNode, normalize } from '../condition/normal-form.js';
import { runOf } from '../condition/run.js';
import { isLookUpTest } from '../condition/text-match.js';
import { PreparedTest } from '../condition/value-test.js';
import type { QueryRun } from '../query-run.js';

/** The approximate number of segments in the sample. */
const SAMPLED_SEGMENTS = 8;

/** Throws 9005, 9006. */
export function summarizeScan(
  shard: number,
  dimension: DimensionShard,
  condition: Condition | null,
  scratch: Arena,
  run: QueryRun,
): ScanSummary {
  const { entityCount, segments } = dimension;
  const common = { shard, entityCount, segmentCount: segments.length };
  if (condition === null) return { ...common, estimatedRows: entityCount, leaves: [] };
  const leaves = leavesOf(normalize(condition, () => 1));
  return {
    ...common,
    estimatedRows: estimateRows(dimension, condition, scratch, run),
    leaves: leaves.map((leaf) => summarizeLeaf(dimension, leaf, run)),
  };
}

/** The leaves of the condition, in order. */
function leavesOf(node: NormalNode): readonly Leaf[] {
  return node.op === 'leaf' ? [node.leaf] : node.members.flatMap(leavesOf);
}

function estimateRows(
  dimension: DimensionShard,
  condition: Condition,
  scratch: Arena,
  run: QueryRun,
): number {
  const { segments } = dimension;
  const step = Math.max(1, Math.floor(segments.length / SAMPLED_SEGMENTS));
  const prepared = new ShardCondition(dimension, condition, scratch, run);
  let found = 0;
  let looked = 0;
  try {
    for (let index = 0; index < segments.length; index += step) {
      run.check();
      found += prepared.select(index);
      looked += segments[index].rowCount - segments[index].deadCount;
    }
  } finally {
    prepared.release();
  }
  return looked === 0 ? 0 : Math.round((found / looked) * dimension.entityCount);
}

function summarizeLeaf(dimension: DimensionShard, leaf: Leaf, run: QueryRun): LeafSummary {
  switch (leaf.op) {
    case 'attribute':
      return summarizeAttribute(dimension, leaf, run);
    case 'missing': {
      const segmentCount = dimension.segments.length;
      const columnIds = [leaf.columnId];
      return { columnIds, over: 'values', segmentCount, skipped: 0, whole: 0, kernels: ['validity'] };
    }
    case 'event':
      return summarizeEvents(dimension, [leaf.event], run);
    case 'freqgroup':
      return summarizeEvents(dimension, leaf.events, run);
    case 'behaviour':
      return summarizeBehaviour(dimension, leaf);
    case 'segment': {
      const segmentCount = dimension.segments.length;
      const kernels = ['bitmap of the segment'];
      return { columnIds: [], over: 'entity IDs', segmentCount, skipped: 0, whole: 0, kernels };
    }
    case 'entity-id': {
      const isLookUp = leaf.tests.every((test) => test.kind === 'text' && isLookUpTest(test));
      const segmentCount = dimension.segments.length;
      return {
        ...{
          columnIds: [],
          over: 'entity IDs',
          segmentCount,
          skipped: isLookUp ? segmentCount : 0,
          whole: 0,
        },
        kernels: [isLookUp ? 'entity index' : 'texts'],
      };
    }
  }
}

function summarizeAttribute(
  dimension: DimensionShard,
  { columnId, tests }: Extract<Leaf, { op: 'attribute' }>,
  run: QueryRun,
): LeafSummary {
  const dictionary = dimension.dictionaries.get(columnId);
  const prepared = tests.map((test) => new PreparedTest(test, dictionary, run));
  const kernels = new Set<string>();
  let [skipped, whole] = [0, 0];
  try {
    for (const segment of dimension.segments) {
      run.check();
      const latest = segment.latest(columnId);
      if (latest === undefined) {
        if (segment.list(columnId) === undefined) skipped++;
        else kernels.add('items of lists');
        continue;
      }
      const paths = prepared.map((test) => test.path(runOf(latest, segment.rowCount)));
      if (paths.includes('none')) skipped++;
      else if (paths.every((path) => path === 'present')) whole++;
      else for (const path of paths) if (path !== 'present') kernels.add(path);
    }
  } finally {
    for (const test of prepared) test.release();
  }
  const segmentCount = dimension.segments.length;
  return {
    columnIds: [columnId],
    over: 'values',
    segmentCount,
    skipped,
    whole,
    kernels: [...kernels].sort(),
  };
}

function summarizeEvents(
  dimension: DimensionShard,
  events: Extract<Leaf, { op: 'freqgroup' }>['events'],
  run: QueryRun,
): LeafSummary {
  let [segmentCount, skipped] = [0, 0];
  for (const event of events) {
    const selection = new EventSelection(dimension, event, run);
    for (const segment of selection.table?.segments ?? []) {
      segmentCount++;
      if (!selection.mayMatch(segment)) skipped++;
    }
    selection.release();
  }
  return {
    columnIds: events.map(({ columnId }) => columnId),
    ...{ over: 'events', segmentCount, skipped, whole: 0, kernels: ['window by date'] },
  };
}

function summarizeBehaviour(
  dimension: DimensionShard,
  { question, test }: Extract<Leaf, { op: 'behaviour' }>,
): LeafSummary {
  const columnIds = [
    ...new Set(question.events.flatMap((event) => event.flat().map(({ columnId }) => columnId))),
  ];
  const segmentCount = columnIds.reduce(
    (sum, id) => sum + (dimension.events.get(id)?.segments.length ?? 0),
    0,
  );
  return {
    columnIds,
    ...{ over: 'events', segmentCount, skipped: 0, whole: 0, kernels: [`${test.kind} by entity`] },
  };
}
