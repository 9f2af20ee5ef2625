/**
 * Runs one SELECT on the workers and merges the results on the main thread.
 * Invariant: requests that are sent in one turn and done in one slice read one version. For requests that follow each other,
 * the caller ensures it.
 */
import type { RowFormat } from '../../answer/index.js';
import { invariant } from '../../base/index.js';
import {
  columnTotalsOf,
  type Input,
  type Join,
  type JoinTable,
  type SelectPlan,
  TEXT,
} from '../../ir/index.js';
import {
  bestOf,
  concatTables,
  constantTable,
  finishGroups,
  finishRows,
  type Table,
} from '../../plan/index.js';
import {
  type Exchange,
  type OperatorStats,
  type PartMemory,
  receivedGroups,
  type SelectPart,
} from '../../protocol/index.js';
import { concat, fromWire, toWire } from '../../vector/index.js';
import type { WorkerClients } from '../workers/worker-clients.js';
import { listOf, mergedGroups, oneTable, orderedRows, type Tables } from './merge-groups.js';
import type { RowSink } from './row-sink.js';
import type { RunningQuery } from './running-query.js';
import { writeRows } from './stage-parts.js';
import { columnsOf, type Slices, WorkerSelect } from './worker-select.js';

/** Up to this number of rows, each worker returns all its rows in one part, so that no record has to wait. */
const ONE_PART_ROWS_MAX = 10_000;

export interface SelectWorkDependencies {
  readonly workers: WorkerClients;
  /** Memory limit on the main thread. */
  readonly bytesMax: number;
  /** Returns an ID that no other running SELECT has. */
  readonly nextId: () => number;
  readonly query: RunningQuery;
  readonly slices: Slices;
  /** Receives the measurements of the operators; null = none are collected. */
  readonly stats: OperatorStats[] | null;
  /** Memory of parts that were sent. */
  readonly partMemory: PartMemory;
  readonly partitionGroupsMin: number;
  readonly exchange: Exchange;
}

/** Whether the SELECT may have too many rows to be collected before they are sent. */
export const isStreamed = ({ dimensionId, grouping, limit, offset }: SelectPlan): boolean =>
  dimensionId !== null && grouping === null && (limit === null || limit + offset > ONE_PART_ROWS_MAX);

export class SelectWork {
  readonly #dependencies: SelectWorkDependencies;

  constructor(dependencies: SelectWorkDependencies) {
    this.#dependencies = dependencies;
  }

  /** The whole answer of a plan that is not streamed, in one table; null as in `tables`. */
  async table(plan: SelectPlan): Promise<Table | null> {
    const { bytesMax, query } = this.#dependencies;
    const tables = await this.tables(plan);
    return tables && query.inSlices(concatTables(plan, await listOf(tables), bytesMax));
  }

  /**
   * The answer of a plan that is not streamed; null = only one slice is allowed, and it is too short. The workers may keep
   * groups until the tables are read or the query ends.
   */
  async tables(plan: SelectPlan): Promise<Tables | null> {
    const { bytesMax, query } = this.#dependencies;
    const { dimensionId } = plan;
    if (dimensionId === null) return oneTable(constantTable(plan, bytesMax));
    if (columnTotalsOf(plan) !== null) return oneTable(await this.#totals({ ...plan, dimensionId }));
    // No await in between, so that the plan runs against the model that it was bound to.
    const joined = plan.joins.length === 0 ? [] : await this.#joinTables(plan);
    if (joined === null) return null;
    if (plan.grouping !== null) return this.#groups(plan, joined, bestOf(plan));
    const workerSelect = this.#begin(plan, joined, null);
    try {
      const rowsMax = plan.limit === null ? Number.MAX_SAFE_INTEGER : plan.limit + plan.offset;
      const parts = await workerSelect.whole(rowsMax);
      return parts && oneTable(await query.inSlices(finishRows(plan, parts.map(columnsOf), bytesMax)));
    } finally {
      workerSelect.end();
    }
  }

  /** The answer of a plan of totals, by one short request. */
  async #totals(plan: SelectPlan & { readonly dimensionId: number }): Promise<Table> {
    const { bytesMax, query } = this.#dependencies;
    query.noteRead();
    const workers = await query.sendAll((worker, bounds) => worker.send('totals', { plan, bounds }));
    const partials = workers.flat().map(receivedGroups);
    return query.inSlices(finishGroups(plan, partials, bytesMax));
  }

