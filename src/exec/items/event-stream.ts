/**
 * The events of a grouping in stored order, for groups that do not depend on the order of an entity's events.
 */
import type { EventTest, Input, SelectPlan } from '../../ir/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import type { GroupSource } from '../aggregate/groups/group-source.js';
import { selectedEntities } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import { BatchSize } from '../scan/batch-size.js';
import { feedBatches } from '../scan/feed-batches.js';
import { FeedSelection } from '../scan/feed-selection.js';
import { InputReader } from '../scan/input-reader.js';
import type { ShardOperatorStats } from '../scan/operator-stats.js';
import type { RowBatch } from '../scan/row-batches.js';
import { EntityValues } from './entity-values.js';

/** Whether events that are not sorted by entity give the groups of a plan, and their entities' columns can be read. */
export function isOfUnsortedEvents({
  events,
  grouping,
  filter,
  joins,
  feeds,
  inputs,
  items = [],
}: SelectPlan): boolean {
  return (
    events !== null &&
    grouping !== null &&
    !grouping.perEntity &&
    filter === null &&
    joins.length === 0 &&
    feeds.length === 0 &&
    grouping.aggregates.every(({ feed }) => feed === 'rows') &&
    inputs.every(isReadable) &&
    items.every(({ from }) => from !== 'list')
  );
}

function isReadable(input: Input): boolean {
  if (input.from === 'attribute') return input.kind !== 'geo';
  return input.from === 'event-value' || input.from === 'event-date' || input.from === 'item';
}

export class EventStream implements GroupSource {
  readonly rowEnd: number;
  readonly #plan: SelectPlan;
  readonly #event: EventTest;
  readonly #run: QueryRun;
  readonly #stats: ShardOperatorStats;
  readonly #reader: InputReader;
  readonly #selection: FeedSelection;
  /** The entities that satisfy the condition, one bit per row; null = all. */
  readonly #rows: Uint8Array | null;
  readonly #batchSize = new BatchSize();
  /** By input: the column of entities that it reads, if it reads one. */
  readonly #entityValues: readonly (EntityValues | null)[];

  /** `plan`: see isOfUnsortedEvents. `release` must be called at the end. Throws 9005, 9006. */
  constructor(
    dimension: DimensionShard,
    plan: SelectPlan & { readonly events: EventTest },
    scratch: Arena,
    run: QueryRun,
    stats: ShardOperatorStats,
  ) {
    this.rowEnd = dimension.rowEnd;
    this.#plan = plan;
    this.#event = plan.events;
    this.#run = run;
    this.#stats = stats;
    this.#rows = selectedEntities(dimension, plan.condition, scratch, run);
    this.#reader = new InputReader(dimension, plan.inputs, scratch, run);
    this.#selection = new FeedSelection(dimension, plan.events, run);
    this.#entityValues = plan.inputs.map((input, index) => {
      if (input.from !== 'attribute') return null;
      const { columnId, kind } = input;
      const texts = this.#reader.textsOf(columnId);
      return new EntityValues(dimension, columnId, kind, texts, this.#reader.arraysOf(index));
    });
  }

  selectedRows(): Uint8Array | null {
    return this.#rows;
  }

  *batches(): Generator<RowBatch | null> {
    const source = {
      ...{ selection: this.#selection, rows: this.#rows, batchSize: this.#batchSize },
      entityValues: this.#entityValues,
    };
    const { columnId } = this.#event;
    const batches = feedBatches(source, columnId, this.#plan.inputs, this.#reader, this.#run);
    for (;;) {
      const start = this.#stats.start();
      const { value: batch } = batches.next();
      this.#stats.add('scan', start, batch?.count ?? 0);
      if (batch === undefined) break;
      yield batch;
    }
    this.#stats.note('scan', [`${this.#selection.segments.length} event segments`]);
  }

  feedBatches(): Iterable<RowBatch | null> {
    return [];
  }

  rest(): void {
    this.#selection.settle();
    this.#batchSize.rest();
  }

  release(): void {
    this.#selection.release();
    this.#reader.release();
    this.#run.release(this.#rows?.length ?? 0);
  }
}
