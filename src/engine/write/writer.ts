/**
 * The writes of the interface on their way to the log: parsed, charged, checked against memory, the disk and the
 * newest model, appended, answered.
 * Invariants: a refused write left nothing; whatever was bound or parsed against a model that has shrunk since is
 * bound or parsed again, in the turn in which the record is appended.
 */
import { hash } from 'node:crypto';
import { QuarryError } from '../../base/index.js';
import { type Catalog, changeToPlain } from '../../catalog/index.js';
import { encodeRecordPayload } from '../../format/index.js';
import type { ParsedRecord, SharedBytes } from '../../protocol/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { Decision, InsertAnswer, InsertRequest, MutationRequest } from '../api.js';
import { encodeExpiry, findExpired } from '../lifecycle/expiry.js';
import type { StepCounts } from '../lifecycle/replay.js';
import type { EngineOptions } from '../options.js';
import type { LaneSet } from '../workers/worker-clients.js';
import type { OnceTable } from './deduplication.js';
import { encodeMutation, findTouched, parseSet, updateBytes } from './mutation.js';
import type { RecordNotes } from './record-notes.js';
import { MEMORY_PER_BATCH_BYTE, type WriteMemory } from './write-memory.js';
import type { WriteOrder } from './write-order.js';

/** Room for the parts of a record that do not grow with the body. */
const RECORD_ROOM_BYTES = 4_096;
const LANE_DOWN_CODE = 9004;

export interface WriterParts {
  readonly options: EngineOptions;
  readonly lanes: LaneSet;
  readonly order: WriteOrder;
  readonly notes: RecordNotes;
  readonly once: OnceTable;
  readonly memory: WriteMemory;
  /** Throws 9004 while nothing may be appended. */
  readonly checkWritable: () => void;
}

