/**
 * Inserts in batches: collects entities into batches and sends several batches concurrently.
 * Invariants: `add` resolves when there is capacity for more, so a caller that awaits it is never faster than the server;
 * values of one entity that is added twice are sent in the order in which they were added; no batch is sent after a refused
 * batch, unless `onRefused` handles it.
 */
import type { Inserted } from './answers.js';
import type { Entity } from './queries.js';
import { writeExact } from './transport/index.js';

export interface InserterOptions {
  /** Maximum number of entities in a batch; the server accepts at most 1,000. */
  readonly entitiesMax?: number;
  /** Maximum number of characters of a batch's JSON. */
  readonly charsMax?: number;
  /** Maximum number of batches in flight. */
  readonly batchesMax?: number;
  /** Milliseconds after which a batch is sent even if it is not full; 0 = only when it is full or by `flush`. */
  readonly lingerMs?: number;
  /** Creates missing columns or dimensions. */
  readonly autoCreate?: readonly ('column' | 'dimension')[];
  /** Called with the entities of a refused batch; other batches continue. Without it, the next call rejects with the error. */
  readonly onRefused?: (error: unknown, entities: ReadonlyMap<string, Entity>) => void;
}

/** Sends the JSON text of one batch. */
export type SendBatch = (body: string) => Promise<Inserted>;

interface Batch {
  readonly entities: Map<string, Entity>;
  readonly done: Promise<void>;
}

const ENTITIES_MAX = 1_000;
/** Below the server's limit of 5 MiB: each character may have three bytes. */
const CHARS_MAX = 1_500_000;

export class Inserter {
  readonly #send: SendBatch;
  readonly #options: Required<Omit<InserterOptions, 'onRefused'>> & Pick<InserterOptions, 'onRefused'>;
  #waiting = new Map<string, Entity>();
  #texts: string[] = [];
  #chars = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #onWay = new Set<Batch>();
  #failure: { readonly error: unknown } | null = null;
  #isClosed = false;
  #insertedCount = 0;

  constructor(send: SendBatch, options: InserterOptions = {}) {
    this.#send = send;
    this.#options = {
      entitiesMax: ENTITIES_MAX,
      charsMax: CHARS_MAX,
      batchesMax: 4,
      lingerMs: 100,
      autoCreate: [],
      ...options,
    };
  }

  /** Entities of the batches that were acknowledged. */
  get insertedCount(): number {
    return this.#insertedCount;
  }

  /** Adds an entity. Rejects with the error of an earlier batch that was refused. */
  async add(id: string, entity: Entity): Promise<void> {
    this.#check();
    const text = `${JSON.stringify(id)}:${writeExact(entity)}`;
    const { entitiesMax, charsMax, batchesMax, lingerMs } = this.#options;
    if (this.#waiting.has(id) || this.#chars + text.length > charsMax) this.#sendWaiting();
    this.#waiting.set(id, entity);
    this.#texts.push(text);
    this.#chars += text.length;
    if (this.#waiting.size >= entitiesMax) this.#sendWaiting();
    else if (lingerMs > 0) this.#timer ??= setTimeout(() => this.#sendWaiting(), lingerMs);
    while (this.#onWay.size >= batchesMax) await Promise.race([...this.#onWay].map(({ done }) => done));
    this.#check();
  }

  /** Sends all entities. Resolves when they are on the server's disk; rejects if a batch was refused. */
  async flush(): Promise<void> {
    this.#sendWaiting();
    while (this.#onWay.size > 0) await Promise.all([...this.#onWay].map(({ done }) => done));
    this.#checkFailure();
  }

  /** Flushes. Later calls of `add` reject. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
  }

  #check(): void {
    if (this.#isClosed) throw new Error('the inserter was closed');
    this.#checkFailure();
  }

  #checkFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  #sendWaiting(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#waiting.size === 0) return;
    const entities = this.#waiting;
    const { autoCreate } = this.#options;
    const creates = autoCreate.length === 0 ? [] : [`"auto-create":${JSON.stringify(autoCreate)}`];
    const body = `{${[...creates, ...this.#texts].join()}}`;
    this.#waiting = new Map();
    this.#texts = [];
    this.#chars = 0;
    const before = [...this.#onWay].filter((batch) => sharesIds(batch.entities, entities));
    const batch: Batch = {
      entities,
      done: this.#deliver(body, entities, before).then(() => void this.#onWay.delete(batch)),
    };
    this.#onWay.add(batch);
  }

  /** Never rejects. */
  async #deliver(body: string, entities: Map<string, Entity>, before: readonly Batch[]): Promise<void> {
    await Promise.all(before.map(({ done }) => done));
    if (this.#failure !== null) return;
    try {
      const inserted = await this.#send(body);
      this.#insertedCount += inserted['inserted-entities'];
    } catch (error) {
      const { onRefused } = this.#options;
      if (onRefused === undefined) this.#failure ??= { error };
      else onRefused(error, entities);
    }
  }
}

function sharesIds(one: ReadonlyMap<string, Entity>, other: ReadonlyMap<string, Entity>): boolean {
  for (const id of other.keys()) if (one.has(id)) return true;
  return false;
}
