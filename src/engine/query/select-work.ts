/**
 * One SELECT asked of the lanes and merged on the main thread.
 * Invariant: what is asked at once and done in one slice reads one version; who calls sees to it that what is asked one behind
 * the other does.
 */
import type { RowFormat } from '../../answer/index.js';
import { invariant } from '../../base/index.js';
import type { GroupPartial, JoinTable, PartitionedTexts, SelectPlan } from '../../ir/index.js';
import {
  constantTable,
  finishGroups,
  finishRows,
  type LoweredSelect,
  lowerSelect,
  RowMerge,
  type Table,
  textsToCount,
} from '../../plan/index.js';
import type { OperatorStats, PartMemory } from '../../protocol/index.js';
import { concat, fromWire, toWire } from '../../vector/index.js';
import type { LaneSet } from '../workers/worker-clients.js';
import { joinPlan } from './join-plan.js';
import type { RowWriter } from './row-writer.js';
import type { RunningQuery } from './running-query.js';
import { AskedSelect, bytesOf, columnsOf, partialsOf, type Slices } from './worker-select.js';

/** Up to so many rows are taken from every lane in one part, so that no record has to wait. */
const ROWS_AT_ONCE = 10_000;

export interface SelectWorkParts {
  readonly lanes: LaneSet;
  /** Memory that the main thread may take. */
  readonly bytesMax: number;
  /** No other SELECT under way has the same. */
  readonly nextId: () => number;
  readonly query: RunningQuery;
  readonly slices: Slices;
  /** Gets what the operators did; null = it is not wanted. */
  readonly figures: OperatorStats[] | null;
  /** Of parts that were sent. */
  readonly partMemory: PartMemory;
}

/** Whether its rows may be so many that they leave while they are made. */
export const isStreamed = ({ dimensionId, grouping, limit, offset }: SelectPlan): boolean =>
  dimensionId !== null && grouping === null && (limit === null || limit + offset > ROWS_AT_ONCE);

export class SelectWork {
  readonly #parts: SelectWorkParts;

  constructor(parts: SelectWorkParts) {
    this.#parts = parts;
  }

  /** The whole answer of a plan that is not streamed; null = only one slice is let, and it is too short. */
  async table(plan: SelectPlan): Promise<Table | null> {
    const { bytesMax, query } = this.#parts;
    if (plan.dimensionId === null) return constantTable(plan, bytesMax);
    const lowered = lowerSelect(plan);
    if (lowered !== null) {
      return query.inSlices(finishGroups(plan, [await this.#lowered(lowered)], bytesMax));
    }
    // Without a wait in between, so that what is asked is what was bound.
    const tables = plan.joins.length === 0 ? [] : await this.#joinTables(plan);
    if (tables === null) return null;
    const asked = this.#begin(plan, tables, null);
    try {
      const rowsMax = plan.limit === null ? Number.MAX_SAFE_INTEGER : plan.limit + plan.offset;
      const parts = await asked.whole(rowsMax);
      if (parts === null) return null;
      if (plan.grouping === null) {
        return await query.inSlices(finishRows(plan, parts.map(columnsOf), bytesMax));
      }
      const partials = parts.flatMap(partialsOf);
      const told = await countTexts(asked, partials);
      const table = await query.inSlices(finishGroups(plan, partials, bytesMax, told));
      asked.giveBack(partials);
      return table;
    } finally {
      asked.end();
    }
  }

  /** Both are asked in one turn. */
  async #lowered({ count, rounds, partial }: LoweredSelect): Promise<GroupPartial> {
    const { query } = this.#parts;
    const lanes = await query.ask((lane, bounds) =>
      Promise.all([
        count === null ? [0] : lane.send('count-entities', { plans: [count], bounds }),
        rounds.length === 0 ? [] : lane.send('aggregate', { rounds, bounds }),
      ]),
    );
    const entityCount = lanes.reduce((sum, [[counted]]) => sum + counted, 0);
    return partial(
      entityCount,
      rounds.map((_, round) => lanes.flatMap(([, partials]) => partials[round])),
    );
  }

  /** Writes the rows of a plan that is streamed, while the lanes give them. */
  async stream(plan: SelectPlan, format: RowFormat, writer: RowWriter): Promise<void> {
    const tables = await this.#tablesOf(plan);
    return plan.order.length === 0 && plan.offset === 0
      ? this.#streamAsTheyCome(plan, tables, format, writer)
      : this.#streamInOrder(plan, tables, writer);
  }

  /** Has the lanes make all rows of a plan that is streamed, and forgets them; returns their number. */
  async drain(plan: SelectPlan): Promise<number> {
    const tables = await this.#tablesOf(plan);
    const asked = this.#begin(plan, tables, null);
    const { offset, limit } = plan;
    let rowCount = 0;
    try {
      for (let missing = limit === null ? Number.POSITIVE_INFINITY : limit + offset; ; ) {
        const parts = await asked.share(missing);
        if (parts === null) break;
        const given = parts.reduce((sum, part) => sum + columnsOf(part).rowCount, 0);
        missing -= given;
        rowCount += given;
      }
    } finally {
      asked.end();
    }
    return Math.max(0, rowCount - offset);
  }

  /** Rows without an order are encoded by the lanes. While a part is written, the lanes make the next one. */
  async #streamAsTheyCome(
    plan: SelectPlan,
    tables: readonly JoinTable[],
    format: RowFormat,
    writer: RowWriter,
  ): Promise<void> {
    let missing = plan.limit ?? Number.POSITIVE_INFINITY;
    const asked = this.#begin(plan, tables, format);
    try {
      for (let next = asked.share(missing); next !== null; ) {
        const parts = await next;
        for (const part of parts) missing -= bytesOf(part).rowCount;
        next = asked.share(missing);
        // Nobody looks at it while the part before is written.
        next?.catch(() => {});
        for (const part of parts) await writer.parts(bytesOf(part));
      }
    } finally {
      asked.end();
    }
  }

  /** Rows in their order, or behind an offset, are merged here. */
  async #streamInOrder(plan: SelectPlan, tables: readonly JoinTable[], writer: RowWriter): Promise<void> {
    const { bytesMax } = this.#parts;
    const asked = this.#begin(plan, tables, null);
    const merge = new RowMerge(plan, asked.laneCount, bytesMax);
    try {
      while (!merge.done) {
        for (const [lane, part] of await asked.of(merge.missing)) {
          merge.push(lane, columnsOf(part));
          if (part.done) merge.end(lane);
        }
        for (let table = merge.take(); table !== null; table = merge.take()) await writer.table(table);
      }
    } finally {
      asked.end();
    }
  }

