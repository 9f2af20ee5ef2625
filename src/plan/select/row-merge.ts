/**
 * Merges the rows of an ungrouped SELECT from all workers: in the plan's order, or in order of arrival without one.
 * Rows before the offset are dropped, and rows after the limit are not accepted. Ties are ordered by worker.
 */

import { invariant, type MemoryAccount, type Task } from '../../base/index.js';
import type { SelectPlan, SortKey } from '../../ir/index.js';
import {
  compareRows,
  concat,
  fromWire,
  gather,
  slice,
  type Vector,
  type WireVector,
  wireBytes,
} from '../../vector/index.js';
import { mergeMemory } from '../merge-memory.js';
import { joinColumns } from './columns.js';
import { fieldsOf, type Table } from './table.js';
import { waitingRowsMemory } from './waiting-rows-memory.js';

/** Rows of a worker in the plan's order: a SelectPart of columns. */
export interface RowPart {
  readonly rowCount: number;
  readonly outputs: readonly WireVector[];
  readonly order: readonly WireVector[];
}

/** The largest number of rows of a table: one slice of work. */
const TABLE_ROWS_MAX = 8_192;

/** A part whose rows [next, rowCount) are not yet taken. */
interface Waiting {
  readonly worker: number;
  readonly rowCount: number;
  readonly outputs: readonly Vector[];
  readonly order: readonly Vector[];
  readonly bytes: number;
  next: number;
}

/** Rows [from, to) of a part. */
interface Run {
  readonly part: Waiting;
  readonly from: number;
  to: number;
}

export class RowMerge {
  readonly #plan: SelectPlan;
  readonly #account: MemoryAccount;
  /** By worker: parts with rows not yet taken, next rows first. */
  readonly #workers: Waiting[][];
  /** Without an order: all such parts in order of arrival. */
  readonly #arrived: Waiting[] = [];
  readonly #ended: boolean[];
  #toSkip: number;
  #toGive: number;

  /** `bytesMax`: memory limit for rows that were pushed and not yet taken. */
  constructor(plan: SelectPlan, workerCount: number, bytesMax: number) {
    this.#plan = plan;
    this.#account = waitingRowsMemory(bytesMax);
    this.#workers = Array.from({ length: workerCount }, () => []);
    this.#ended = new Array<boolean>(workerCount).fill(false);
    this.#toSkip = plan.offset;
    this.#toGive = plan.limit ?? Number.POSITIVE_INFINITY;
  }