  /** Requests all groups if the best ones do not determine the first; null as in `table`. */
  async #groups(plan: SelectPlan, tables: readonly JoinTable[], best: number | null): Promise<Tables | null> {
    const { bytesMax, query } = this.#dependencies;
    const workerSelect = this.#begin(plan, tables, null, best);
    const found = await mergedGroups(plan, workerSelect, query, bytesMax);
    return found === 'uncertain' ? this.#groups(plan, tables, null) : found;
  }

  /**
   * Writes the rows of a streamed plan while the workers produce them. Rows without an order are encoded by the workers,
   * unless `format` is null.
   */
  async stream(plan: SelectPlan, format: RowFormat | null, sink: RowSink): Promise<void> {
    const tables = await this.#tablesOf(plan);
    if (plan.order.length > 0 || plan.offset > 0) return this.#streamInOrder(plan, tables, sink);
    const workerSelect = this.#begin(plan, tables, format);
    try {
      await writeRows(workerSelect, plan.limit ?? Number.POSITIVE_INFINITY, plan.outputs, sink);
    } finally {
      workerSelect.end();
    }
  }

  /**
   * Takes the rows of a plan without grouping, order, limit and offset as columns, in parts in order of arrival. Returns
   * false if only one slice is allowed and too short.
   */
  async rows(plan: SelectPlan, take: (part: SelectPart) => void): Promise<boolean> {
    const tables = await this.#joinTables(plan);
    if (tables === null) return false;
    const workerSelect = this.#begin(plan, tables, null);
    try {
      return await workerSelect.rows(take);
    } finally {
      workerSelect.end();
    }
  }

  /** Rows with an order or an offset are merged here. */
  async #streamInOrder(plan: SelectPlan, tables: readonly JoinTable[], sink: RowSink): Promise<void> {
    const { query, bytesMax } = this.#dependencies;
    const workerSelect = this.#begin(plan, tables, null);
    try {
      for await (const table of orderedRows(plan, workerSelect, query, bytesMax)) await sink.table(table);
    } finally {
      workerSelect.end();
    }
  }

  /** The join tables of a streamed plan. */
  async #tablesOf(plan: SelectPlan): Promise<readonly JoinTable[]> {
    const tables = await this.#joinTables(plan);
    invariant(tables !== null, 'a streamed SELECT is allowed more than one slice');
    return tables;
  }

  /** Reads the joined dimensions, one after the other; null as in `table`. */
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
    const workerSelect = this.#begin(plan, [], null);
    try {
      const whole = await workerSelect.whole(Number.MAX_SAFE_INTEGER);
      if (whole === null) return null;
      const parts = whole.map(columnsOf);
      const [ids, ...columns] = plan.outputs.map(({ type }, index) => {
        const found = parts.map(({ outputs }) => fromWire(outputs[index]));
        return toWire(concat(found, type));
      });
      return { ids, columns };
    } finally {
      workerSelect.end();
    }
  }

  #begin(
    plan: SelectPlan,
    tables: readonly JoinTable[],
    format: RowFormat | null,
    best: number | null = null,
  ): WorkerSelect {
    const { workers, nextId, slices, query, stats, partMemory, ...settled } = this.#dependencies;
    const { partitionGroupsMin, exchange } = settled;
    const settings = { runs: 'select', plan, tables, format, best, partitionGroupsMin, exchange } as const;
    return new WorkerSelect(nextId(), [...workers.all], settings, slices, query, stats, partMemory);
  }
}

/** The plan of a SELECT of a joined dimension's rows: the ID column first, then the columns that the join needs. */
function joinPlan(databaseId: number, { dimensionId, condition, columns }: Join): SelectPlan {
  const inputs: readonly Input[] = [{ from: 'entity-id', type: TEXT }, ...columns];
  return {
    databaseId,
    dimensionId,
    condition,
    filter: null,
    events: null,
    joins: [],
    inputs,
    feeds: [],
    grouping: null,
    having: null,
    outputs: inputs.map(({ type }, input) => ({
      name: String(input),
      type,
      of: { op: 'input', type, input },
    })),
    distinct: false,
    order: [],
    offset: 0,
    limit: null,
  };
}
