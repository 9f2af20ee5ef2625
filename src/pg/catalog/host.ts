/**
 * The threads that run catalog queries. A thread starts with the first query and ends after an idle time.
 * Invariants: at most INSTANCES_MAX threads exist, each with one query at a time; their memory stays reserved while they run;
 * at most WAITING_MAX queries wait for a thread, and they are served in order of arrival; a query never fails because of a
 * thread that an earlier query has ended or damaged.
 */

import { ProtocolError } from '../protocol/errors.js';
import type { Waiting } from '../session/waiting.js';
import type { CatalogRunner } from './answer.js';
import { CatalogInstance, INSTANCE_BYTES, ThreadGone } from './instance.js';
import type { CatalogView } from './view.js';

const INSTANCES_MAX = 1;
const WAITING_MAX = 100;
const NO_MEMORY =
  'the memory limit leaves too little memory for the catalog, which lists tables and columns; queries of rows still work';

export interface CatalogSettings {
  readonly threadFile: string;
  /** A data directory of Postgres: see CatalogStart. */
  readonly template: () => Promise<Uint8Array>;
  /** Time limit of one query. */
  readonly runMsMax: number;
  /** Idle time after which a thread ends. */
  readonly idleMsMax: number;
  /** Reserves memory and returns the function that releases it; null = the memory limit does not allow it. */
  readonly reserveMemory: (bytes: number) => (() => void) | null;
}

interface InstanceSlot {
  instance: CatalogInstance;
  /** Releases the memory of the instance. */
  release: () => void;
  isBusy: boolean;
  idle: NodeJS.Timeout | null;
}

export class CatalogHost implements CatalogRunner {
  readonly #settings: CatalogSettings;
  readonly #slots: InstanceSlot[] = [];
  readonly #waiting: (() => void)[] = [];
  #startingCount = 0;
  #isClosed = false;

  constructor(settings: CatalogSettings) {
    this.#settings = settings;
  }

  async run(view: CatalogView, messages: Buffer, waiting: Waiting): Promise<Buffer> {
    for (;;) {
      const slot = await this.#acquire(view);
      const isFirst = slot.instance.runCount === 0;
      try {
        return await slot.instance.run(view, messages, waiting);
      } catch (error) {
        // Queries only read, so they can run again on a new thread.
        if (isFirst || !(error instanceof ThreadGone) || waiting.isCancelled) throw error;
      } finally {
        this.#free(slot);
      }
    }
  }

  get instanceCount(): number {
    return this.#slots.length;
  }

  close(): void {
    this.#isClosed = true;
    for (const slot of this.#slots.splice(0)) this.#end(slot);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #acquire(view: CatalogView): Promise<InstanceSlot> {
    for (;;) {
      if (this.#isClosed) throw new ProtocolError('57P01', 'the server is stopping');
      for (const slot of this.#slots.filter(({ isBusy, instance }) => !isBusy && instance.isSpent))
        this.#end(slot);
      const idle = this.#slots.filter(({ isBusy }) => !isBusy);
      const found = idle.find(({ instance }) => instance.viewKey === view.key);
      const isFull = this.#slots.length + this.#startingCount >= INSTANCES_MAX;
      const slot = found ?? (isFull || idle.length > 0 ? idle[0] : await this.#start());
      if (slot !== undefined && !slot.isBusy) return this.#markBusy(slot);
      if (slot !== undefined) continue;
      if (this.#waiting.length >= WAITING_MAX) {
        throw new ProtocolError('53300', 'too many queries wait for the catalog');
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #markBusy(slot: InstanceSlot): InstanceSlot {
    slot.isBusy = true;
    if (slot.idle !== null) clearTimeout(slot.idle);
    slot.idle = null;
    return slot;
  }

  async #start(): Promise<InstanceSlot> {
    const { threadFile, template, runMsMax, reserveMemory } = this.#settings;
    const release = reserveMemory(INSTANCE_BYTES);
    if (release === null) throw new ProtocolError('53200', NO_MEMORY);
    this.#startingCount++;
    try {
      const instance = new CatalogInstance(threadFile, await template(), runMsMax);
      const slot: InstanceSlot = { instance, release, isBusy: false, idle: null };
      this.#slots.push(slot);
      return slot;
    } catch (error) {
      release();
      throw error;
    } finally {
      this.#startingCount--;
    }
  }

  #free(slot: InstanceSlot): void {
    slot.isBusy = false;
    if (slot.instance.isSpent || this.#isClosed) this.#end(slot);
    else {
      slot.idle = setTimeout(() => this.#end(slot), this.#settings.idleMsMax);
      slot.idle.unref();
    }
    this.#waiting.shift()?.();
  }

  #end(slot: InstanceSlot): void {
    if (slot.idle !== null) clearTimeout(slot.idle);
    const at = this.#slots.indexOf(slot);
    if (at !== -1) this.#slots.splice(at, 1);
    slot.instance.end();
    slot.release();
  }
}
