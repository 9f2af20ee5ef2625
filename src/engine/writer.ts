/**
 * The writes of the interface on their way to the log: parsed, charged, checked against memory, the disk and the
 * newest model, appended, answered.
 * Invariants: a refused write left nothing; whatever was bound or parsed against a model that has shrunk since is
 * bound or parsed again, in the turn in which the record is appended.
 */
import { hash } from 'node:crypto';
import { QuarryError, SEGMENT_ROWS_MAX } from '../base/index.js';
import { type Catalog, changeFromPlain, changeToPlain, dimensionById } from '../catalog/index.js';
import { encodeRecordPayload, type RecordOnce } from '../format/index.js';
import type { CountEntityPlan } from '../ir/index.js';
import type { ParsedRecord } from '../protocol/index.js';
import type { DatabaseModel } from '../schema/index.js';
import type { Decision, InsertAnswer, InsertRequest, Mutation, MutationRequest } from './api.js';
import { BufferPool } from './buffer-pool.js';
import { encodeExpiry, findExpired } from './expiry.js';
import type { LaneSet } from './lanes.js';
import { bodyOfSet, checkSet, encodeMutation, type Touched, updateBytes } from './mutation.js';
import type { OnceTable } from './once.js';
import type { EngineOptions } from './options.js';
import type { UsageBook } from './usage.js';
import type { WriteOrder } from './write-order.js';

/** What a parsed insert may take in the lanes beside its own bytes: index slots, dictionary entries, growth. */
const MEMORY_PER_BATCH_BYTE = 2;
/** Room for the parts of a record that do not grow with the body. */
const RECORD_ROOM_BYTES = 4_096;
/** A dictionary's bytes are counted by 32 bits, and grow by doubling. */
const DICTIONARY_BYTES_MAX = 2 ** 31;
const LANE_DOWN_CODE = 9004;

export interface WriterParts {
  readonly options: EngineOptions;
  readonly lanes: LaneSet;
  readonly order: WriteOrder;
  readonly usage: UsageBook;
  readonly once: OnceTable;
  /** Throws 9004 while nothing may be appended. */
  readonly checkWritable: () => void;
}

export class Writer {
  readonly #parts: WriterParts;
  readonly #buffers = new BufferPool();
  #waitingInsertBytes = 0;
  /** What updates that are under way may take. */
  #reservedBytes = 0;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** Memory of the data, of bodies on their way, and of what is kept beside them. */
  get memoryBytes(): number {
    const { lanes, once } = this.#parts;
    return lanes.memoryBytes + once.memoryBytes + this.#waitingInsertBytes + this.#reservedBytes;
  }

