/**
 * Writes the IDs of static segments: each change is one record, an insert of entities without values or a delete by their IDs, in
 * the dimension under whose id the segment's IDs are stored. A segment and its first IDs are one record.
 */

import { changeToPlain } from '../../catalog/index.js';
import { encodeRecordPayload, type LogRecord } from '../../format/index.js';
import { batchesOfIds } from '../../ingest/index.js';
import { type Condition, conditionToPlain } from '../../ir/index.js';
import type { SegmentAddition, SegmentAnswer, SegmentRemoval } from '../api.js';
import { type StepCounts, sendRecord } from '../lifecycle/replay.js';
import { MEMORY_PER_BATCH_BYTE } from './write-memory.js';
import type { WriterDependencies } from './writer.js';

export class SegmentWriter {
  readonly #dependencies: WriterDependencies;

  constructor(dependencies: WriterDependencies) {
    this.#dependencies = dependencies;
  }

  /** See EngineApi.addSegmentIds. */
  async add<T>({ databaseId, decide, charge }: SegmentAddition<T>): Promise<SegmentAnswer<T>> {
    const { order, workers, options, memory, checkWritable } = this.#dependencies;
    checkWritable();
    for (let isCharged = false; ; isCharged = true) {
      const { changes, answer, added } = decide(order.head);
      const { dimensionId, segmentId, ids } = added;
      if (!isCharged) charge(ids.length);
      if (changes.length === 0 && ids.length === 0) {
        await order.caughtUp();
        return { answer, count: 0 };
      }
      const record: LogRecord = {
        ...{ type: 'insert', timeMs: options.clock.nowMs(), databaseId, shardCount: workers.shardCount },
        ...{ changes: changes.map(changeToPlain), entityCount: 0, valueCount: 0, once: null },
        batches: batchesOfIds(ids, segmentId, workers.shardCount),
      };
      const payload = encodeRecordPayload(record);
      if (!order.hasCapacity(payload.length)) {
        // The catalog may change during the wait, so decide again.
        await order.waitForCapacity(payload.length);
        checkWritable();
        continue;
      }
      const bytes = payload.length * MEMORY_PER_BATCH_BYTE;
      memory.check(bytes);
      await memory.while(bytes, () =>
        this.#append(record, payload, { databaseId, dimensionIds: [dimensionId, segmentId], changes }),
      );
      return { answer, count: ids.length };
    }
  }

  /** See EngineApi.removeSegmentIds. */
  async remove({ databaseId, decide }: SegmentRemoval): Promise<number> {
    const { order, options, checkWritable } = this.#dependencies;
    checkWritable();
    for (;;) {
      const { dimensionId, segmentId, ids } = decide(order.head);
      const test = { kind: 'text', match: 'equals', texts: ids, negated: false } as const;
      const condition: Condition = { op: 'entity-id', tests: [test] };
      const record: LogRecord = {
        ...{ type: 'delete', timeMs: options.clock.nowMs(), databaseId, dimensionId: segmentId },
        ...{ condition: conditionToPlain(condition), once: null, batches: [] },
      };
      const payload = encodeRecordPayload(record);
      if (!order.hasCapacity(payload.length)) {
        await order.waitForCapacity(payload.length);
        checkWritable();
        continue;
      }
      const touched = { databaseId, dimensionIds: [dimensionId, segmentId], changes: [] };
      const [count = 0] = await this.#append(record, payload, touched);
      return count;
    }
  }

  #append(
    record: LogRecord,
    payload: Uint8Array,
    { databaseId, dimensionIds, changes }: Touched,
  ): Promise<StepCounts> {
    const { order, notes, workers } = this.#dependencies;
    const isDelete = record.type === 'delete';
    return order.append(payload, {
      // Answers about the entities depend on the IDs.
      touches: { databaseId, dimensionIds },
      changes,
      deletes: isDelete,
      evaluates: isDelete,
      send: (worker) => sendRecord(worker, record, workers.inserts),
      applied: (lsn, counts) => notes.note(lsn, record, counts),
    });
  }
}

interface Touched {
  readonly databaseId: number;
  readonly dimensionIds: readonly number[];
  readonly changes: ReturnType<SegmentAddition<unknown>['decide']>['changes'];
}
