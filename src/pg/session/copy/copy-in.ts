/**
 * COPY ... FROM STDIN in progress: collects the rows as parts of insert bodies until the client has sent all.
 * Invariant: memory is reserved before a part is kept, and released when the COPY ends in any way.
 */
import { ENTITIES_PER_INSERT_MAX } from '../../../base/index.js';
import type { CopyTarget, Misfit } from '../../../sql/index.js';
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
  readonly #table: string;
  readonly #target: CopyTarget;
  readonly #memory: GrowingReservation;
  readonly #parts: { rowCount: number; members: string[] }[] = [];
  #byteCount = 0;
  #resolve = (): void => {};
  #reject = (_error: unknown): void => {};
  #isOver = false;

  /** `table`: its name as written, for errors. */
  constructor(options: CopyOptions, table: string, target: CopyTarget, reserve: ReserveMemory) {
    this.#table = table;
    this.#target = target;
    this.#memory = new GrowingReservation(reserve);
    this.#rows = new CopyRows(options, (values, line, text) => this.#add(values, line, text));
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

  #add(values: readonly (string | null)[], line: number, text: string): void {
    this.#check(values, line, text);
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

  /** Throws the errors of PostgreSQL for a row that does not fit its columns. */
  #check(values: readonly (string | null)[], line: number, text: string): void {
    const { names, idAt } = this.#target;
    const row = `COPY ${this.#table}, line ${line}`;
    const refused = (state: string, message: string, context = `${row}: ${shown(text)}`): ProtocolError =>
      new ProtocolError(state, message, null, null, context);
    if (values.length < names.length) {
      throw refused('22P04', `missing data for column ${JSON.stringify(names[values.length])}`);
    }
    if (values.length > names.length) throw refused('22P04', 'extra data after last expected column');
    if (values[idAt] === null) {
      const column = JSON.stringify(names[idAt]);
      const table = JSON.stringify(this.#table);
      throw refused(
        '23502',
        `null value in column ${column} of relation ${table} violates not-null constraint`,
      );
    }
    const misfit = this.#target.misfit(values);
    if (misfit === null) return;
    const { index, type, why } = misfit;
    const value = values[index] ?? '';
    const [state, message] = messageOf(type, why, value);
    throw refused(state, message, `${row}, column ${names[index]}: ${shown(value)}`);
  }
}

/** SQLSTATE and message of PostgreSQL for a text that is no value of a type. */
function messageOf(type: Misfit['type'], why: Misfit['why'], text: string): readonly [string, string] {
  const isTime = type === 'date' || type === 'timestamp with time zone';
  if (why === 'form') {
    return [isTime ? '22007' : '22P02', `invalid input syntax for type ${type}: "${text}"`];
  }
  if (isTime) return ['22008', `date/time field value out of range: "${text}"`];
  return ['22003', `value "${text}" is out of range for type ${type}`];
}

const SHOWN_CHARS_MAX = 100;

const shown = (text: string): string =>
  text.length <= SHOWN_CHARS_MAX ? `"${text}"` : `"${text.slice(0, SHOWN_CHARS_MAX)}..."`;
