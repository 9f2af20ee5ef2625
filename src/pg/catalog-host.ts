/**
 * Who answers queries of the catalog: threads that start with the first query and end when none came for a while.
 * Invariants: there are INSTANCES_MAX threads at most, each asked one query at a time; the memory of each is counted while it
 * runs; whoever waits for one does so in the
 * order of coming, and WAITING_MAX do at most.
 */
import type { CatalogAsker } from './catalog-answer.js';
import { CatalogInstance, INSTANCE_BYTES } from './catalog-instance.js';
import type { CatalogView } from './catalog-view.js';
import { ProtocolFault } from './fault.js';
import type { Waiting } from './waiting.js';

const INSTANCES_MAX = 1;
const WAITING_MAX = 100;
const NO_MEMORY =
  'the memory limit leaves no room for the catalog, in which tables and columns are listed; rows may be asked for';

export interface CatalogSettings {
  readonly threadFile: string;
  /** A data directory of Postgres: see CatalogStart. */
  readonly template: () => Promise<Uint8Array>;
  /** Of one query. */
  readonly runMsMax: number;
  /** Without a query, until a thread ends. */
  readonly idleMsMax: number;
  /** Counts so many bytes as taken, until what it gives is called; null = there is no room for them. */
  readonly holdMemory: (bytes: number) => (() => void) | null;
}

interface Seat {
  instance: CatalogInstance;
  /** Gives the instance's memory back. */
  release: () => void;
  isBusy: boolean;
  idle: NodeJS.Timeout | null;
}

export class CatalogHost implements CatalogAsker {
  readonly #settings: CatalogSettings;
  readonly #seats: Seat[] = [];
  readonly #waiting: (() => void)[] = [];
  #startingCount = 0;
  #isClosed = false;

  constructor(settings: CatalogSettings) {
    this.#settings = settings;
  }

  async run(view: CatalogView, messages: Buffer, waiting: Waiting): Promise<Buffer> {
    const seat = await this.#seat(view);
    try {
      return await seat.instance.run(view, messages, waiting);
    } finally {
      this.#leave(seat);
    }
  }

  get instanceCount(): number {
    return this.#seats.length;
  }

  close(): void {
    this.#isClosed = true;
    for (const seat of this.#seats.splice(0)) this.#end(seat);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #seat(view: CatalogView): Promise<Seat> {
    for (;;) {
      if (this.#isClosed) throw new ProtocolFault('57P01', 'the server is stopping');
      const idle = this.#seats.filter(({ isBusy }) => !isBusy);
      const found = idle.find(({ instance }) => instance.viewKey === view.key);
      const isFull = this.#seats.length + this.#startingCount >= INSTANCES_MAX;
      const seat = found ?? (isFull || idle.length > 0 ? idle[0] : await this.#start());
      if (seat !== undefined && !seat.isBusy) return this.#taken(seat);
      if (seat !== undefined) continue;
      if (this.#waiting.length >= WAITING_MAX) {
        throw new ProtocolFault('53300', 'too many queries wait for the catalog');
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #taken(seat: Seat): Seat {
    seat.isBusy = true;
    if (seat.idle !== null) clearTimeout(seat.idle);
    seat.idle = null;
    return seat;
  }

  async #start(): Promise<Seat> {
    const { threadFile, template, runMsMax, holdMemory } = this.#settings;
    const release = holdMemory(INSTANCE_BYTES);
    if (release === null) throw new ProtocolFault('53200', NO_MEMORY);
    this.#startingCount++;
    try {
      const instance = new CatalogInstance(threadFile, await template(), runMsMax);
      const seat: Seat = { instance, release, isBusy: false, idle: null };
      this.#seats.push(seat);
      return seat;
    } catch (error) {
      release();
      throw error;
    } finally {
      this.#startingCount--;
    }
  }

  #leave(seat: Seat): void {
    seat.isBusy = false;
    if (seat.instance.isSpent || this.#isClosed) this.#end(seat);
    else {
      seat.idle = setTimeout(() => this.#end(seat), this.#settings.idleMsMax);
      seat.idle.unref();
    }
    this.#waiting.shift()?.();
  }

  #end(seat: Seat): void {
    if (seat.idle !== null) clearTimeout(seat.idle);
    const at = this.#seats.indexOf(seat);
    if (at !== -1) this.#seats.splice(at, 1);
    seat.instance.end();
    seat.release();
  }
}