  /** Adds rows of a worker. Throws 9006. */
  push(worker: number, { rowCount, outputs, order }: RowPart): void {
    invariant(!this.#ended[worker], 'a worker that ended has no more rows');
    if (rowCount === 0 || this.#toGive === 0) return;
    const bytes = [...outputs, ...order].reduce((sum, vector) => sum + wireBytes(vector), 0);
    this.#account.reserve(bytes);
    const part = {
      worker,
      rowCount,
      outputs: outputs.map(fromWire),
      order: order.map(fromWire),
      bytes,
      next: 0,
    };
    this.#queueOf(worker).push(part);
  }

  /** Marks that this worker has no more rows. */
  end(worker: number): void {
    this.#ended[worker] = true;
  }

  /**
   * The next rows of the result, at most a few thousand; null = none is certain until more rows are pushed or a
   * worker ends.
   */
  take(): Table | null {
    while (this.#toGive > 0) {
      const runs = this.#nextRuns();
      if (runs.length === 0) return null;
      const retained = this.#withoutSkipped(runs);
      const table = retained.length === 0 ? null : this.#tableOf(retained);
      this.#release();
      if (table !== null) return table;
    }
    return null;
  }

  /**
   * The workers whose next rows, or whose end, must be known before more rows are certain. Without an order: all
   * workers that have not ended and have no rows waiting.
   */
  get missing(): readonly number[] {
    if (this.#toGive === 0 || (this.#plan.order.length === 0 && this.#arrived.length > 0)) return [];
    return this.#workers.flatMap((waiting, worker) =>
      waiting.length === 0 && !this.#ended[worker] ? [worker] : [],
    );
  }

  /** Whether all rows were taken: the limit is reached, or all workers ended. */
  get done(): boolean {
    if (this.#toGive === 0) return true;
    return (
      this.#ended.every((ended) => ended) &&
      this.#arrived.length === 0 &&
      this.#workers.every(({ length }) => length === 0)
    );
  }

  #queueOf(worker: number): Waiting[] {
    return this.#plan.order.length === 0 ? this.#arrived : this.#workers[worker];
  }

  /** Removes and returns the next rows that are certain, in order. */
  #nextRuns(): Run[] {
    const wanted = Math.min(TABLE_ROWS_MAX, this.#toSkip + this.#toGive);
    return this.#plan.order.length === 0 ? this.#nextArrived(wanted) : this.#nextInOrder(wanted);
  }

  #nextArrived(wanted: number): Run[] {
    const runs: Run[] = [];
    let left = wanted;
    for (const part of this.#arrived) {
      if (left === 0) break;
      const to = Math.min(part.rowCount, part.next + left);
      runs.push({ part, from: part.next, to });
      left -= to - part.next;
      part.next = to;
    }
    return runs;
  }

  #nextInOrder(wanted: number): Run[] {
    const runs: Run[] = [];
    if (this.missing.length > 0) return runs;
    const { order } = this.#plan;
    const queues = this.#workers.map((parts) => ({ parts, at: 0 })).filter(({ parts }) => parts.length > 0);
    for (let left = wanted; left > 0 && queues.length > 0; left--) {
      let first = 0;
      for (let index = 1; index < queues.length; index++) {
        const [best, other] = [queues[first], queues[index]];
        if (compareNextRows(order, other.parts[other.at], best.parts[best.at]) < 0) first = index;
      }
      const queue = queues[first];
      const part = queue.parts[queue.at];
      const last = runs.at(-1);
      if (last?.part === part) last.to++;
      else runs.push({ part, from: part.next, to: part.next + 1 });
      if (++part.next < part.rowCount) continue;
      queue.at++;
      if (queue.at < queue.parts.length) continue;
      // This worker's next rows are unknown and may precede all others.
      if (!this.#ended[part.worker]) break;
      queues.splice(first, 1);
    }
    return runs;
  }

  /** The parts of the runs after the offset and before the limit. */
  #withoutSkipped(runs: readonly Run[]): Run[] {
    const retained: Run[] = [];
    for (const { part, from, to } of runs) {
      const skipped = Math.min(this.#toSkip, to - from);
      this.#toSkip -= skipped;
      const end = Math.min(to, from + skipped + this.#toGive);
      this.#toGive -= end - from - skipped;
      if (end > from + skipped) retained.push({ part, from: from + skipped, to: end });
    }
    return retained;
  }

  /** The table is no larger than the parts of the runs, which are already accounted for. */
  #tableOf(runs: readonly Run[]): Table {
    // The rows of the runs from one part are contiguous in it.
    const spans = new Map<Waiting, { from: number; to: number; at: number }>();
    for (const { part, from, to } of runs) {
      const span = spans.get(part);
      if (span === undefined) spans.set(part, { from, to, at: 0 });
      else span.to = to;
    }
    let rowCount = 0;
    for (const span of spans.values()) {
      span.at = rowCount;
      rowCount += span.to - span.from;
    }
    const rows = rowsOfRuns(runs, (part) => spans.get(part)?.at ?? 0, rowCount);
    const columns = this.#plan.outputs.map(({ type }, index) => {
      const slices = [...spans].map(([{ outputs }, { from, to }]) => slice(outputs[index], from, to));
      return spans.size === 1 ? slices[0] : gather(concat(slices, type), rows, rowCount);
    });
    return { fields: fieldsOf(this.#plan), columns, rowCount };
  }

  /** Drops parts without waiting rows, or all parts if the limit is reached. */
  #release(): void {
    for (const queue of [this.#arrived, ...this.#workers]) {
      const waits = (part: Waiting): boolean => this.#toGive > 0 && part.next < part.rowCount;
      let gone = 0;
      while (gone < queue.length && !waits(queue[gone])) this.#account.release(queue[gone++].bytes);
      queue.splice(0, gone);
    }
  }
}

/** For each row of the table, its row in the concatenated spans of the parts; `startOf`: the start of a part's span. */
function rowsOfRuns(runs: readonly Run[], startOf: (part: Waiting) => number, count: number): Uint32Array {
  const rows = new Uint32Array(count);
  const next = new Map<Waiting, number>();
  let at = 0;
  for (const { part, from, to } of runs) {
    let row = next.get(part) ?? startOf(part);
    for (let left = to - from; left > 0; left--) rows[at++] = row++;
    next.set(part, row);
  }
  return rows;
}

/** Compares the next rows of two parts. */
function compareNextRows(order: readonly SortKey[], a: Waiting, b: Waiting): number {
  for (let index = 0; index < order.length; index++) {
    const [left, right] = [a.order[index], b.order[index]];
    const present = left.valid === null || left.valid[a.next] === 1;
    const otherPresent = right.valid === null || right.valid[b.next] === 1;
    if (present !== otherPresent) return present ? -1 : 1;
    if (!present) continue;
    const difference = compareRows(left, a.next, right, b.next);
    if (difference !== 0) return order[index].descending ? -difference : difference;
  }
  return 0;
}

/** Merges all rows at once, from parts that are each in the plan's order. Throws 9006. */
export function* finishRows(plan: SelectPlan, parts: readonly RowPart[], bytesMax: number): Task<Table> {
  const merge = new RowMerge(plan, parts.length, bytesMax);
  parts.forEach((part, worker) => {
    merge.push(worker, part);
    merge.end(worker);
  });
  const tables: Table[] = [];
  for (let table = merge.take(); table !== null; table = merge.take()) {
    tables.push(table);
    yield;
  }
  return yield* concatTables(plan, tables, bytesMax);
}

/** The rows of all tables in one. `bytesMax`: memory limit of the copy. Throws 9006. */
export function* concatTables(plan: SelectPlan, tables: readonly Table[], bytesMax: number): Task<Table> {
  if (tables.length === 1) return tables[0];
  const budget = mergeMemory(bytesMax);
  const columns: Vector[] = [];
  for (const [index, { type }] of plan.outputs.entries()) {
    const column = joinColumns(
      tables.map(({ columns }) => columns[index]),
      type,
      budget,
    );
    columns.push(yield* column);
  }
  return {
    fields: fieldsOf(plan),
    columns,
    rowCount: tables.reduce((sum, { rowCount }) => sum + rowCount, 0),
  };
}
