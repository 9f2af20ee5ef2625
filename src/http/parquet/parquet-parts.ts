/**
 * Divides a Parquet file into parts: it is collected, then read on a thread as record batches of Arrow, each of which is a part.
 * Memory is reserved in the budget for the bytes that have arrived, until the thread has a copy of them, and for one record batch.
 * Invariant: the parts are the same, whatever the limits; rows for which there is too little memory end the body.
 */
import { QuarryError } from '../../base/index.js';
import { ArrivedBytes } from '../transport/arrived-bytes.js';
import { ArrowParts } from '../transport/arrow-parts.js';
import { type ByteBudget, TOO_MANY_BODIES } from '../transport/body.js';
import type { BodyPart, PartSource } from '../transport/part-source.js';
import type { ParquetReading, ParquetThreads } from './parquet-threads.js';

const AHEAD_BYTES_MAX = 2 ** 24;
const MAGIC = 'PAR1';
const ENCRYPTED_MAGIC = 'PARE';
/** Length of the footer and magic, at the end. */
const TAIL_BYTES = 8;

export class ParquetParts implements PartSource {
  readonly #threads: ParquetThreads;
  readonly #file: ArrivedBytes;
  readonly #rows: ArrowParts;
  #fault: QuarryError | null = null;
  #reading: ParquetReading | null = null;
  #coming: Promise<void> | null = null;
  #isReleased = false;

  constructor(budget: ByteBudget, threads: ParquetThreads) {
    this.#threads = threads;
    this.#file = new ArrivedBytes(budget, AHEAD_BYTES_MAX);
    this.#rows = new ArrowParts(budget, threads.batchBytesMax);
  }

  get next(): Pick<BodyPart, 'number' | 'firstLine'> {
    return this.#rows.next;
  }

  get fault(): QuarryError | null {
    return this.#fault ?? this.#rows.fault;
  }

  get byteLength(): number {
    return this.#file.byteLength + this.#rows.byteLength;
  }

  get aheadBytes(): number {
    return this.#rows.aheadBytes;
  }

  get hasPart(): boolean {
    return this.#rows.hasPart;
  }

  get coming(): Promise<void> | null {
    return this.#coming;
  }

  add(chunk: Uint8Array): boolean {
    if (this.#fault !== null) return true;
    const { fileBytesMax } = this.#threads;
    if (this.#file.byteLength + chunk.length > fileBytesMax) {
      this.#fault = new QuarryError(
        1507,
        `a Parquet file may have ${fileBytesMax} bytes as a body: divide it, or use quarry import`,
      );
      return true;
    }
    return this.#file.add(chunk) !== null;
  }

  end(): void {
    if (this.#fault !== null) return;
    this.#fault = faultOf(this.#bytes);
    if (this.#fault === null) this.#coming = this.#open();
  }

  take(): BodyPart {
    const part = this.#rows.take();
    // The thread reads the next record batch while this one is inserted.
    this.#coming ??= this.#read();
    return part;
  }

  release(): void {
    this.#isReleased = true;
    this.#reading?.close();
    this.#file.release();
    this.#rows.release();
  }

  get #bytes(): Buffer {
    return this.#file.buffer.subarray(this.#file.start, this.#file.end);
  }

  async #open(): Promise<void> {
    try {
      this.#reading = await this.#threads.open(() => (this.#isReleased ? null : this.#bytes));
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#file.release();
    if (this.#isReleased) this.#reading?.close();
    else await this.#read();
  }

  /** Reads the next record batch. */
  async #read(): Promise<void> {
    try {
      const messages = (await this.#reading?.next()) ?? null;
      if (this.#isReleased) return;
      if (messages === null) this.#rows.end();
      else if (messages.length > this.#threads.batchBytesMax) throw this.#tooLong();
      else if (!this.#rows.add(messages)) throw new QuarryError(9003, TOO_MANY_BODIES);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#coming = null;
    }
  }

  #tooLong(): QuarryError {
    const { batchBytesMax } = this.#threads;
    const text = `the rows from row ${this.next.firstLine} on take more than ${batchBytesMax} bytes of memory, which is the limit of a part`;
    return new QuarryError(1507, `${text}: write smaller row groups, or set a larger memory limit`);
  }

  /** Throws a bug. */
  #fail(error: unknown): void {
    this.#coming = null;
    if (!(error instanceof QuarryError)) throw error;
    this.#fault = error;
  }
}

/** What is wrong with the frame of a file; null = nothing. */
function faultOf(file: Buffer): QuarryError | null {
  const wrong = (why: string): QuarryError => new QuarryError(1503, `the body is no Parquet file: ${why}`);
  const first = file.toString('latin1', 0, MAGIC.length);
  const last = file.toString('latin1', Math.max(0, file.length - MAGIC.length));
  if (first === ENCRYPTED_MAGIC || last === ENCRYPTED_MAGIC) return wrong('it is encrypted');
  if (first !== MAGIC) return wrong(`it does not begin with ${MAGIC}`);
  if (last !== MAGIC || file.length < MAGIC.length + TAIL_BYTES)
    return wrong(`it does not end with ${MAGIC}: it may have been cut off`);
  const footerBytes = file.readUInt32LE(file.length - TAIL_BYTES);
  if (footerBytes > file.length - MAGIC.length - TAIL_BYTES)
    return wrong('its footer is longer than the file');
  return null;
}
