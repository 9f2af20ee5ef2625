/**
 * Runs the writes of the interface: parses and charges them, checks them against memory, the disk and the newest model,
 * appends their records and returns the answers.
 * Invariants: a refused write changes nothing. A write that was bound or parsed against a model that has lost a column or
 * dimension since is bound or parsed again, in the turn in which the record is appended.
 */
import { hash } from 'node:crypto';
import { QuarryError, quoted } from '../../base/index.js';
import { type Catalog, changeToPlain } from '../../catalog/index.js';
import { encodeRecordPayload } from '../../format/index.js';
import type { Quarantined, QuarantineSettings } from '../../ingest/index.js';
import type { ParsedRecord, SharedBytes } from '../../protocol/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { Decision, InsertAnswer, InsertRequest, MutationRequest, QuarantineRequest } from '../api.js';
import { encodeExpiry, findExpired, isExpired } from '../lifecycle/expiry.js';
import type { StepCounts } from '../lifecycle/replay.js';
import type { EngineOptions } from '../options.js';
import type { WorkerClients } from '../workers/worker-clients.js';
import type { DeduplicationTable } from './deduplication.js';
import type { LineKeys } from './line-keys.js';
import { LineSelection } from './line-selection.js';
import { encodeMutation, findTouched, parseSet, updateBytes } from './mutation.js';
import { insertedNumbers, type RecordNotes } from './record-notes.js';
import { MEMORY_PER_BATCH_BYTE, type WriteMemory } from './write-memory.js';
import type { WriteOrder } from './write-order.js';

/** Bytes for the fields of a record that do not grow with the body. */
const RECORD_RESERVE_BYTES = 4_096;
/** Memory of a worker while it parses rows of Arrow: values of one column, and the batches twice. */
const PARSED_PER_ARROW_BYTE = 5;
const WORKER_DOWN_CODE = 9004;

export interface WriterDependencies {
  readonly options: EngineOptions;
  readonly workers: WorkerClients;
  readonly order: WriteOrder;
  readonly notes: RecordNotes;
  readonly deduplication: DeduplicationTable;
  readonly lineKeys: LineKeys;
  readonly memory: WriteMemory;
  /** Throws 9004 while appending is not allowed. */
  readonly checkWritable: () => void;
}

export class Writer {
  readonly #dependencies: WriterDependencies;

  constructor(dependencies: WriterDependencies) {
    this.#dependencies = dependencies;
  }

