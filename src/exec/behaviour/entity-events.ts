/**
 * The events that a question reads, of one shard, in blocks of entities: each entity's events are one range, in the order
 * of their dates, with one bit for each event of the question that they satisfy.
 * Memory  a few blocks, besides the orders of the columns (event-order), and 4 bytes per event for bits that do not depend on
 *         codes, for links, and for values that are not strings.
 */
import { type BehaviourScope, type Condition, readsStream } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { EntityOrder } from '../event-order/entity-order.js';
import { EventOrders } from '../event-order/event-orders.js';
import type { QueryRun } from '../query-run.js';
import { BlockMemory } from './block-memory.js';
import { EventMasks, type EventSource, linkEndOf, sourcesOf } from './event-masks.js';
import { EventValueNumbers } from './event-values.js';
import { insertBlock } from './insert-block.js';
import {
  type BlockSize,
  type EventBlock,
  type OrderedColumn,
  OrderedEvents,
  type OrderedSource,
  SelectionArea,
} from './ordered-events.js';

const BLOCK_ROWS = 1_024;
/** A block has more events only if an entity has. */
const BLOCK_EVENTS = 16_384;

/** The entities of the shard that satisfy a condition, one bit per row; null = all. */
export type EntitiesOf = (condition: Condition | null) => Uint8Array | null;

/** Bytes of the area that the kernels of a question use. */
export const KERNEL_AREA_BYTES = 65_536;

export class EntityEvents {
  /** The entities that take part; null = all. */
  readonly rows: Uint8Array | null;
  /** Words of bits per event: columns 1 to maskWords. */
  readonly maskWords: number;
  /** The column of links, or -1. */
  readonly linkColumn: number;
  /** The first column of value numbers. A stream has one, of the event's own column, and then the column's index. */
  readonly valueColumn: number;
  readonly values: readonly EventValueNumbers[];
  /** Dates, bits, links and values of the current block, in `memory`. */
  readonly columns: readonly Uint32Array[];
  /** Entity i of the block has events [starts[i], starts[i + 1]). */
  readonly starts: Uint32Array;
  readonly rowEnd: number;
  readonly memory: BlockMemory;
  /** Byte offset of KERNEL_AREA_BYTES for the kernels of the question. */
  readonly kernelArea: number;
  readonly #sources: readonly OrderedEvents[];
  /** Blocks of the sources but for the first, before they are merged with it. */
  readonly #others: readonly EventBlock[];

  /** `memory` is to be released. Throws 9005, 9006. */
  constructor(shard: DimensionShard, plan: BehaviourScope, entitiesOf: EntitiesOf, run: QueryRun) {
    this.rows = entitiesOf(plan.condition);
    this.maskWords = Math.max(1, Math.ceil(plan.events.length / 32));
    this.linkColumn = plan.isTied ? 1 + this.maskWords : -1;
    this.valueColumn = 1 + this.maskWords + (plan.isTied ? 1 : 0);
    this.values = plan.values.map((column) => new EventValueNumbers(shard, column));
    this.rowEnd = shard.rowEnd;
    const orders = ordersOf(shard, plan, run);
    const size = { rows: BLOCK_ROWS, events: capacityOf(orders) };
    const columnCount = this.valueColumn + (readsStream(plan) ? 2 : this.values.length);
    const sources = orders.flatMap((own) => this.#sourcesOf(shard, plan, own, run));
    const memory = new BlockMemory(run);
    this.memory = memory;
    try {
      this.kernelArea = memory.take(KERNEL_AREA_BYTES);
      const area = new SelectionArea(memory, size, this.rows);
      this.#sources = sources.map((source) => new OrderedEvents(source, area, memory));
      const offsets = Array.from({ length: Math.max(1, sources.length) }, () =>
        takeBlock(memory, size, columnCount),
      );
      // Only now, because taking memory detaches views.
      const [first, ...others] = offsets.map((own) => blockAt(memory, size, own));
      ({ starts: this.starts, columns: this.columns } = first);
      this.#others = others;
    } catch (error) {
      memory.release();
      throw error;
    }
  }

  #sourcesOf(
    shard: DimensionShard,
    plan: BehaviourScope,
    { columnId, sources, orders }: ColumnOrders,
    run: QueryRun,
  ): readonly OrderedSource[] {
    const masks = new EventMasks(shard, columnId, sources, this.maskWords, run);
    try {
      return orders.map((order) => {
        const links = plan.isTied ? [linksOf(order, run)] : [];
        const values = this.#valuesOf(shard, plan, columnId, order, run);
        return { order, words: masks.columnsOf(order), others: [...links, ...values] };
      });
    } finally {
      masks.release();
    }
  }

