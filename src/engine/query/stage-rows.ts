/**
 * The rows of stages that later stages read: they wait on the main thread and are sent once to each worker that reads them.
 * Rows that would leave too little memory to the stages wait in a file, which the workers read.
 * Invariant: the memory of waiting rows is reserved.
 */
import { MemoryAccount } from '../../base/index.js';
import { RowFile, readRows } from '../../exec/index.js';
import type { Table } from '../../plan/index.js';
import type { Exchange, RowsPart, SelectPart, SentPart } from '../../protocol/index.js';
import {
  bytesOfRows,
  fromWire,
  type RowsOfColumns,
  sharedWires,
  slice,
  toWire,
  type VectorKind,
  wireBytes,
} from '../../vector/index.js';
import type { WorkerApi } from '../workers/worker-client.js';
import type { RunningQuery } from './running-query.js';
import { columnsOf } from './worker-select.js';

/** Rows per part of a table. */
const PART_ROWS = 65_536;
/** Approximate bytes per message. */
const MESSAGE_BYTES = 4 * 2 ** 20;
/** Waiting rows take at most this part of the memory of a stage that reads them. */
const WAITING_PART = 2;

interface WaitingRows {
  readonly parts: RowsPart[];
  bytes: number;
  /** Above this size rows wait in the file. */
  readonly bytesMax: number;
  file: RowFile | null;
  /** Of the columns, once rows are in the file. */
  kinds: readonly VectorKind[];
  /** Workers that have the rows. */
  readonly sentTo: Set<number>;
}

export class StageRows {
  readonly #queryId: number;
  readonly #workers: readonly WorkerApi[];
  readonly #query: RunningQuery;
  readonly #memory: MemoryAccount;
  readonly #exchange: Exchange;
  readonly #stages = new Map<number, WaitingRows>();
  /** Workers may have rows. */
  #isSent = false;

