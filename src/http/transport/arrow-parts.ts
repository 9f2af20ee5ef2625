/**
 * Divides an Arrow IPC stream into parts as its bytes arrive: a part is one record batch, behind the schema and the dictionaries that
 * apply to it. An Arrow file is read as the stream in it; its footer is ignored.
 * Invariants
 *   Schema and dictionaries (the head) are always just before the message that is read next, so that a part is one piece of memory.
 *   Memory is reserved in the budget for the head and what has arrived: at most one record batch and one chunk.
 */
import { invariant, QuarryError } from '../../base/index.js';
import {
  ARROW_ROWS_MAX,
  ArrowError,
  type ArrowMessage,
  arrowMessageAt,
  dictionaryHeadOf,
  rowCountOf,
} from '../../ingest/index.js';
import { ArrivedBytes } from './arrived-bytes.js';
import type { ByteBudget } from './body.js';
import type { BodyPart, PartSource } from './part-source.js';

/** Limit of a record batch; smaller if the server has little memory. Schema and dictionaries together may have half of it. */
export const ARROW_BATCH_BYTES_MAX = 32 * 2 ** 20;

const FILE_MAGIC = Buffer.from('ARROW1\0\0', 'latin1');

interface Message extends Pick<ArrowMessage, 'kind' | 'header'> {
  readonly end: number;
}

/** A dictionary in the head. */
interface HeadDictionary {
  readonly id: number;
  readonly at: number;
  readonly byteLength: number;
}

export class ArrowParts implements PartSource {
  readonly #arrived: ArrivedBytes;
  readonly #batchBytesMax: number;
  #fault: QuarryError | null = null;
  #atStart = true;
  #isFile = false;
  #hasSchema = false;
  /** The stream has ended; what follows is ignored. */
  #isEnded = false;
  #isOver = false;
  /** Offset of the message that is read next: the end of the head, which begins where the arrived bytes do. */
  #messageAt = 0;
  #dictionaries: HeadDictionary[] = [];
  /** The record batch at `messageAt`; null = it has not arrived. */
  #batch: { readonly end: number; readonly rowCount: number } | null = null;
  /** The end of a batch that was taken out and is still in the buffer. */
  #takenEnd: number | null = null;
  /** The message at `messageAt` is whole when as many bytes are there. */
  #awaitedEnd = 0;
  #number = 1;
  #firstRow = 1;

  constructor(budget: ByteBudget, batchBytesMax = ARROW_BATCH_BYTES_MAX) {
    this.#arrived = new ArrivedBytes(budget, batchBytesMax);
    this.#batchBytesMax = batchBytesMax;
  }