  async insert(request: InsertRequest): Promise<InsertAnswer> {
    const { body, onceId } = request;
    const { byteLength } = body;
    const known = onceId === null ? null : this.#known(onceId, () => hash('sha256', body, 'base64url'));
    if (known !== null) return { entityCount: known[0], valueCount: known[1] };
    this.#parts.checkWritable();
    this.#checkMemory(byteLength * MEMORY_PER_BATCH_BYTE);
    const shared = this.#buffers.acquire(byteLength * 2 + RECORD_ROOM_BYTES);
    new Uint8Array(shared).set(request.body);
    this.#waitingInsertBytes += shared.byteLength;
    try {
      const [entityCount, valueCount] = await this.#once(
        onceId,
        () => hash('sha256', new Uint8Array(shared, 0, byteLength), 'base64url'),
        () => this.#insert(request, shared, byteLength),
      );
      this.#buffers.release(shared);
      return { entityCount, valueCount };
    } catch (error) {
      // After a refusal no thread looks at the buffer any more; after anything else one may.
      if (error instanceof QuarryError && error.code !== LANE_DOWN_CODE) this.#buffers.release(shared);
      throw error;
    } finally {
      this.#waitingInsertBytes -= shared.byteLength;
    }
  }

  /** The answer that was given under this name: also while nothing may be written. */
  #known(id: string, bodyHash: () => string): readonly number[] | null {
    return this.#parts.once.find(id, bodyHash, this.#parts.options.clock.nowMs());
  }

  #once(
    id: string | null,
    bodyHash: () => string,
    write: () => Promise<readonly number[]>,
  ): Promise<readonly number[]> {
    return id === null
      ? write()
      : this.#parts.once.run(id, bodyHash, this.#parts.options.clock.nowMs(), write);
  }

  async #insert(request: InsertRequest, shared: SharedArrayBuffer, bodyBytes: number): Promise<number[]> {
    const { lanes, order, options } = this.#parts;
    const { databaseId, customKey, columnIds, onceId } = request;
    const nowMs = options.clock.nowMs();
    for (let charged = false; ; charged = true) {
      const parsed = await lanes.ask(
        lanes
          .nextParser()
          .send('parse', { databaseId, shared, bodyBytes, nowMs, customKey, columnIds, onceId }),
      );
      const { entityCount, valueCount, recordBytes } = parsed;
      if (!charged) request.charge(entityCount);
      if (entityCount === 0 && onceId === null) return [entityCount, valueCount];
      while (!order.log.hasRoom(recordBytes)) await order.log.room(recordBytes);
      this.#parts.checkWritable();
      this.#checkMemory(recordBytes * MEMORY_PER_BATCH_BYTE);
      const { version, shrinkVersion } = this.#model(databaseId);
      const creates = parsed.changes.length > 0;
      if (parsed.modelVersion < shrinkVersion || (creates && parsed.modelVersion !== version)) continue;
      await this.#appendInsert(databaseId, nowMs, parsed, parsed.buffer ?? shared);
      return [entityCount, valueCount];
    }
  }

  #appendInsert(
    databaseId: number,
    timeMs: number,
    parsed: ParsedRecord,
    buffer: SharedArrayBuffer,
  ): Promise<number> {
    const { changes, entityCount, valueCount, once } = parsed;
    return this.#parts.order.append(new Uint8Array(buffer, parsed.recordAt, parsed.recordBytes), {
      touches: { databaseId, dimensionIds: parsed.dimensionIds },
      changes,
      send: (lane) => {
        const batches = parsed.batches.filter(({ shard }) => lane.shards.includes(shard));
        if (batches.length === 0) return null;
        return lane.send('apply', { records: [{ databaseId, buffer, batches }] }).then(() => 0);
      },
      applied: (lsn) =>
        this.note(lsn, { type: 'insert', databaseId, timeMs, entityCount, valueCount, once }, 0),
    });
  }

  async mutate(request: MutationRequest): Promise<number> {
    const { once } = request;
    const known = once === null ? null : this.#known(once.id, () => once.bodyHash);
    if (known !== null) return known[0];
    this.#parts.checkWritable();
    const [count] = await this.#once(
      once?.id ?? null,
      () => once?.bodyHash ?? '',
      async () => [await this.#mutate(request)],
    );
    return count;
  }

  async #mutate(request: MutationRequest): Promise<number> {
    const { order, options } = this.#parts;
    const { databaseId, once } = request;
    for (let charged = false; ; charged = true) {
      const model = this.#model(databaseId);
      const mutation = request.bind(model);
      const batch = await this.#parseSet(request, mutation, model);
      const { dimensionId, condition } = mutation;
      const touched = await this.#touched({ databaseId, dimensionId, condition });
      if (!charged) request.charge(touched.entityCount);
      if (touched.entityCount === 0 && once === null) return 0;
      const timeMs = options.clock.nowMs();
      const payload = encodeMutation(databaseId, mutation, batch, timeMs, once);
      while (!order.log.hasRoom(payload.length)) await order.log.room(payload.length);
      this.#parts.checkWritable();
      const bytes = batch === null ? 0 : updateBytes(batch, touched);
      this.#checkMemory(bytes);
      if (model.version < this.#model(databaseId).shrinkVersion) continue;
      this.#reservedBytes += bytes;
      try {
        return await order.append(payload, {
          touches: { databaseId, dimensionIds: [dimensionId] },
          changes: [],
          deletes: batch === null,
          evaluates: true,
          send: (lane) => lane.send('mutate', { databaseId, dimensionId, condition, batch }),
          applied: (lsn, count) =>
            this.note(lsn, { type: batch === null ? 'delete' : 'update', databaseId, timeMs, once }, count),
        });
      } finally {
        this.#reservedBytes -= bytes;
      }
    }
  }

  /** What a mutation concerns now, before it stands in the log. */
  async #touched(plan: CountEntityPlan): Promise<Touched> {
    const { lanes } = this.#parts;
    const [entityCount, allCount] = await lanes.countEntities([plan, { ...plan, condition: null }]);
    const segmentCount = Math.ceil(allCount / SEGMENT_ROWS_MAX) + lanes.shardCount;
    return { entityCount, segmentCount: Math.min(entityCount, segmentCount) };
  }

  /** The batch of an update's `set`, parsed against at least `model`; null for a delete. */
  async #parseSet(
    { databaseId, nowMs, customKey, columnIds }: MutationRequest,
    { dimensionId, set }: Mutation,
    model: DatabaseModel,
  ): Promise<Uint8Array | null> {
    if (set === null) return null;
    const dimension = dimensionById(model, dimensionId);
    if (dimension === undefined) throw new QuarryError(5008, 'the dimension was deleted');
    const body = bodyOfSet(dimension.apiName, set);
    const { lanes } = this.#parts;
    const parsed = await lanes.ask(
      lanes.nextParser().send('parse-set', { databaseId, body, nowMs, customKey, columnIds }),
    );
    checkSet(parsed.batch);
    return parsed.batch;
  }

  async change<T>(decide: (catalog: Catalog) => Decision<T>): Promise<T> {
    this.#parts.checkWritable();
    return this.changeAnyway(decide, this.#parts.checkWritable);
  }

  /** The same without asking whether writes are let in yet: for the first start. */
  async changeAnyway<T>(decide: (catalog: Catalog) => Decision<T>, check: () => void = () => {}): Promise<T> {
    const { order, options } = this.#parts;
    for (;;) {
      const { changes, answer } = decide(order.head);
      if (changes.length === 0) {
        // The answer rests on what others have just changed: it must not be given before that is durable.
        await order.caughtUp();
        return answer;
      }
      const plain = changes.map(changeToPlain);
      const record = { type: 'catalog', timeMs: options.clock.nowMs(), changes: plain } as const;
      const payload = encodeRecordPayload(record);
      if (order.log.hasRoom(payload.length)) {
        await order.append(payload, {
          touches: null,
          changes,
          send: () => null,
          applied: (lsn) => this.note(lsn, record, 0),
        });
        return answer;
      }
      // Another change may come in between: decide again.
      await order.log.room(payload.length);
      check();
    }
  }

  /** Takes expired events away, one record a column. */
  async expire(): Promise<void> {
    const { options, lanes, order } = this.#parts;
    const nowMs = options.clock.nowMs();
    for (const expiry of await findExpired(lanes, order.visible, nowMs)) {
      const payload = encodeExpiry(expiry, nowMs);
      while (!order.log.hasRoom(payload.length)) await order.log.room(payload.length);
      this.#parts.checkWritable();
      const { databaseId, dimensionId, columnId, beforeSeconds } = expiry;
      // The column may be gone meanwhile, and its id is never used again: then there is nothing to take away.
      await order.append(payload, {
        touches: { databaseId, dimensionIds: [dimensionId] },
        changes: [],
        deletes: true,
        send: (lane) =>
          lane.send('expire', { databaseId, dimensionId, columnId, beforeSeconds }).then(() => 0),
        applied: () => {},
      });
    }
  }

  /** Keeps what the engine knows of a record beside its data: usage, and the name of a write that takes effect once. */
  note(lsn: number, record: NotedRecord, entityCount: number): void {
    const { usage, once } = this.#parts;
    if (record.type === 'expire') return;
    if (record.type === 'catalog') {
      for (const change of record.changes.map(changeFromPlain)) {
        if (change.change === 'database-deleted') usage.drop(change.databaseId);
      }
      return;
    }
    const { databaseId, timeMs } = record;
    const inserted = record.type === 'insert';
    usage.noteWrite(lsn, {
      databaseId,
      timeMs,
      insertedEntityCount: inserted ? record.entityCount : 0,
      insertedValueCount: inserted ? record.valueCount : 0,
      updatedEntityCount: record.type === 'update' ? entityCount : 0,
    });
    if (record.once === null) return;
    const answer = inserted ? [record.entityCount, record.valueCount] : [entityCount];
    once.add({ ...record.once, timeMs, lsn, answer });
  }

  #model(databaseId: number): DatabaseModel {
    const model = this.#parts.order.head.databases.get(databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    return model;
  }

  #checkMemory(moreBytes: number): void {
    if (this.memoryBytes + moreBytes > this.#parts.options.memoryLimitBytes) {
      throw new QuarryError(9003, 'memory limit reached: writes are refused until memory is freed');
    }
    if (this.#parts.lanes.dictionaryBytesMax > DICTIONARY_BYTES_MAX) {
      throw new QuarryError(9003, 'a column holds as many distinct strings as a shard takes');
    }
  }
}

/** What `note` needs of a record. */
export type NotedRecord =
  | {
      readonly type: 'insert';
      readonly databaseId: number;
      readonly timeMs: number;
      readonly entityCount: number;
      readonly valueCount: number;
      readonly once: RecordOnce | null;
    }
  | {
      readonly type: 'update' | 'delete';
      readonly databaseId: number;
      readonly timeMs: number;
      readonly once: RecordOnce | null;
    }
  | { readonly type: 'catalog'; readonly changes: readonly unknown[] }
  | { readonly type: 'expire' };
