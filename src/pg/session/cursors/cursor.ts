/**
 * One cursor: the answer of a query, read as far as the client fetches. The rows that are not fetched yet are in the spool of the
 * answer. A cursor with SCROLL keeps the rows that were read, in reserved memory, and returns to them.
 * Invariant: the position is 0 before the first row, the number of the row that was fetched last (from 1), or one more than the
 * number of rows after the last one.
 */
import { ProtocolError } from '../../protocol/errors.js';
import { rowsWithin } from '../answer.js';
import { GrowingReservation, type ReserveMemory } from '../growing-reservation.js';
import { leavePortal, nextRows, type Portal } from '../portal.js';
import type { Waiting } from '../waiting.js';

/** Rows to fetch: some in one direction, or one at a position. `count` may be Infinity. */
export type Fetch =
  | { readonly is: 'forward' | 'backward'; readonly count: number }
  /** From 1; from the end if negative. */
  | { readonly is: 'absolute'; readonly row: number }
  | { readonly is: 'relative'; readonly rows: number };

/** Memory of the rows that a cursor with SCROLL keeps. */
const RETAINED_BYTES_MAX = 64 * 2 ** 20;

const noScroll = (): ProtocolError =>
  new ProtocolError(
    '55000',
    'cursor can only scan forward',
    'Declare it with SCROLL option to enable backward scan.',
  );

/** The rows that were read, for random access. */
class RetainedRows {
  readonly #rows: Buffer[] = [];
  readonly #memory: GrowingReservation;
  #byteCount = 0;

  constructor(reserve: ReserveMemory) {
    this.#memory = new GrowingReservation(reserve);
  }

  get count(): number {
    return this.#rows.length;
  }

  /** Row `number`, from 1. */
  row(number: number): Buffer {
    return this.#rows[number - 1];
  }

  /** Throws 53200. */
  add(rows: Buffer): void {
    const { rowCount } = rowsWithin(rows, Number.POSITIVE_INFINITY);
    // A view of a buffer takes about 100 bytes.
    this.#byteCount += rows.length + 100 * rowCount;
    if (this.#byteCount > RETAINED_BYTES_MAX || !this.#memory.growTo(this.#byteCount)) {
      throw new ProtocolError(
        '53200',
        `a cursor with SCROLL keeps at most ${RETAINED_BYTES_MAX} bytes of rows, and the memory limit applies; declare it with NO SCROLL`,
      );
    }
    for (let at = 0; at < rows.length; ) {
      const { end } = rowsWithin(rows.subarray(at), 1);
      this.#rows.push(rows.subarray(at, at + end));
      at += end;
    }
  }

  release(): void {
    this.#memory.release();
    this.#rows.length = 0;
  }
}

export class Cursor {
  readonly portal: Portal;
  readonly withHold: boolean;
  readonly isBinary: boolean;
  readonly #retained: RetainedRows | null;
  #position = 0;
  /** The number of rows; null = not known yet. */
  #rowCount: number | null = null;

  /** The portal has an open answer. `reserve` null = NO SCROLL. */
  constructor(
    portal: Portal,
    options: { withHold: boolean; isBinary: boolean; reserve: ReserveMemory | null },
  ) {
    this.portal = portal;
    this.withHold = options.withHold;
    this.isBinary = options.isBinary;
    this.#retained = options.reserve === null ? null : new RetainedRows(options.reserve);
  }

  /** The rows as complete DataRow messages in text. A cancellation of `waiting` cancels the query of the cursor. */
  async *fetch(fetch: Fetch, waiting: Waiting): AsyncGenerator<Buffer, void, void> {
    const forget = waiting.alsoOnCancel(() => this.portal.waiting.cancel(waiting.isLate));
    try {
      if (fetch.is === 'backward') yield* this.#backward(fetch.count);
      else if (fetch.is === 'forward' && fetch.count > 0) yield* this.#forward(fetch.count);
      else if (fetch.is === 'absolute') yield* this.#single(await this.#absolute(fetch.row));
      else yield* this.#single(this.#position + (fetch.is === 'relative' ? fetch.rows : 0));
    } finally {
      forget();
    }
  }

  close(): void {
    leavePortal(this.portal);
    this.#retained?.release();
  }

  async *#forward(count: number): AsyncGenerator<Buffer, void, void> {
    let left = count;
    while (left > 0) {
      const rows = this.#retained === null ? await this.#next(left) : await this.#rowAt(this.#position + 1);
      if (rows === null) {
        this.#position = (this.#rowCount ?? 0) + 1;
        return;
      }
      const rowCount = this.#retained === null ? rowsWithin(rows, Number.POSITIVE_INFINITY).rowCount : 1;
      this.#position += rowCount;
      left -= rowCount;
      yield rows;
    }
  }

  async *#backward(count: number): AsyncGenerator<Buffer, void, void> {
    if (this.#retained === null) throw noScroll();
    const last = Math.max(0, this.#position - count);
    while (this.#position > last) {
      this.#position--;
      if (this.#position > 0) yield this.#retained.row(this.#position);
    }
  }

  /** Moves to a row and returns it, if there is one. */
  async *#single(target: number): AsyncGenerator<Buffer, void, void> {
    if (target < 1) {
      if (this.#retained === null && this.#position > 0) throw noScroll();
      this.#position = 0;
      return;
    }
    if (this.#retained === null) {
      if (target <= this.#position) throw noScroll();
      for await (const _passed of this.#forward(target - this.#position - 1));
      yield* this.#forward(1);
      return;
    }
    const row = await this.#rowAt(target);
    this.#position = row === null ? (this.#rowCount ?? 0) + 1 : target;
    if (row !== null) yield row;
  }

  async #absolute(row: number): Promise<number> {
    if (row >= 0) return row;
    if (this.#retained === null) throw noScroll();
    await this.#rowAt(Number.POSITIVE_INFINITY);
    return (this.#rowCount ?? 0) + 1 + row;
  }

  /** A retained row, read if necessary; null = there is none. */
  async #rowAt(number: number): Promise<Buffer | null> {
    const retained = this.#retained as RetainedRows;
    while (retained.count < number) {
      const rows = await this.#next(Number.POSITIVE_INFINITY);
      if (rows === null) return null;
      retained.add(rows);
    }
    return retained.row(number);
  }

  /** At most `count` rows that were not read yet; null = there are none. */
  async #next(count: number): Promise<Buffer | null> {
    const { portal } = this;
    const { answer } = portal;
    if (answer === null || portal.isOver) return null;
    if (portal.unsentRows.length === 0 && !(await nextRows(portal, answer))) {
      portal.isOver = true;
      this.#rowCount = portal.rowCount;
      answer.over(null, portal.rowCount);
      return null;
    }
    const { rowCount, end } = rowsWithin(portal.unsentRows, count);
    const rows = portal.unsentRows.subarray(0, end);
    portal.unsentRows = portal.unsentRows.subarray(end);
    portal.rowCount += rowCount;
    return rows;
  }
}
