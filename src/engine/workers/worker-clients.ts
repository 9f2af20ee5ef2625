/**
 * All lanes of an engine: which shards each holds, one request to all of them in one turn, and what is answered while
 * one of them is down.
 * Invariant: `all[i]` is lane i, and shard s belongs to lane s mod laneCount.
 */
import { type DataMemory, QuarryError, sumOfMemory } from '../../base/index.js';
import type { CountEntityPlan } from '../../ir/index.js';
import type { EngineOptions } from '../options.js';
import { StopFlags } from '../query/stop-flags.js';
import { InsertMemory } from '../write/insert-memory.js';
import { Lane, type LaneApi, LaneDownError } from './worker-client.js';

export class LaneSet {
  readonly all: LaneApi[] = [];
  /** Of queries on any lane. */
  readonly stopFlags = new StopFlags();
  /** Shared by all lanes. */
  readonly inserts: InsertMemory;
  readonly #options: EngineOptions;
  readonly #onDown: (index: number, cause: unknown) => void;
  readonly #isClosing: () => boolean;
  #shardCount: number;
  #nextParser = 0;

  constructor(
    options: EngineOptions,
    shardCount: number,
    onDown: (index: number, cause: unknown) => void,
    isClosing: () => boolean,
  ) {
    this.#options = options;
    this.inserts = new InsertMemory(options.insertMemoryBytes);
    this.#shardCount = shardCount;
    this.#onDown = onDown;
    this.#isClosing = isClosing;
    for (let index = 0; index < options.laneCount; index++) this.all.push(this.start(index));
  }

  get shardCount(): number {
    return this.#shardCount;
  }

  get memory(): DataMemory {
    return sumOfMemory(this.all.map((lane) => lane.memory));
  }

  /** Strings of the fullest dictionary of one column and shard, in bytes. */
  get dictionaryBytesMax(): number {
    return Math.max(...this.all.map((lane) => lane.dictionaryBytesMax));
  }

  /** A new, empty lane for the shards of lane `index`. */
  start(index: number): LaneApi {
    const { laneFile, kernels, laneCount, dir, makeLane } = this.#options;
    const shardCount = this.#shardCount;
    const shards = Array.from({ length: shardCount }, (_, shard) => shard).filter(
      (shard) => shard % laneCount === index,
    );
    const { stopFlags, inserts } = this;
    const shared = { stopFlags: stopFlags.shared, inserts: inserts.shared };
    const start = { workerIndex: index, shards, shardCount, storeDir: dir, kernels, ...shared };
    const onDown = (cause: unknown): void => this.#onDown(index, cause);
    return makeLane === undefined ? new Lane(laneFile, start, onDown) : makeLane(start, onDown);
  }

  /** Ends all lanes and starts empty ones for another number of shards. */
  async startAnew(shardCount: number): Promise<void> {
    await this.close();
    this.#shardCount = shardCount;
    this.all.forEach((_, index) => {
      this.all[index] = this.start(index);
    });
  }

  /** The lane that parses the next body. */
  nextParser(): LaneApi {
    return this.all[this.#nextParser++ % this.all.length];
  }

  /** Sends without waiting. A lane that is down gets the newest models when it is rebuilt. */
  tellAll(send: (lane: LaneApi) => Promise<unknown>): void {
    for (const lane of this.all) send(lane).catch(() => {});
  }

  /** One request to every lane in this turn: all of them answer at the same LSN. Rejects with 9004 for a lane that is down. */
  askAll<T>(send: (lane: LaneApi) => Promise<T>): Promise<T[]> {
    return this.ask(Promise.all(this.all.map(send)));
  }

  /** Entities of each plan over all lanes, at one LSN; nothing stops or bounds it. */
  async countEntities(plans: readonly CountEntityPlan[]): Promise<readonly number[]> {
    const bounds = { slot: 0, bytesMax: Number.POSITIVE_INFINITY };
    const counts = await this.askAll((lane) => lane.send('count-entities', { plans, bounds }));
    return plans.map((_, index) => counts.reduce((sum, one) => sum + one[index], 0));
  }

  async ask<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof LaneDownError) throw this.unavailable();
      throw error;
    }
  }

  unavailable(): QuarryError {
    return new QuarryError(
      9004,
      this.#isClosing() ? 'the server is stopping' : 'data is being loaded; try again',
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((lane) => lane.close()));
  }
}
