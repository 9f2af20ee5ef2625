/**
 * The cancellation flag and the memory account of one query while a worker runs it.
 * Invariant  operators call `check` at least once per segment of rows or events, once per some ten thousand strings,
 *            and where entries are multiplied by groups. They call `reserve` before they allocate memory that grows
 *            with rows, groups or distinct values.
 */
import { MemoryAccount, QuarryError } from '../base/index.js';
import type { EventOrders } from './event-order/event-orders.js';
import type { QueryMemories } from './query-memory.js';
import type { QuerySpill } from './spill/query-spill.js';

const refusal = (capacityBytes: number): string =>
  `the query needs more than ${capacityBytes} bytes of memory`;

/** Whether the query with a number was stopped: element `slot` in shared memory is not 0, or what a receiver of messages knows. */
export type StopFlags = Int32Array | { isStopped(slot: number): boolean };

/** What a worker has for its queries besides their memory. */
export interface QueryResources {
  /** null = operators refuse rows for which there is no memory. */
  readonly spill: QuerySpill | null;
  /** null = orders of events are built for each question. */
  readonly orders: EventOrders | null;
  /** null = memories are created for each question, without SIMD. */
  readonly memories: QueryMemories | null;
}

const NO_RESOURCES: QueryResources = { spill: null, orders: null, memories: null };

export class QueryRun extends MemoryAccount {
  readonly #stopFlags: StopFlags | null;
  readonly #slot: number;
  readonly resources: QueryResources;

  /** `stopFlags` null = the query cannot be cancelled. `resources`: by default those of the parent. */
  constructor(
    stopFlags: StopFlags | null,
    slot: number,
    capacityBytes: number,
    parent: QueryRun | null = null,
    resources: QueryResources = parent?.resources ?? NO_RESOURCES,
  ) {
    super(capacityBytes, refusal, parent);
    this.#stopFlags = stopFlags;
    this.#slot = slot;
    this.resources = resources;
  }

  get spill(): QuerySpill | null {
    return this.resources.spill;
  }

  /** Throws 9005 if the query was cancelled. */
  check(): void {
    const flags = this.#stopFlags;
    if (flags === null) return;
    const isStopped =
      flags instanceof Int32Array ? Atomics.load(flags, this.#slot) !== 0 : flags.isStopped(this.#slot);
    if (isStopped) throw new QuarryError(9005, 'the query was stopped');
  }

  /** The same query with a separate memory account, for example that of one operator. */
  override child(): QueryRun {
    return new QueryRun(this.#stopFlags, this.#slot, Number.POSITIVE_INFINITY, this);
  }
}

/** Unlimited, for changes that are already in the log and must be applied. */
export const UNBOUNDED = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