export class Writer {
  readonly #parts: WriterParts;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  async insert(request: InsertRequest): Promise<InsertAnswer> {
    const { body, onceId } = request;
    const { byteLength } = body;
    const known = onceId === null ? null : this.#known(onceId, () => hash('sha256', body, 'base64url'));
    if (known !== null) return { entityCount: known[0], valueCount: known[1] };
    const { memory, checkWritable, lanes } = this.#parts;
    checkWritable();
    memory.check(byteLength * MEMORY_PER_BATCH_BYTE);
    const shared = lanes.inserts.acquire(byteLength * 2 + RECORD_ROOM_BYTES);
    const bytes = lanes.inserts.bytesOf(shared);
    bytes.set(request.body);
    try {
      const [entityCount, valueCount] = await memory.while(shared.byteLength, () =>
        this.#once(
          onceId,
          () => hash('sha256', bytes.subarray(0, byteLength), 'base64url'),
          () => this.#insert(request, shared, byteLength),
        ),
      );
      lanes.inserts.release(shared);
      return { entityCount, valueCount };
    } catch (error) {
      // After a refusal no thread looks at the memory any more; when a lane is down another one may.
      if (error instanceof QuarryError) {
        if (error.code === LANE_DOWN_CODE) void this.#lanesDone().then(() => lanes.inserts.release(shared));
        else lanes.inserts.release(shared);
      }
      throw error;
    }
  }

  /** Resolves when every lane that lives has applied what was sent to it so far. */
  async #lanesDone(): Promise<void> {
    await Promise.allSettled(this.#parts.lanes.all.map((lane) => lane.send('apply', { records: [] })));
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

  async #insert(request: InsertRequest, shared: SharedBytes, bodyBytes: number): Promise<number[]> {
    const { lanes, order, options, memory } = this.#parts;
    const { databaseId, lines = null, customKey, columnIds, onceId } = request;
    const nowMs = options.clock.nowMs();
    for (let charged = false; ; charged = true) {
      const parsed = await lanes.ask(
        lanes
          .nextParser()
          .send('parse', { databaseId, shared, bodyBytes, lines, nowMs, customKey, columnIds, onceId }),
      );
      const { entityCount, valueCount, recordBytes } = parsed;
      if (!charged) request.charge(entityCount);
      if (entityCount === 0 && onceId === null) return [entityCount, valueCount];
      while (!order.log.hasCapacity(recordBytes)) await order.log.waitForCapacity(recordBytes);
      this.#parts.checkWritable();
      memory.check(recordBytes * MEMORY_PER_BATCH_BYTE);
      const { version, shrinkVersion } = this.#model(databaseId);
      const creates = parsed.changes.length > 0;
      if (parsed.modelVersion < shrinkVersion || (creates && parsed.modelVersion !== version)) continue;
      await this.#appendInsert(databaseId, nowMs, parsed, parsed.buffer ?? shared);
      if (creates) request.created?.(parsed.changes);
      return [entityCount, valueCount];
    }
  }

  #appendInsert(
    databaseId: number,
    timeMs: number,
    parsed: ParsedRecord,
    buffer: SharedBytes,
  ): Promise<StepCounts> {
    const { changes, entityCount, valueCount, once } = parsed;
    const { inserts } = this.#parts.lanes;
    const record = inserts.bytesOf(buffer).subarray(parsed.recordAt, parsed.recordAt + parsed.recordBytes);
    return this.#parts.order.append(record, {
      touches: { databaseId, dimensionIds: parsed.dimensionIds },
      changes,
      send: (lane) => {
        const batches = parsed.batches.filter(({ shard }) => lane.shards.includes(shard));
        if (batches.length === 0) return null;
        return lane.send('apply', { records: [{ databaseId, buffer, batches }] }).then(() => []);
      },
      applied: (lsn) =>
        this.#parts.notes.note(
          lsn,
          { type: 'insert', databaseId, timeMs, entityCount, valueCount, once },
          [],
        ),
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
    const { lanes, order, options, memory, notes } = this.#parts;
    const { databaseId, once } = request;
    for (let charged = false; ; charged = true) {
      const model = this.#model(databaseId);
      const mutation = request.bind(model);
      const batch = await parseSet(lanes, request, mutation, model);
      const { dimensionId, condition } = mutation;
      const touched = await findTouched(lanes, { databaseId, dimensionId, condition });
      if (!charged) request.charge(touched.entityCount);
      if (touched.entityCount === 0 && once === null) return 0;
      const timeMs = options.clock.nowMs();
      const payload = encodeMutation(databaseId, mutation, batch, timeMs, once);
      while (!order.log.hasCapacity(payload.length)) await order.log.waitForCapacity(payload.length);
      this.#parts.checkWritable();
      const bytes = batch === null ? 0 : updateBytes(batch, touched);
      memory.check(bytes);
      if (model.version < this.#model(databaseId).shrinkVersion) continue;
      const type = batch === null ? 'delete' : 'update';
      const [count = 0] = await memory.while(bytes, () =>
        order.append(payload, {
          touches: { databaseId, dimensionIds: [dimensionId] },
          changes: [],
          deletes: batch === null,
          evaluates: true,
          send: (lane) =>
            lane.send('mutate', { databaseId, dimensionId, condition, batch }).then((count) => [count]),
          applied: (lsn, counts) => notes.note(lsn, { type, databaseId, timeMs, once }, counts),
        }),
      );
      return count;
    }
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
      if (order.log.hasCapacity(payload.length)) {
        await order.append(payload, {
          touches: null,
          changes,
          send: () => null,
          applied: (lsn) => this.#parts.notes.note(lsn, record, []),
        });
        return answer;
      }
      // Another change may come in between: decide again.
      await order.log.waitForCapacity(payload.length);
      check();
    }
  }

  /** Takes expired events away, one record a column. */
  async expire(): Promise<void> {
    const { options, lanes, order } = this.#parts;
    const nowMs = options.clock.nowMs();
    for (const expiry of await findExpired(lanes, order.visible, nowMs)) {
      const payload = encodeExpiry(expiry, nowMs);
      while (!order.log.hasCapacity(payload.length)) await order.log.waitForCapacity(payload.length);
      this.#parts.checkWritable();
      const { databaseId, dimensionId, columnId, beforeSeconds } = expiry;
      // The column may be gone meanwhile, and its id is never used again: then there is nothing to take away.
      await order.append(payload, {
        touches: { databaseId, dimensionIds: [dimensionId] },
        changes: [],
        deletes: true,
        send: (lane) =>
          lane.send('expire', { databaseId, dimensionId, columnId, beforeSeconds }).then(() => []),
        applied: () => {},
      });
    }
  }

  #model(databaseId: number): DatabaseModel {
    const model = this.#parts.order.head.databases.get(databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    return model;
  }
}
