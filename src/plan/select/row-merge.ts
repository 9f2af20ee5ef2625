/**
 * The rows of an ungrouped SELECT from all lanes as one list: merged in the plan's order, or as they come where there is
 * none; rows before the offset are dropped, none is taken in behind the limit. Rows that are equal in the order stand by
 * their lanes.
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
} from '../../vector/index.js';
import { mergeMemory } from '../merge-memory.js';
import { joinColumns } from './columns.js';
import { fieldsOf, type Table } from './table.js';
import { waitingRowsMemory, wireBytes } from './waiting-rows-memory.js';

/** Some rows of a lane, in the plan's order: a SelectPart of columns. */
export interface RowPart {
  readonly rowCount: number;
  readonly outputs: readonly WireVector[];
  readonly order: readonly WireVector[];
}

/** Rows of a table at most: a slice's work. */
const TABLE_ROWS_MAX = 8_192;

/** A part of which rows [next, rowCount) wait. */
interface Waiting {
  readonly lane: number;
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
  readonly #held: MemoryAccount;
  /** What waits of each lane, its next rows first. */
  readonly #lanes: Waiting[][];
  /** Without an order: all that waits, as it came. */
  readonly #arrived: Waiting[] = [];
  readonly #ended: boolean[];
  #toSkip: number;
  #toGive: number;

  /** `bytesMax`: memory that may be held for rows that were pushed and not taken yet. */
  constructor(plan: SelectPlan, laneCount: number, bytesMax: number) {
    this.#plan = plan;
    this.#held = waitingRowsMemory(bytesMax);
    this.#lanes = Array.from({ length: laneCount }, () => []);
    this.#ended = new Array<boolean>(laneCount).fill(false);
    this.#toSkip = plan.offset;
    this.#toGive = plan.limit ?? Number.POSITIVE_INFINITY;
  }

  /** More rows of a lane. Throws 9006. */
  push(lane: number, { rowCount, outputs, order }: RowPart): void {
    invariant(!this.#ended[lane], 'a lane that ended has no more rows');
    if (rowCount === 0 || this.#toGive === 0) return;
    const bytes = [...outputs, ...order].reduce((sum, vector) => sum + wireBytes(vector), 0);
    this.#held.reserve(bytes);
    const part = {
      lane,
      rowCount,
      outputs: outputs.map(fromWire),
      order: order.map(fromWire),
      bytes,
      next: 0,
    };
    this.#queueOf(lane).push(part);
  }

  /** There are no more rows of this lane. */
  end(lane: number): void {
    this.#ended[lane] = true;
  }

  /** The next rows of the answer, a few thousand at most; null = none is certain until more was pushed or ended. */
  take(): Table | null {
    while (this.#toGive > 0) {
      const runs = this.#nextRuns();
      if (runs.length === 0) return null;
      const kept = this.#withoutSkipped(runs);
      const table = kept.length === 0 ? null : this.#tableOf(kept);
      this.#release();
      if (table !== null) return table;
    }
    return null;
  }

  /** Lanes without whose next rows, or end, no more rows are certain. Without an order: all that have not ended and nothing waits. */
  get missing(): readonly number[] {
    if (this.#toGive === 0 || (this.#plan.order.length === 0 && this.#arrived.length > 0)) return [];
    return this.#lanes.flatMap((waiting, lane) => (waiting.length === 0 && !this.#ended[lane] ? [lane] : []));
  }

  /** There is nothing more to take: the limit is reached, or all lanes ended and their rows were taken. */
  get done(): boolean {
    if (this.#toGive === 0) return true;
    return (
      this.#ended.every((ended) => ended) &&
      this.#arrived.length === 0 &&
      this.#lanes.every(({ length }) => length === 0)
    );
  }

  #queueOf(lane: number): Waiting[] {
    return this.#plan.order.length === 0 ? this.#arrived : this.#lanes[lane];
  }

  /** The next rows that are certain, in their order; they wait no more. */
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
    const queues = this.#lanes.map((parts) => ({ parts, at: 0 })).filter(({ parts }) => parts.length > 0);
    for (let left = wanted; left > 0 && queues.length > 0; left--) {
      let first = 0;
      for (let index = 1; index < queues.length; index++) {
        const [held, other] = [queues[first], queues[index]];
        if (comparePlaces(order, other.parts[other.at], held.parts[held.at]) < 0) first = index;
      }
      const queue = queues[first];
      const part = queue.parts[queue.at];
      const last = runs.at(-1);
      if (last?.part === part) last.to++;
      else runs.push({ part, from: part.next, to: part.next + 1 });
      if (++part.next < part.rowCount) continue;
      queue.at++;
      if (queue.at < queue.parts.length) continue;
      // What comes next of this lane is not known, and perhaps it stands before all others.
      if (!this.#ended[part.lane]) break;
      queues.splice(first, 1);
    }
    return runs;
  }

  /** What of the runs lies behind the offset and before the limit. */
  #withoutSkipped(runs: readonly Run[]): Run[] {
    const kept: Run[] = [];
    for (const { part, from, to } of runs) {
      const skipped = Math.min(this.#toSkip, to - from);
      this.#toSkip -= skipped;
      const end = Math.min(to, from + skipped + this.#toGive);
      this.#toGive -= end - from - skipped;
      if (end > from + skipped) kept.push({ part, from: from + skipped, to: end });
    }
    return kept;
  }

  /** No larger than the parts that the runs are of, which are held meanwhile. */
  #tableOf(runs: readonly Run[]): Table {
    // What the runs hold of one part lies side by side in it.
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

  /** Forgets parts of which nothing waits; everything, when the limit is reached. */
  #release(): void {
    for (const queue of [this.#arrived, ...this.#lanes]) {
      const waits = (part: Waiting): boolean => this.#toGive > 0 && part.next < part.rowCount;
      let gone = 0;
      while (gone < queue.length && !waits(queue[gone])) this.#held.release(queue[gone++].bytes);
      queue.splice(0, gone);
    }
  }
}

/** For each row of the table its row in the parts' spans, one behind the other; `startOf`: where the span of a part begins. */
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
function comparePlaces(order: readonly SortKey[], a: Waiting, b: Waiting): number {
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

/** All rows at once, from parts each of which is in the plan's order. Throws 9006. */
export function* finishRows(plan: SelectPlan, parts: readonly RowPart[], bytesMax: number): Task<Table> {
  const merge = new RowMerge(plan, parts.length, bytesMax);
  parts.forEach((part, lane) => {
    merge.push(lane, part);
    merge.end(lane);
  });
  const tables: Table[] = [];
  for (let table = merge.take(); table !== null; table = merge.take()) {
    tables.push(table);
    yield;
  }
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
