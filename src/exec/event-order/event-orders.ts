/**
 * The orders of event tables by entity and date that a worker retains for the next questions. The sealed segments of a table
 * have one order, which is built again when an eighth as many events have come; the newest segments have another.
 * Invariant  a retained order equals one that is built now: it is used only while its segments have not changed.
 * Memory     an order is reserved in the query that builds it, and afterwards belongs to the worker, whose orders together
 *            take at most a quarter of what a query may use, or 16 MiB; what exceeds that is built for each query. Orders of
 *            tables that have changed since are released by the next question.
 */
import type { EventSegment, EventTable } from '../../storage/index.js';
import { EntityOrder, type OrderRun } from './entity-order.js';

const RETAINED_BYTES_MIN = 16 * 2 ** 20;
const RETAINED_PART = 4;
/** The order of the sealed segments is used while the others have at most so many events. */
const REST_MIN = 131_072;
const REST_PART = 8;

interface RetainedOrder {
  /** null = there are too few events. */
  readonly base: EntityOrder | null;
  /** The segments behind those of `base`. */
  readonly rest: EntityOrder | null;
}

/** Limits that tests lower. */
export interface EventOrderBounds {
  readonly restMin?: number;
  readonly retainedBytesMin?: number;
}

/** A run that has a limit, as a query. */
export interface LimitedRun extends OrderRun {
  readonly limitBytes: number;
}

export class EventOrders {
  /** In the order of their last use. */
  readonly #retained = new Map<EventTable, RetainedOrder>();
  readonly #restMin: number;
  readonly #retainedBytesMin: number;

  constructor({ restMin = REST_MIN, retainedBytesMin = RETAINED_BYTES_MIN }: EventOrderBounds = {}) {
    this.#restMin = restMin;
    this.#retainedBytesMin = retainedBytesMin;
  }

  /** The events of the table in one or two orders, each of other segments. Throws 9005, 9006. */
  of(table: EventTable, rowEnd: number, run: LimitedRun): readonly EntityOrder[] {
    const { segments } = table;
    const retained = this.#retained.get(table);
    this.#retained.delete(table);
    const built: EntityOrder[] = [];
    const build = (own: readonly EventSegment[]): EntityOrder => {
      const order = new EntityOrder(own, rowEnd, run);
      built.push(order);
      return order;
    };
    let base = retained?.base ?? null;
    if (base !== null && !this.#isUsable(base, segments)) base = null;
    if (base === null && countOf(segments) > this.#restMin)
      base = build(segments.filter(({ sealed }) => sealed));
    const others = segments.slice(base?.segments.length ?? 0);
    let rest = retained?.rest ?? null;
    if (rest === null || rest.segments.length !== others.length || !rest.isPrefixOf(others)) {
      rest = countOf(others) === 0 ? null : build(others);
    }
    this.#retain(table, { base, rest }, built, run);
    return [base, rest].filter((order) => order !== null);
  }

  #isUsable(base: EntityOrder, segments: readonly EventSegment[]): boolean {
    const rest = countOf(segments.slice(base.segments.length));
    return base.isPrefixOf(segments) && rest <= Math.max(this.#restMin, base.eventCount / REST_PART);
  }

  /** What does not fit stays in the account of the query. */
  #retain(table: EventTable, order: RetainedOrder, built: readonly EntityOrder[], run: LimitedRun): void {
    for (const [other, { base, rest }] of this.#retained) {
      const first = base ?? rest;
      if (first === null || !first.isPrefixOf(other.segments)) this.#retained.delete(other);
    }
    const capacity = Math.max(this.#retainedBytesMin, run.limitBytes / RETAINED_PART);
    const bytes = bytesOf(order);
    if (bytes > capacity) return;
    let used = bytes;
    for (const own of this.#retained.values()) used += bytesOf(own);
    for (const [least, own] of this.#retained) {
      if (used <= capacity) break;
      this.#retained.delete(least);
      used -= bytesOf(own);
    }
    this.#retained.set(table, order);
    for (const { bytes: reserved } of built) run.release(reserved);
  }
}

const countOf = (segments: readonly EventSegment[]): number =>
  segments.reduce((sum, { eventCount }) => sum + eventCount, 0);

const bytesOf = ({ base, rest }: RetainedOrder): number => (base?.bytes ?? 0) + (rest?.bytes ?? 0);