  async insert(request: InsertRequest): Promise<InsertAnswer> {
    const { body, idempotencyId } = request;
    const { byteLength } = body;
    const known =
      idempotencyId === null ? null : this.#known(idempotencyId, () => hash('sha256', body, 'base64url'));
    if (known !== null) return insertAnswer(known);
    const { memory, checkWritable, workers } = this.#dependencies;
    checkWritable();
    const parseBytes = request.records?.format === 'arrow' ? byteLength * PARSED_PER_ARROW_BYTE : 0;
    memory.check(byteLength * MEMORY_PER_BATCH_BYTE + parseBytes);
    const shared = workers.inserts.acquire(byteLength * 2 + RECORD_RESERVE_BYTES);
    const bytes = workers.inserts.bytesOf(shared);
    bytes.set(request.body);
    try {
      const numbers = await memory.while(shared.byteLength + parseBytes, () =>
        this.#deduplicated(
          idempotencyId,
          () => hash('sha256', bytes.subarray(0, byteLength), 'base64url'),
          () => this.#insert(request, shared, byteLength),
        ),
      );
      workers.inserts.release(shared);
      return insertAnswer(numbers);
    } catch (error) {
      // After a refusal no thread reads the memory any more; after the death of a worker another one may.
      if (error instanceof QuarryError) {
        if (error.code === WORKER_DOWN_CODE)
          void this.#workersDone().then(() => workers.inserts.release(shared));
        else workers.inserts.release(shared);
      }
      throw error;
    }
  }

  /** Resolves when every living worker has applied everything that was sent to it so far. */
  async #workersDone(): Promise<void> {
    await Promise.allSettled(
      this.#dependencies.workers.all.map((worker) => worker.send('apply', { records: [] })),
    );
  }

  /** The stored answer of this ID, also while writes are not allowed. */
  #known(id: string, bodyHash: () => string): readonly number[] | null {
    return this.#dependencies.deduplication.find(id, bodyHash, this.#dependencies.options.clock.nowMs());
  }

  #deduplicated(
    id: string | null,
    bodyHash: () => string,
    write: () => Promise<readonly number[]>,
  ): Promise<readonly number[]> {
    return id === null
      ? write()
      : this.#dependencies.deduplication.run(id, bodyHash, this.#dependencies.options.clock.nowMs(), write);
  }

  async #insert(request: InsertRequest, shared: SharedBytes, bodyBytes: number): Promise<number[]> {
    const { workers, order, options, memory, lineKeys } = this.#dependencies;
    const {
      databaseId,
      lines = null,
      records = null,
      quarantine = null,
      customKey,
      columnIds,
      idempotencyId,
    } = request;
    const nowMs = options.clock.nowMs();
    const selection = new LineSelection(lineKeys, request.lineKeys ?? null, nowMs);
    for (let charged = false; ; ) {
      const parsed = await workers.orUnavailable(
        workers.nextParser().send('parse', {
          databaseId,
          shared,
          bodyBytes,
          lines,
          records,
          quarantine: settingsOf(quarantine),
          lineKeys: selection.settings,
          nowMs,
          customKey,
          columnIds,
          idempotencyId,
        }),
      );
      if (selection.findsKnown(parsed)) continue;
      const { quarantined, recordBytes } = parsed;
      const counts = countsOf(parsed);
      if (quarantined !== null) await checkCapacity(quarantined, quarantine);
      if (!charged) request.charge(counts.entityCount);
      charged = true;
      if (counts.entityCount + counts.quarantinedCount === 0 && idempotencyId === null) {
        // The records that have the lines must be durable before they count as inserted.
        if (counts.duplicateCount > 0) await order.caughtUp();
        lineKeys.noteDuplicates(counts.duplicateCount);
        return insertedNumbers(counts);
      }
      while (!order.hasCapacity(recordBytes)) await order.waitForCapacity(recordBytes);
      this.#dependencies.checkWritable();
      memory.check(recordBytes * MEMORY_PER_BATCH_BYTE);
      const { version, shrinkVersion } = this.#model(databaseId);
      const creates = parsed.changes.length > 0;
      if (parsed.modelVersion < shrinkVersion || (creates && parsed.modelVersion !== version)) continue;
      if (selection.findsKnown(parsed)) continue;
      await this.#appendInsert({ databaseId, nowMs, keys: selection.keysOf(parsed) }, parsed, shared);
      lineKeys.noteDuplicates(counts.duplicateCount);
      if (creates) request.created?.(parsed.changes);
      if (quarantined !== null) quarantine?.onQuarantined(quarantined);
      return insertedNumbers(counts);
    }
  }

  #appendInsert(
    { databaseId, nowMs: timeMs, keys }: AppendedInsert,
    parsed: ParsedRecord,
    shared: SharedBytes,
  ): Promise<StepCounts> {
    const { changes, idempotency } = parsed;
    const buffer = parsed.buffer ?? shared;
    const { workers, lineKeys } = this.#dependencies;
    const { inserts } = workers;
    const record = inserts.bytesOf(buffer).subarray(parsed.recordAt, parsed.recordAt + parsed.recordBytes);
    return this.#dependencies.order.append(record, {
      touches: { databaseId, dimensionIds: parsed.dimensionIds },
      changes,
      appended: (lsn) => {
        if (keys !== null && keys.length > 0) lineKeys.add(lsn, timeMs, keys);
      },
      send: (worker) => {
        const batches = parsed.batches.filter(({ shard }) => worker.shards.includes(shard));
        if (batches.length === 0) return null;
        return worker.send('apply', { records: [{ databaseId, buffer, batches }] }).then(() => []);
      },
      applied: (lsn) =>
        this.#dependencies.notes.note(
          lsn,
          { type: 'insert', databaseId, timeMs, ...countsOf(parsed), once: idempotency },
          [],
        ),
    });
  }

  async mutate(request: MutationRequest): Promise<number> {
    const { idempotency } = request;
    const known = idempotency === null ? null : this.#known(idempotency.id, () => idempotency.bodyHash);
    if (known !== null) return known[0];
    this.#dependencies.checkWritable();
    const [count] = await this.#deduplicated(
      idempotency?.id ?? null,
      () => idempotency?.bodyHash ?? '',
      async () => [await this.#mutate(request)],
    );
    return count;
  }

  async #mutate(request: MutationRequest): Promise<number> {
    const { workers, order, options, memory, notes } = this.#dependencies;
    const { databaseId, idempotency } = request;
    for (let charged = false; ; charged = true) {
      const model = this.#model(databaseId);
      const mutation = request.bind(model);
      const batch = await parseSet(workers, request, mutation, model);
      const { dimensionId, condition } = mutation;
      const touched = await findTouched(workers, { databaseId, dimensionId, condition });
      if (!charged) request.charge(touched.entityCount);
      if (touched.entityCount === 0 && idempotency === null) return 0;
      const timeMs = options.clock.nowMs();
      const payload = encodeMutation(databaseId, mutation, batch, timeMs, idempotency);
      while (!order.hasCapacity(payload.length)) await order.waitForCapacity(payload.length);
      this.#dependencies.checkWritable();
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
          send: (worker) =>
            worker.send('mutate', { databaseId, dimensionId, condition, batch }).then((count) => [count]),
          applied: (lsn, counts) => notes.note(lsn, { type, databaseId, timeMs, once: idempotency }, counts),
        }),
      );
      return count;
    }
  }

  async change<T>(decide: (catalog: Catalog) => Decision<T>): Promise<T> {
    this.#dependencies.checkWritable();
    return this.changeAnyway(decide, this.#dependencies.checkWritable);
  }

  /** Like `change`, without the check that writes are allowed: for the first start. */
  async changeAnyway<T>(decide: (catalog: Catalog) => Decision<T>, check: () => void = () => {}): Promise<T> {
    const { order, options } = this.#dependencies;
    for (;;) {
      const { changes, answer } = decide(order.head);
      if (changes.length === 0) {
        // The answer depends on changes of others, so it must not be returned before these are durable.
        await order.caughtUp();
        return answer;
      }
      const plain = changes.map(changeToPlain);
      const record = { type: 'catalog', timeMs: options.clock.nowMs(), changes: plain } as const;
      const payload = encodeRecordPayload(record);
      if (order.hasCapacity(payload.length)) {
        await order.append(payload, {
          touches: null,
          changes,
          send: () => null,
          applied: (lsn) => this.#dependencies.notes.note(lsn, record, []),
        });
        return answer;
      }
      // Another change may be logged during the wait, so decide again.
      await order.waitForCapacity(payload.length);
      check();
    }
  }

  /** Deletes expired events with one record per column. */
  async expire(): Promise<void> {
    const { options, workers, order } = this.#dependencies;
    const nowMs = options.clock.nowMs();
    for (const expiry of await findExpired(workers, order.visible, nowMs)) {
      const payload = encodeExpiry(expiry, nowMs);
      while (!order.hasCapacity(payload.length)) await order.waitForCapacity(payload.length);
      this.#dependencies.checkWritable();
      // Meanwhile the column may have been deleted, or its retention time changed.
      if (order.head.retentionSuspended || !isExpired(order.head, expiry, nowMs)) continue;
      const { databaseId, dimensionId, columnId, beforeSeconds } = expiry;
      await order.append(payload, {
        touches: { databaseId, dimensionIds: [dimensionId] },
        changes: [],
        deletes: true,
        send: (worker) =>
          worker.send('expire', { databaseId, dimensionId, columnId, beforeSeconds }).then(() => []),
        applied: () => {},
      });
    }
  }

  #model(databaseId: number): DatabaseModel {
    const model = this.#dependencies.order.head.databases.get(databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    return model;
  }
}