  /** `workers`: those with which the query began. `bytesMax`: memory limit on the main thread. */
  constructor(
    queryId: number,
    workers: readonly WorkerApi[],
    query: RunningQuery,
    bytesMax: number,
    exchange: Exchange,
  ) {
    this.#exchange = exchange;
    this.#queryId = queryId;
    this.#workers = workers;
    this.#query = query;
    this.#memory = new MemoryAccount(
      bytesMax,
      (bytes) => `rows of the query wait to be read in more than ${bytes} bytes`,
    );
  }

  /** Bytes that the query may use besides the waiting rows. */
  get availableBytes(): number {
    return this.#memory.availableBytes;
  }

  /** Starts the rows of a stage; `add` adds them. `readerCount`: the number of workers that share the stages that read them. */
  begin(stage: number, readerCount: number): void {
    const { limitBytes } = this.#memory;
    const bytesMax = Math.min(limitBytes / WAITING_PART / readerCount, this.#query.spill.shareBytesMax);
    this.#stages.set(stage, { parts: [], bytes: 0, bytesMax, file: null, kinds: [], sentTo: new Set() });
  }

  /** Throws 189, 9002, 9006. */
  add(stage: number, part: SelectPart): void {
    const { rowCount, outputs } = columnsOf(part);
    if (rowCount > 0) this.#add(stage, { count: rowCount, columns: outputs, page: null });
  }

  #add(stage: number, part: RowsPart): void {
    const waiting = this.#waiting(stage);
    const bytes = part.columns.reduce((sum, wire) => sum + wireBytes(wire), 0);
    if (waiting.bytes + bytes > waiting.bytesMax || !this.#memory.tryReserve(bytes)) {
      waiting.parts.push(...this.#spilled(waiting, part));
      return;
    }
    waiting.bytes += bytes;
    waiting.parts.push(part);
  }

  #spilled(waiting: WaitingRows, { count, columns }: RowsPart): RowsPart[] {
    waiting.file ??= new RowFile(this.#query.spill);
    const vectors = columns.map(fromWire);
    waiting.kinds = vectors.map(({ kind }) => kind);
    const pages = waiting.file.add(vectors, count);
    return pages.map((page) => ({ count: page.rowCount, columns: [], page }));
  }

  /** Rejects with 9005, 9006. */
  async addTable(stage: number, { columns, rowCount }: Table): Promise<void> {
    for (let from = 0; from < rowCount; from += PART_ROWS) {
      const to = Math.min(rowCount, from + PART_ROWS);
      const wires = columns.map((column) => toWire(slice(column, from, to)));
      this.#add(stage, {
        count: to - from,
        columns: this.#exchange === 'shared' ? sharedWires(wires) : wires,
        page: null,
      });
      await this.#query.turn();
    }
  }

  /** Sends the rows of a stage to the workers that do not have them. Rejects with 9004, 9005, 9006. */
  async send(stage: number, workers: readonly number[]): Promise<void> {
    const { parts, kinds, sentTo } = this.#waiting(stage);
    const targets = new Set(workers.filter((worker) => !sentTo.has(worker)));
    if (targets.size === 0) return;
    this.#isSent = true;
    for (let from = 0; from === 0 || from < parts.length; ) {
      const message = messageFrom(parts, from);
      from += Math.max(1, message.length);
      const sent =
        this.#exchange === 'shared'
          ? message
          : message.map((part) => bytesOfRows(this.#inMemory(part, kinds)));
      const sentBytes = sent.reduce((sum, part) => sum + ownBytes(part), 0);
      this.#memory.reserve(sentBytes);
      await this.#query.sendAll(({ index }, bounds) =>
        targets.has(index)
          ? this.#workers[index].send('stage-rows', {
              queryId: this.#queryId,
              stage,
              parts: sent,
              // The limit of the stage that reads the rows is lower, and includes them.
              bounds: { ...bounds, bytesMax: bounds.bytesMax * this.#workers.length },
            })
          : Promise.resolve(null),
      );
      this.#memory.release(sentBytes);
    }
    for (const worker of targets) sentTo.add(worker);
  }

  /** The rows of a part, which is read if it is in the file. Throws 189. */
  #inMemory({ count, columns, page }: RowsPart, kinds: readonly VectorKind[]): RowsOfColumns {
    if (page === null) return { count, columns };
    return { count, columns: readRows(page, kinds, this.#query.spill).map((vector) => toWire(vector)) };
  }

  #waiting(stage: number): WaitingRows {
    return this.#stages.get(stage) as WaitingRows;
  }

  /** Releases the rows of these stages here and on the workers. */
  release(stages: readonly number[]): void {
    const sent = stages.filter((stage) => this.#waiting(stage).sentTo.size > 0);
    for (const stage of stages) {
      this.#memory.release(this.#waiting(stage).bytes);
      this.#waiting(stage).file?.close();
      this.#stages.delete(stage);
    }
    if (sent.length > 0) this.#endRows(sent);
  }

  /** Releases all rows. */
  releaseAll(): void {
    this.#memory.releaseAll();
    for (const { file } of this.#stages.values()) file?.close();
    this.#stages.clear();
    if (this.#isSent) this.#endRows(null);
    this.#isSent = false;
  }

  #endRows(stages: readonly number[] | null): void {
    const queryId = this.#queryId;
    for (const worker of this.#workers) worker.send('stage-rows-end', { queryId, stages }).catch(() => {});
  }
}

/** Bytes of a part besides the waiting rows. */
const ownBytes = (part: SentPart): number => (part instanceof Uint8Array ? part.byteLength : 0);

/** Parts from `from` on that travel in one message. */
function messageFrom(parts: readonly RowsPart[], from: number): readonly RowsPart[] {
  let bytes = 0;
  let to = from;
  while (to < parts.length && bytes < MESSAGE_BYTES) {
    bytes += parts[to].page?.byteCount ?? 0;
    for (const wire of parts[to].columns) bytes += wireBytes(wire);
    to++;
  }
  return parts.slice(from, to);
}
