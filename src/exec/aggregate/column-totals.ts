/**
 * Counts, sums and extremes of whole columns of a shard, by kernels (see ir/column-totals.ts).
 * Cost  0.1 to 0.5 ns per row and column.
 */
import { invariant } from '../../base/index.js';
import {
  type AggregateState,
  type ColumnTotal,
  columnTotalsOf,
  type EventTest,
  type GroupPartial,
  keyOf,
  type SelectPlan,
} from '../../ir/index.js';
import type { Arena, EntitySegment, EventSegment, Shard } from '../../storage/index.js';
import { ShardCondition } from '../condition/condition.js';
import { EventSelection } from '../condition/event-selection.js';
import type { SelectedRows } from '../condition/selected-rows.js';
import { EntitySelection } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import { ShardOperatorStats } from '../scan/operator-stats.js';
import { presentRowsIn } from './code-tables.js';
import type { GroupSlotSource } from './groups/slot-plan.js';
import { type StoredColumn, storedWidth, Totals, totalStates } from './totals.js';

/** The totals of each shard that has entities of the dimension; the plan must consist of totals. Throws 9005, 9006. */
export function totalsOfShards(
  shards: Iterable<Shard>,
  plan: SelectPlan & { readonly dimensionId: number },
  scratch: Arena,
  run: QueryRun,
): GroupPartial[] {
  const partials: GroupPartial[] = [];
  for (const shard of shards) {
    const dimension = shard.find(plan);
    if (dimension === undefined || dimension.entityCount === 0) continue;
    const stats = new ShardOperatorStats(shard.index, false);
    const partial = columnTotals({ dimension, plan, tables: [], scratch }, run, stats);
    invariant(partial !== null, 'the plan consists of totals');
    partials.push(partial);
  }
  return partials;
}

/** null if the plan has groups or other aggregates. Throws 9005, 9006. */
export function columnTotals(
  source: GroupSlotSource,
  run: QueryRun,
  stats: ShardOperatorStats,
): GroupPartial | null {
  const wanted = columnTotalsOf(source.plan);
  if (wanted === null) return null;
  const start = stats.start();
  const columns = new ColumnScans(source, wanted, run);
  columns.scan();
  stats.add('scan', start, columns.rowCount);
  stats.add('group', stats.start(), 1);
  stats.note('group', ['by kernels over whole columns']);
  return { groupCount: 1, keys: [], states: wanted.map((total) => columns.stateOf(total)) };
}

class ColumnScans {
  readonly #source: GroupSlotSource;
  readonly #run: QueryRun;
  /** By column or test of events. */
  readonly #totals = new Map<string, { readonly first: ColumnTotal; readonly totals: Totals }>();
  readonly #entities: boolean;
  #entityCount = 0;

  constructor(source: GroupSlotSource, wanted: readonly ColumnTotal[], run: QueryRun) {
    this.#source = source;
    this.#run = run;
    this.#entities = wanted.some(({ of }) => of === 'entities');
    for (const total of wanted) {
      const { totals } = this.#totals.get(sourceOf(total)) ?? { totals: new Totals() };
      this.#totals.set(sourceOf(total), { first: total, totals });
      totals.want(total.statistic);
    }
  }

  /** The number of scanned entities, or else of events. */
  get rowCount(): number {
    return this.#entityCount || [...this.#totals.values()].reduce((sum, { totals }) => sum + totals.count, 0);
  }

  scan(): void {
    const { dimension, plan, scratch } = this.#source;
    const selection = new EntitySelection(dimension, plan.condition, scratch, this.#run);
    try {
      const all = [...this.#totals.values()];
      const attributes = all.flatMap(({ first, totals }) =>
        first.of === 'attribute' ? [{ columnId: first.columnId, totals }] : [],
      );
      if (attributes.length > 0) {
        for (const [index, segment] of dimension.segments.entries()) {
          const count = selection.select(index);
          this.#entityCount += count;
          for (const { columnId, totals } of count === 0 ? [] : attributes) {
            addAttribute(segment, columnId, selection, count, totals);
          }
        }
      } else if (this.#entities) this.#entityCount = this.#countEntities();
      for (const { first, totals } of all)
        if (first.of === 'events') this.#addEvents(first.event, selection, totals);
    } finally {
      selection.release();
    }
  }

  #countEntities(): number {
    const { dimension, plan, scratch } = this.#source;
    if (plan.condition === null) return dimension.entityCount;
    const condition = new ShardCondition(dimension, plan.condition, scratch, this.#run);
    try {
      return condition.count();
    } finally {
      condition.release();
    }
  }

  #addEvents(event: EventTest, selection: EntitySelection, totals: Totals): void {
    const { dimension } = this.#source;
    const events = new EventSelection(dimension, event, this.#run);
    const mayMatch = events.table?.segments.some((segment) => events.mayMatch(segment)) === true;
    const rows = mayMatch && !selection.isWhole ? selection.bitmap() : null;
    try {
      for (const { segment, selected } of events.ofRows(rows, this.#run)) {
        addEventsOf(segment, selected, totals);
      }
    } finally {
      if (rows !== null) this.#run.release(rows.length);
      events.release();
    }
  }

  stateOf(total: ColumnTotal): AggregateState {
    if (total.of === 'entities') return { holds: 'count', counts: Float64Array.of(this.#entityCount) };
    const { totals } = this.#totals.get(sourceOf(total)) ?? { totals: new Totals() };
    return totalStates(total.statistic, [totals]);
  }
}

/** Equal for totals of the same column or events. */
const sourceOf = ({ statistic: _, ...source }: ColumnTotal): string => keyOf(source);

/** Adds the column's values of the `count` rows selected in the segment. */
function addAttribute(
  segment: EntitySegment,
  columnId: number,
  selection: EntitySelection,
  count: number,
  totals: Totals,
): void {
  const column = segment.latest(columnId);
  if (column === undefined || column.presentCount === 0) return;
  const present = presentRowsIn(column, segment, selection, count);
  if (present.count > 0) addValues(column, segment.rowCount, present.bitmapAt, present.count, totals);
}

/** Adds the values of the first `n` rows whose bits are set in the bitmap (0 = all), `count` in number. */
function addValues(column: StoredColumn, n: number, bitmapAt: number, count: number, totals: Totals): void {
  totals.count += count;
  if (totals.requiresValues) totals.add(column.arena, storedWidth(column), column.valuesAt, bitmapAt, n);
}

function addEventsOf(segment: EventSegment, events: SelectedRows, totals: Totals): void {
  totals.count += events.count;
  if (!totals.requiresValues) return;
  const { arena } = segment;
  const width = storedWidth(segment);
  if (!events.isRange) {
    const { start, to, bitmapAt } = events;
    totals.add(arena, width, segment.valuesAt + start * width, bitmapAt, to - start);
    return;
  }
  totals.addRange(segment, events.from, events.to);
}
