/**
 * Inserts in batches: entities are gathered until there are enough, then sent, several batches at once.
 * Invariants: `add` resolves when there is room for more, so whoever awaits it is never faster than the server; what stands twice
 * goes in the order in which it was added; nothing is sent behind a batch that was refused, unless `onRefused` takes it.
 */
import type { Inserted } from './answers.js';
import { writeExact } from './json.js';
import type { Entity } from './queries.js';

export interface InserterOptions {
  /** Entities of a batch; 1,000 is what the server takes. */
  readonly entitiesMax?: number;
  /** Characters of a batch's JSON. */
  readonly charsMax?: number;
  /** Batches on their way at once. */
  readonly batchesMax?: number;
  /** Milliseconds after which what waits is sent though more would fit; 0 = only when it is full or `flush` asks. */
  readonly lingerMs?: number;
  /** Makes columns or dimensions that are missing. */
  readonly autoCreate?: readonly ('column' | 'dimension')[];
  /** Takes what was refused; the others go on. Without it the next call rejects with the error. */
  readonly onRefused?: (error: unknown, entities: ReadonlyMap<string, Entity>) => void;
}

/** Sends the JSON text of one batch. */
export type SendBatch = (body: string) => Promise<Inserted>;

interface Batch {
  readonly entities: Map<string, Entity>;
  readonly done: Promise<void>;
}

const ENTITIES_MAX = 1_000;
/** Far below the server's 5 MiB, as each character may have three bytes. */
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

  /** Rejects with the error of a batch that was refused before. */
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

  /** Resolves when all that was added is on the server's disk. Rejects when some of it was refused. */
  async flush(): Promise<void> {
    this.#sendWaiting();
    while (this.#onWay.size > 0) await Promise.all([...this.#onWay].map(({ done }) => done));
    this.#checkFailure();
  }

  /** Flushes; nothing can be added any more. */
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