  /** Of a plan that is streamed. */
  async #tablesOf(plan: SelectPlan): Promise<readonly JoinTable[]> {
    const tables = await this.#joinTables(plan);
    invariant(tables !== null, 'what is streamed is let more than one slice');
    return tables;
  }

  /** What the joined dimensions hold, one after the other; null as from `table`. */
  async #joinTables({ databaseId, joins }: SelectPlan): Promise<readonly JoinTable[] | null> {
    const tables: JoinTable[] = [];
    for (const join of joins) {
      const table = await this.#joinTable(joinPlan(databaseId, join));
      if (table === null) return null;
      tables.push(table);
    }
    return tables;
  }

  async #joinTable(plan: SelectPlan): Promise<JoinTable | null> {
    const asked = this.#begin(plan, [], null);
    try {
      const whole = await asked.whole(Number.MAX_SAFE_INTEGER);
      if (whole === null) return null;
      const parts = whole.map(columnsOf);
      const [ids, ...columns] = plan.outputs.map(({ type }, index) => {
        const found = parts.map(({ outputs }) => fromWire(outputs[index]));
        return toWire(concat(found, type));
      });
      return { ids, columns };
    } finally {
      asked.end();
    }
  }

  #begin(plan: SelectPlan, tables: readonly JoinTable[], format: RowFormat | null): AskedSelect {
    const { lanes, nextId, slices, query, figures, partMemory } = this.#parts;
    const settings = { plan, tables, format };
    return new AskedSelect(nextId(), [...lanes.all], settings, slices, query, figures, partMemory);
  }
}

/** By number of the aggregate, the different texts that lanes have counted. */
async function countTexts(
  asked: AskedSelect,
  partials: readonly GroupPartial[],
): Promise<ReadonlyMap<number, number>> {
  const told = new Map<number, number>();
  // Aggregates of the same values share their texts.
  const counted = new Map<PartitionedTexts, number | null>();
  for (const [aggregate, lists] of textsToCount(partials)) {
    const known = counted.get(lists[0]);
    const different = known === undefined ? await asked.countTexts(lists) : known;
    counted.set(lists[0], different);
    if (different !== null) told.set(aggregate, different);
  }
  return told;
}