  #valuesOf(
    shard: DimensionShard,
    plan: BehaviourScope,
    columnId: number,
    order: EntityOrder,
    run: QueryRun,
  ): readonly (OrderedColumn | number)[] {
    if (readsStream(plan)) {
      const index = this.values.findIndex((numbers) => numbers.columnId === columnId);
      return [numbersOf(this.values[index], order, run), index];
    }
    return this.values.map((numbers) => {
      if (numbers.columnId === columnId) return numbersOf(numbers, order, run);
      const links = linksOf(order, run);
      if (typeof links === 'number') return 0;
      const byLink = numbers.byLink(() => linkEndOf(shard));
      const table = (links.table as Uint32Array).map((link) => (link === 0 ? 0 : byLink[link]));
      return { keys: links.keys, table };
    });
  }

  /** Reads the block of entities that begins with `fromRow`; returns the row behind it. */
  read(fromRow: number): number {
    let end = Math.min(this.rowEnd, fromRow + BLOCK_ROWS);
    while (end - fromRow > 1 && this.#countOf(fromRow, end) > BLOCK_EVENTS) {
      end = fromRow + ((end - fromRow) >> 1);
    }
    const [first, ...others] = this.#sources;
    if (first === undefined) this.starts.fill(0);
    else first.read(this, fromRow, end);
    for (const [index, source] of others.entries()) {
      const block = this.#others[index];
      source.read(block, fromRow, end);
      insertBlock(this, block, end - fromRow);
    }
    return end;
  }

  #countOf(fromRow: number, toRow: number): number {
    return this.#sources.reduce((sum, source) => sum + source.countOf(fromRow, toRow), 0);
  }
}

/** Reads the events of a question. Throws 9005, 9006. */
export function withEntityEvents(
  shard: DimensionShard,
  plan: BehaviourScope,
  entitiesOf: EntitiesOf,
  run: QueryRun,
  act: (events: EntityEvents) => void,
): void {
  const events = new EntityEvents(shard, plan, entitiesOf, run);
  try {
    act(events);
  } finally {
    events.memory.release();
  }
}

interface BlockOffsets {
  readonly starts: number;
  readonly columns: readonly number[];
}

const takeBlock = (memory: BlockMemory, { rows, events }: BlockSize, columnCount: number): BlockOffsets => ({
  starts: memory.take((rows + 1) * 4),
  columns: Array.from({ length: columnCount }, () => memory.take(events * 4)),
});

const blockAt = (memory: BlockMemory, size: BlockSize, { starts, columns }: BlockOffsets): EventBlock => ({
  starts: memory.words(starts, size.rows + 1),
  columns: columns.map((at) => memory.words(at, size.events)),
});

interface ColumnOrders {
  readonly columnId: number;
  readonly sources: readonly EventSource[];
  readonly orders: readonly EntityOrder[];
}

function ordersOf(shard: DimensionShard, plan: BehaviourScope, run: QueryRun): readonly ColumnOrders[] {
  const retained = run.resources.orders ?? new EventOrders();
  return [...sourcesOf(plan)].flatMap(([columnId, sources]) => {
    const table = shard.events.get(columnId);
    return table === undefined ? [] : [{ columnId, sources, orders: retained.of(table, shard.rowEnd, run) }];
  });
}

/** One more than the greatest number of events of a block. */
function capacityOf(columns: readonly ColumnOrders[]): number {
  const orders = columns.flatMap((column) => column.orders);
  const most = orders.reduce((sum, { rowEventsMax }) => sum + rowEventsMax, 0);
  const all = orders.reduce((sum, { eventCount }) => sum + eventCount, 0);
  return Math.max(most, Math.min(all, BLOCK_EVENTS)) + 1;
}

/** The links of the events; 0 = none has one. */
function linksOf({ segments, positions, eventCount }: EntityOrder, run: QueryRun): OrderedColumn | number {
  if (segments.every((segment) => segment.links() === null)) return 0;
  run.reserve(eventCount * 4);
  const table = new Uint32Array(eventCount);
  let position = 0;
  for (const segment of segments) {
    const links = segment.links();
    if (links !== null) table.set(links, position);
    position += segment.eventCount;
  }
  return { keys: positions, table };
}

function numbersOf(values: EventValueNumbers, order: EntityOrder, run: QueryRun): OrderedColumn {
  const { segments, positions, codes, eventCount } = order;
  if (codes !== null) return { keys: codes, table: null };
  run.reserve(eventCount * 4);
  const table = new Uint32Array(eventCount);
  let position = 0;
  for (const segment of segments) {
    run.check();
    const read = values.readerOf(segment);
    for (let event = 0; event < segment.eventCount; event++) table[position++] = read(event);
  }
  return { keys: positions, table };
}
