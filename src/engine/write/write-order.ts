/**
 * The order in which all writes take effect: a record is appended to the log, and when it is durable it is sent to the
 * workers, both in LSN order.
 * Invariants
 *   A write is answered after its record is durable and every worker applied it.
 *   Records are sent to the workers in LSN order, each in one turn to all workers; a query is sent to all workers in one
 *   turn too, so it reads one LSN everywhere. While a query is inside the write barrier, records wait at it.
 *   Writes are checked against `head` (all records given to the log), reads see `visible` (all durable ones).
 *   If a worker dies before it applied a record, its rebuild applies the record from the log, and the worker's part of the
 *   answer comes from that replay.
 */
import { invariant } from '../../base/index.js';
import { applyChanges, type Catalog, type CatalogChange, EMPTY_CATALOG } from '../../catalog/index.js';
import { encodeRecordPayload } from '../../format/index.js';
import type { DimensionKey } from '../../storage/index.js';
import type { Log } from '../../wal/index.js';
import { addCounts, applyToWorker, type StepCounts } from '../lifecycle/replay.js';
import type { WriteBarrier } from '../query/write-barrier.js';
import type { ReplayedCounts } from '../workers/rebuild.js';
import { type WorkerApi, WorkerDownError } from '../workers/worker-client.js';
import type { WorkerClients } from '../workers/worker-clients.js';
import { DataVersions, type TouchedDimensions } from './data-versions.js';

/** The changes of a record, and how it is applied when it is durable. */
export interface Write {
  /** null = the record changes no rows. */
  readonly touches: TouchedDimensions | null;
  /** Changes of the catalog by this record. */
  readonly changes: readonly CatalogChange[];
  /** The record deletes data, which must be removed from the log too. */
  readonly deletes?: boolean;
  /** The answer of the record depends on the data at its LSN. */
  readonly evaluates?: boolean;
  /** Called with the LSN in the turn in which the record is appended. */
  readonly appended?: (lsn: number) => void;
  /** Sends the record's part to a worker; resolves with the number of entities changed there. null = no part for this worker. */
  readonly send: (worker: WorkerApi) => Promise<StepCounts> | null;
  /** Called when all workers have applied the record, with the number of entities that it changed. */
  readonly applied: (lsn: number, counts: StepCounts) => void;
}

/** How long a writer that appends alone makes others wait. */
const PAUSE_MS_MAX = 200;

export class WriteOrder {
  readonly #workers: WorkerClients;
  readonly #rebuilding: () => ReadonlyMap<number, Promise<ReplayedCounts>>;
  readonly #sent: (lsn: number, write: Write) => void;
  readonly #barrier: WriteBarrier;
  #openedLog: Log | null = null;
  /** Pending while one writer appends alone. */
  #pause: Promise<void> | null = null;
  #head: Catalog = EMPTY_CATALOG;
  #visible: Catalog = EMPTY_CATALOG;
  #lsnApplied = 0;
  #lsnSent = 0;
  /** The records passed to the log, by the dimensions whose rows they change. */
  readonly #appended = new DataVersions();
  /** The last record that was passed to the log. */
  #last: Promise<unknown> = Promise.resolve();
  /** Records that were sent and that not all workers have applied yet, by LSN. */
  readonly #underWay = new Map<number, Promise<unknown>>();

  /** `rebuilding` returns the workers that are being rebuilt. `sent` is called after a record was sent to the workers. */
  constructor(
    workers: WorkerClients,
    rebuilding: () => ReadonlyMap<number, Promise<ReplayedCounts>>,
    sent: (lsn: number, write: Write) => void,
    barrier: WriteBarrier,
  ) {
    this.#barrier = barrier;
    this.#workers = workers;
    this.#rebuilding = rebuilding;
    this.#sent = sent;
  }

