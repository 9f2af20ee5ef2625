/** Creates the rows of a grouping within one shard, repeated for the items of the plan. */
import { invariant } from '../../base/index.js';
import type { ItemSource, SelectPlan } from '../../ir/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import type { GroupSource } from '../aggregate/groups/group-source.js';
import type { QueryRun } from '../query-run.js';
import { InputReader } from '../scan/input-reader.js';
import { bucketItems } from './bucket-items.js';
import { EventItems, ListItems } from './entity-items.js';
import { ItemRows, type RowItems } from './item-rows.js';

/** Repeats `rows` for the items of the plan; `release` must be called at the end. Throws 9005, 9006. */
export function withItems(
  rows: GroupSource,
  dimension: DimensionShard,
  plan: SelectPlan,
  scratch: Arena,
  run: QueryRun,
): GroupSource {
  const { items = [], inputs } = plan;
  let repeated = rows;
  try {
    for (const [source, item] of items.entries()) {
      const own = itemsOf(item, source, { rows, dimension, plan, scratch, run });
      repeated = new ItemRows(repeated, own, source, inputs);
    }
    return repeated;
  } catch (error) {
    repeated.release();
    throw error;
  }
}

interface ItemContext {
  readonly rows: GroupSource;
  readonly dimension: DimensionShard;
  readonly plan: SelectPlan;
  readonly scratch: Arena;
  readonly run: QueryRun;
}

function itemsOf(
  item: ItemSource,
  source: number,
  { rows, dimension, plan, scratch, run }: ItemContext,
): RowItems {
  if (item.from === 'buckets') return bucketItems(item.buckets, item.window, plan.inputs);
  const reader = new InputReader(dimension, plan.inputs, scratch, run);
  const input = plan.inputs.findIndex((one) => one.from === 'item' && one.source === source);
  invariant(input >= 0, 'items are read by an input');
  const own = { reader, arrays: reader.arraysOf(input) };
  if (item.from === 'list') return new ListItems(dimension, item, own, run);
  return new EventItems(dimension, item.event, rows.selectedRows(), own, run);
}
