/**
 * The order in which all writes take effect: a record is appended to the log, and once it is durable it is sent to the
 * lanes, both in LSN order.
 * Invariants
 *   A write is answered after its record is durable and every lane applied it.
 *   Records are sent to the lanes in LSN order, each in one turn to all lanes; a query is sent to all lanes in one
 *   turn too, so it reads one LSN everywhere. While a query of several rounds runs, records wait at the gate.
 *   Writes are checked against `head` (all records given to the log), reads see `visible` (all durable ones).
 *   A record whose lane died on the way is in the log, and the lane comes back with it: its part of the answer is
 *   taken from the replay that rebuilt it.
 */
import { invariant } from '../../base/index.js';
import { applyChanges, type Catalog, type CatalogChange, EMPTY_CATALOG } from '../../catalog/index.js';
import { encodeRecordPayload } from '../../format/index.js';
import type { Log } from '../../wal/index.js';
import { addCounts, applyToLane, type StepCounts } from '../lifecycle/replay.js';
import type { ReadGate } from '../query/write-barrier.js';
import type { ReplayedCounts } from '../workers/rebuild.js';
import { type LaneApi, LaneDownError } from '../workers/worker-client.js';
import type { LaneSet } from '../workers/worker-clients.js';
import type { Touched } from './data-versions.js';

/** What becomes of a record once it is durable. */
export interface Write {
  /** null = it changes no rows. */
  readonly touches: Touched | null;
  /** Of the catalog, at this record. */
  readonly changes: readonly CatalogChange[];
  /** Something is deleted by it, which is to leave the log too. */
  readonly deletes?: boolean;
  /** Its answer depends on the data at its LSN. */
  readonly evaluates?: boolean;
  /** Sends the record's part to a lane; resolves with the entities it changed there. null = nothing for this lane. */
  readonly send: (lane: LaneApi) => Promise<StepCounts> | null;
  /** Called when the record is applied everywhere, with the entities it changed. */
  readonly applied: (lsn: number, counts: StepCounts) => void;
}

export class WriteOrder {
  readonly #lanes: LaneSet;
  readonly #rebuilding: () => ReadonlyMap<number, Promise<ReplayedCounts>>;
  readonly #sent: (lsn: number, write: Write) => void;
  readonly #gate: ReadGate;
  #openedLog: Log | null = null;
  #head: Catalog = EMPTY_CATALOG;
  #visible: Catalog = EMPTY_CATALOG;
  #lsnApplied = 0;
  #lsnSent = 0;
  /** The record that was given to the log last. */
  #last: Promise<unknown> = Promise.resolve();
  /** Records that were sent and are not applied everywhere yet, by LSN. */
  readonly #underWay = new Map<number, Promise<unknown>>();

  /** `rebuilding`: lanes that are being rebuilt; `sent` is called after a record went to the lanes. */
  constructor(
    lanes: LaneSet,
    rebuilding: () => ReadonlyMap<number, Promise<ReplayedCounts>>,
    sent: (lsn: number, write: Write) => void,
    gate: ReadGate,
  ) {
    this.#gate = gate;
    this.#lanes = lanes;
    this.#rebuilding = rebuilding;
    this.#sent = sent;
  }

  /** The catalog of all records given to the log. */
  get head(): Catalog {
    return this.#head;
  }
  /** The catalog of all records sent to the lanes. */
  get visible(): Catalog {
    return this.#visible;
  }
  get lsnApplied(): number {
    return this.#lsnApplied;
  }
  /** The last record that was sent to the lanes. */
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

  /** Begins behind the last record that the lanes hold. */
  begin(log: Log, catalog: Catalog, lsn: number): void {
    this.#openedLog = log;
    this.#head = catalog;
    this.#visible = catalog;
    this.#lsnApplied = lsn;
    this.#lsnSent = lsn;
  }

  /** Appends in this turn; resolves with the entities changed when the record is durable and applied by all lanes. */
  append(payload: Uint8Array, write: Write): Promise<StepCounts> {
    const { lsn, written } = this.log.append(payload);
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
      this.#gate.write(() => {
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

  /** Resolves when every record given to the log so far is applied everywhere: what `head` says is durable then. */
  async caughtUp(): Promise<void> {
    await this.#last;
  }

  /**
   * Begins a new log file with a record that changes nothing, so that the file before it can be removed. Resolves with
   * false, and nothing is written, when no file can be prepared for that.
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

  /** Resolves when every record up to `lsn` is applied everywhere. */
  async settled(lsn: number): Promise<void> {
    await Promise.all([...this.#underWay].filter(([own]) => own <= lsn).map(([, applying]) => applying));
  }

  /** Tells all lanes all models: at start. */
  tellModels(): void {
    for (const model of this.#head.databases.values())
      this.#lanes.tellAll((lane) => lane.send('model', { model }));
  }

  #setHead(changes: readonly CatalogChange[]): Catalog {
    if (changes.length === 0) return this.#head;
    this.#head = applyChanges(this.#head, changes);
    const ofModels = changes.filter(changesModel);
    if (ofModels.length > 0) this.#lanes.tellAll((lane) => lane.send('change-models', { changes: ofModels }));
    return this.#head;
  }

  /** Sends a durable record to the lanes. Called in LSN order: `written` of records settle so. */
  #commit(lsn: number, catalog: Catalog, write: Write): Promise<StepCounts> {
    const { changes, send, applied } = write;
    invariant(lsn === this.#lsnSent + 1, `record ${lsn} became durable out of turn`);
    this.#lsnSent = lsn;
    this.#visible = catalog;
    const counts = this.#lanes.all.flatMap((lane, index) =>
      [...changes.map((change) => applyToLane(lane, change)), send(lane)].map((sent) =>
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
      if (!(error instanceof LaneDownError)) throw error;
      const rebuilding = this.#rebuilding().get(index);
      if (rebuilding === undefined) throw this.#lanes.unavailable();
      return (await rebuilding).get(lsn) ?? [];
    }
  }
}

/** Whether parsing depends on it. A deleted database's model goes with its data. */
function changesModel({ change }: CatalogChange): boolean {
  return /^(dimension|column|relation)-/.test(change) || change === 'database-created';
}