  /** The catalog after all records passed to the log. */
  get head(): Catalog {
    return this.#head;
  }
  /** The catalog after all records sent to the workers. */
  get visible(): Catalog {
    return this.#visible;
  }
  get lsnApplied(): number {
    return this.#lsnApplied;
  }
  /** LSN of the last record that was sent to the workers. */
  get lsnSent(): number {
    return this.#lsnSent;
  }
  get log(): Log {
    invariant(this.#openedLog !== null, 'the log is opened before anything is written');
    return this.#openedLog;
  }
  get isOpen(): boolean {
    return this.#openedLog !== null;
  }

  /** Whether a record of this size can be appended in this turn. */
  hasCapacity(payloadBytes: number): boolean {
    return this.#pause === null && this.log.hasCapacity(payloadBytes);
  }

  /** Resolves when that may have changed; check again. Rejects like Log.waitForCapacity. */
  waitForCapacity(payloadBytes: number): Promise<void> {
    return this.#pause ?? this.log.waitForCapacity(payloadBytes);
  }

  /** Runs `act`, which appends by `log.hasCapacity`, while all other writers wait, for at most PAUSE_MS_MAX. */
  async alone<T>(act: () => Promise<T>): Promise<T> {
    while (this.#pause !== null) await this.#pause;
    let end = (): void => {};
    const pause = new Promise<void>((resolve) => {
      end = resolve;
    });
    const resume = (): void => {
      if (this.#pause === pause) this.#pause = null;
      end();
    };
    this.#pause = pause;
    const timer = setTimeout(resume, PAUSE_MS_MAX);
    try {
      return await act();
    } finally {
      clearTimeout(timer);
      resume();
    }
  }

  /** Begins after the last record that the workers have applied. */
  begin(log: Log, catalog: Catalog, lsn: number): void {
    this.#openedLog = log;
    this.#head = catalog;
    this.#visible = catalog;
    this.#lsnApplied = lsn;
    this.#lsnSent = lsn;
  }

  /** Appends in this turn. Resolves with the number of changed entities when the record is durable and all workers applied it. */
  append(payload: Uint8Array, write: Write): Promise<StepCounts> {
    const { lsn, written } = this.log.append(payload);
    write.appended?.(lsn);
    if (write.touches !== null) this.#appended.rowsChanged(lsn, write.touches, 0);
    const appending = this.#whenWritten(lsn, written, this.#setHead(write.changes), write);
    this.#last = appending;
    return appending;
  }

  async #whenWritten(
    lsn: number,
    written: Promise<void>,
    catalog: Catalog,
    write: Write,
  ): Promise<StepCounts> {
    await written;
    const applying = new Promise<StepCounts>((resolve, reject) => {
      this.#barrier.write(() => {
        try {
          resolve(this.#commit(lsn, catalog, write));
        } catch (error) {
          reject(error);
        }
      });
    });
    this.#underWay.set(lsn, applying);
    let counts: StepCounts;
    try {
      counts = await applying;
    } finally {
      this.#underWay.delete(lsn);
    }
    this.#lsnApplied = Math.max(this.#lsnApplied, lsn);
    return counts;
  }

  /** For each dimension, the last record passed to the log that changes its rows. */
  appendedVersions(dimensions: readonly DimensionKey[]): readonly number[] {
    return dimensions.map((dimension) => this.#appended.of(dimension));
  }

  /** Resolves when all workers have applied every record passed to the log so far. The current `head` is durable then. */
  async caughtUp(): Promise<void> {
    await this.#last;
  }

  /**
   * Begins a new log file with a record that changes nothing, so that the previous file can be removed. Resolves with false,
   * without writing, if no file can be prepared.
   */
  async beginLogFile(timeMs: number): Promise<boolean> {
    const payload = encodeRecordPayload({ type: 'catalog', timeMs, changes: [] });
    if (!this.log.beginFile()) {
      await this.log.waitForFile().catch(() => {});
      if (!this.log.beginFile()) return false;
    }
    if (!this.log.hasCapacity(payload.length)) return false;
    await this.append(payload, { touches: null, changes: [], send: () => null, applied: () => {} });
    return true;
  }

  /** Resolves when all workers have applied every record up to `lsn`. */
  async settled(lsn: number): Promise<void> {
    await Promise.all([...this.#underWay].filter(([own]) => own <= lsn).map(([, applying]) => applying));
  }

  /** Sends all models to all workers, at the start. */
  sendModels(): void {
    for (const model of this.#head.databases.values())
      this.#workers.notifyAll((worker) => worker.send('model', { model }));
  }

  #setHead(changes: readonly CatalogChange[]): Catalog {
    if (changes.length === 0) return this.#head;
    this.#head = applyChanges(this.#head, changes);
    const ofModels = changes.filter(changesModel);
    if (ofModels.length > 0)
      this.#workers.notifyAll((worker) => worker.send('change-models', { changes: ofModels }));
    return this.#head;
  }

  /** Sends a durable record to the workers. It is called in LSN order, because the `written` promises settle in that order. */
  #commit(lsn: number, catalog: Catalog, write: Write): Promise<StepCounts> {
    const { changes, send, applied } = write;
    invariant(lsn === this.#lsnSent + 1, `record ${lsn} became durable out of turn`);
    this.#lsnSent = lsn;
    this.#visible = catalog;
    const counts = this.#workers.all.flatMap((worker, index) =>
      [...changes.map((change) => applyToWorker(worker, change)), send(worker)].map((sent) =>
        sent === null ? [] : this.#afterRebuild(sent, index, lsn),
      ),
    );
    this.#sent(lsn, write);
    return Promise.all(counts).then((each) => {
      const sums = addCounts(each);
      applied(lsn, sums);
      return sums;
    });
  }

  async #afterRebuild(sent: Promise<StepCounts>, index: number, lsn: number): Promise<StepCounts> {
    try {
      return await sent;
    } catch (error) {
      if (!(error instanceof WorkerDownError)) throw error;
      const rebuilding = this.#rebuilding().get(index);
      if (rebuilding === undefined) throw this.#workers.unavailable();
      return (await rebuilding).get(lsn) ?? [];
    }
  }
}

/** Whether parsing depends on the change. The deletion of a database removes its model together with its data. */
function changesModel({ change }: CatalogChange): boolean {
  return /^(dimension|column|relation|segment)-/.test(change) || change === 'database-created';
}
