/**
 * COPY ... FROM STDIN in progress: collects the rows as parts of insert bodies until the client has sent all.
 * Invariant: memory is reserved before a part is kept, and released when the COPY ends in any way.
 */
import { ENTITIES_PER_INSERT_MAX } from '../../../base/index.js';
import type { CopyTarget } from '../../../sql/index.js';
import { ProtocolError } from '../../protocol/errors.js';
import { GrowingReservation, type ReserveMemory } from '../growing-reservation.js';
import type { CopiedRows } from '../writes/transaction-writes.js';
import { CopyRows } from './copy-rows.js';
import type { CopyOptions } from './copy-statement.js';

const BYTES_MAX = 32 * 2 ** 20;
/** Memory per byte of a part: its text, and the body that is made of it. */
const MEMORY_PER_BYTE = 3;

export class CopyIn {
  /** Resolves when the client has sent all rows; rejects if it fails or one of them is wrong. */
  readonly whole: Promise<void>;
  readonly #rows: CopyRows;
  readonly #target: CopyTarget;
  readonly #memory: GrowingReservation;
  readonly #parts: { rowCount: number; members: string[] }[] = [];
  #byteCount = 0;
  #resolve = (): void => {};
  #reject = (_error: unknown): void => {};
  #isOver = false;

  constructor(options: CopyOptions, target: CopyTarget, reserve: ReserveMemory) {
    this.#target = target;
    this.#memory = new GrowingReservation(reserve);
    this.#rows = new CopyRows(options, (values, row) => this.#add(values, row));
    this.whole = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.whole.catch(() => {});
  }

  /** All rows were sent, or the COPY has failed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get parts(): readonly CopiedRows[] {
    return this.#parts;
  }

  get rowCount(): number {
    return this.#rows.rowCount;
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  /** Bytes of CopyData. */
  data(bytes: Uint8Array): void {
    this.#act(() => this.#rows.add(bytes));
  }

  /** CopyDone. */
  done(): void {
    this.#act(() => {
      this.#rows.end();
      this.#isOver = true;
      this.#resolve();
    });
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reject(error);
  }

  release(): void {
    this.#memory.release();
  }

  #act(act: () => void): void {
    if (this.#isOver) return;
    try {
      act();
    } catch (error) {
      this.fail(error);
    }
  }

  #add(values: readonly (string | null)[], row: number): void {
    const { columnCount } = this.#target;
    if (values.length !== columnCount) {
      throw new ProtocolError('22P04', `row ${row} has ${values.length} values for ${columnCount} columns`);
    }
    const member = this.#target.entity(values);
    this.#byteCount += member.length;
    if (this.#byteCount > BYTES_MAX) {
      throw new ProtocolError(
        '54000',
        `COPY takes at most ${BYTES_MAX} bytes, so that it takes effect whole; send the rows in several COPYs, or use quarry import`,
      );
    }
    if (!this.#memory.growTo(this.#byteCount * MEMORY_PER_BYTE)) {
      throw new ProtocolError('53200', 'the memory limit is reached; try again later');
    }
    const last = this.#parts.at(-1);
    if (last !== undefined && last.rowCount < ENTITIES_PER_INSERT_MAX) {
      last.members.push(member);
      last.rowCount++;
    } else this.#parts.push({ rowCount: 1, members: [member] });
  }
}