interface AppendedInsert {
  readonly databaseId: number;
  readonly nowMs: number;
  /** Those that the record has; null = none. */
  readonly keys: Uint8Array | null;
}

const countsOf = ({ entityCount, valueCount, quarantined, omittedLines }: ParsedRecord) => ({
  entityCount,
  valueCount,
  quarantinedCount: quarantined?.lineCount ?? 0,
  duplicateCount: omittedLines.length,
});

const settingsOf = (quarantine: QuarantineRequest | null): QuarantineSettings | null =>
  quarantine === null
    ? null
    : { source: quarantine.source, requestId: quarantine.requestId, parameters: quarantine.parameters };

/** Rejects with the error of the first line if a quarantine has no capacity. */
async function checkCapacity(
  { dimensions, first }: Quarantined,
  quarantine: QuarantineRequest | null,
): Promise<void> {
  if (quarantine === null || (await quarantine.hasCapacity(dimensions))) return;
  const where = dimensions.map(quoted).join(', ');
  throw new QuarryError(first.code, `${first.message} (and no capacity is left for such lines in ${where})`);
}

function insertAnswer([
  entityCount,
  valueCount,
  quarantinedCount = 0,
  duplicateCount = 0,
]: readonly number[]): InsertAnswer {
  return {
    ...{ entityCount, valueCount },
    ...(quarantinedCount === 0 ? {} : { quarantinedCount }),
    ...(duplicateCount === 0 ? {} : { duplicateCount }),
  };
}