  get next(): Pick<BodyPart, 'number' | 'firstLine'> {
    return { number: this.#number, firstLine: this.#firstRow };
  }

  get fault(): QuarryError | null {
    return this.#fault;
  }

  get byteLength(): number {
    return this.#arrived.end - (this.#takenEnd ?? this.#messageAt);
  }

  get aheadBytes(): number {
    return this.hasPart && this.#batch !== null ? this.#arrived.end - this.#batch.end : 0;
  }

  add(chunk: Uint8Array): boolean {
    if (this.#isEnded) return true;
    this.#passTaken();
    const moved = this.#arrived.add(chunk);
    if (moved === null) return false;
    this.#messageAt += moved;
    this.#awaitedEnd += moved;
    this.#dictionaries = this.#dictionaries.map((one) => ({ ...one, at: one.at + moved }));
    if (this.#batch !== null) this.#batch = { ...this.#batch, end: this.#batch.end + moved };
    return true;
  }

  end(): void {
    this.#isOver = true;
  }

  get hasPart(): boolean {
    this.#passTaken();
    try {
      while (this.#batch === null && this.#fault === null && this.#passMagic()) {
        const message = this.#message();
        if (message === null) break;
        this.#read(message);
      }
    } catch (error) {
      if (!(error instanceof ArrowError)) throw error;
      this.#fault = new QuarryError(1503, `the body is no Arrow stream: ${error.message}`);
    }
    return this.#batch !== null;
  }

  take(): BodyPart {
    invariant(this.hasPart && this.#batch !== null, 'no part is whole');
    const { end, rowCount } = this.#batch;
    const { buffer, start } = this.#arrived;
    const position = { number: this.#number, firstLine: this.#firstRow, lineCount: rowCount };
    const lines = { head: 0, first: this.#firstRow };
    this.#batch = null;
    this.#takenEnd = end;
    this.#number++;
    this.#firstRow += rowCount;
    if (rowCount > ARROW_ROWS_MAX) {
      const text = `the record batch has ${rowCount} rows: at most ${ARROW_ROWS_MAX}`;
      return { ...position, lines, text: null, refusal: new QuarryError(1507, text) };
    }
    return {
      ...position,
      lines,
      text: new Uint8Array(buffer.buffer, buffer.byteOffset + start, end - start),
    };
  }

  release(): void {
    this.#arrived.release();
    this.#batch = null;
  }

  /** Moves the head behind the batch that was taken out. */
  #passTaken(): void {
    const end = this.#takenEnd;
    if (end === null) return;
    this.#takenEnd = null;
    this.#skipTo(end);
  }

  /** Discards the bytes of [messageAt, at). */
  #skipTo(at: number): void {
    const { buffer, start } = this.#arrived;
    const by = at - this.#messageAt;
    buffer.copyWithin(start + by, start, this.#messageAt);
    this.#arrived.dropTo(start + by);
    this.#dictionaries = this.#dictionaries.map((one) => ({ ...one, at: one.at + by }));
    this.#messageAt = at;
    this.#awaitedEnd = at;
  }

  /** Skips the beginning of a file. Returns false while too few bytes have arrived. */
  #passMagic(): boolean {
    if (!this.#atStart) return true;
    const { buffer, start, end } = this.#arrived;
    if (end - start < FILE_MAGIC.length && !this.#isOver) return false;
    this.#atStart = false;
    this.#isFile = buffer.subarray(start, Math.min(end, start + FILE_MAGIC.length)).equals(FILE_MAGIC);
    this.#messageAt = start + (this.#isFile ? FILE_MAGIC.length : 0);
    this.#arrived.dropTo(this.#messageAt);
    return true;
  }

  /** The message at `messageAt`; null = it has not arrived, or there is none. Throws ArrowError. */
  #message(): Message | null {
    const { buffer, end } = this.#arrived;
    if (this.#isEnded || (end < this.#awaitedEnd && !this.#isOver)) return null;
    const message = arrowMessageAt(buffer.subarray(0, end), this.#messageAt);
    if (message === 'end') {
      this.#isEnded = true;
      if (!this.#hasSchema) throw new ArrowError('it has no schema');
      return null;
    }
    const messageEnd = message === null ? null : message.bodyAt + message.bodyBytes;
    if (messageEnd !== null && messageEnd - this.#messageAt > this.#batchBytesMax) {
      const text = `the record batch from row ${this.#firstRow} on has more than ${this.#batchBytesMax} bytes`;
      this.#fault = new QuarryError(1507, `${text}: write smaller ones`);
      return null;
    }
    if (message === null || messageEnd === null || messageEnd > end) {
      this.#awaitedEnd = messageEnd ?? 0;
      if (this.#isOver) this.#endInside();
      return null;
    }
    return { ...message, end: messageEnd };
  }

  #endInside(): void {
    if (this.#messageAt < this.#arrived.end) throw new ArrowError('it ends inside a message');
    if (!this.#hasSchema) throw new ArrowError('it has no schema');
  }

  #read({ kind, header, end }: Message): void {
    if ((kind === 'schema') === this.#hasSchema) {
      throw new ArrowError(kind === 'schema' ? 'it has two schemas' : this.#withoutSchema);
    }
    switch (kind) {
      case 'schema':
        this.#hasSchema = true;
        this.#takeIntoHead(end);
        return;
      case 'dictionary': {
        const { id, isDelta } = dictionaryHeadOf(header);
        if (isDelta) throw new ArrowError('it has deltas of dictionaries: write whole dictionaries');
        this.#dropDictionary(id);
        const at = this.#messageAt;
        this.#dictionaries.push({ id, at, byteLength: end - at });
        this.#takeIntoHead(end);
        return;
      }
      case 'batch': {
        this.#batch = { end, rowCount: rowCountOf(header) };
      }
    }
  }

  get #withoutSchema(): string {
    return this.#isFile ? 'a file must have its schema at the beginning' : 'it does not begin with a schema';
  }

  #takeIntoHead(end: number): void {
    this.#messageAt = end;
    this.#awaitedEnd = end;
    if (end - this.#arrived.start > this.#batchBytesMax / 2) {
      throw new ArrowError(`its schema and dictionaries have more than ${this.#batchBytesMax / 2} bytes`);
    }
  }

  /** Removes a dictionary that is replaced: the head before it moves up. */
  #dropDictionary(id: number): void {
    const old = this.#dictionaries.find((one) => one.id === id);
    if (old === undefined) return;
    const { buffer, start } = this.#arrived;
    const { at, byteLength } = old;
    buffer.copyWithin(start + byteLength, start, at);
    this.#arrived.dropTo(start + byteLength);
    this.#dictionaries = this.#dictionaries
      .filter((one) => one !== old)
      .map((one) => (one.at < at ? { ...one, at: one.at + byteLength } : one));
  }
}
