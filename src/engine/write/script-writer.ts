/**
 * Several writes of one request on their way to the log as one record: parsed, charged, checked against memory, the disk
 * and the newest model, appended, answered.
 * Invariant: a refused script left nothing; its updates and deletes are evaluated behind the writes before them, at the
 * record's LSN.
 */
import { QuarryError } from '../../base/index.js';
import {
  decodeRecordPayload,
  encodeRecordPayload,
  type RecordBatch,
  type ScriptStep,
} from '../../format/index.js';
import { conditionToPlain } from '../../ir/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import { type Mutation, type ScriptRequest, type ScriptWrite, StepRefused } from '../api.js';
import { type StepCounts, sendRecord } from '../lifecycle/replay.js';
import type { LaneApi } from '../workers/worker-client.js';
import { findTouched, parseSet, updateBytes } from './mutation.js';
import { scriptAnswer } from './record-notes.js';
import { MEMORY_PER_BATCH_BYTE } from './write-memory.js';
import type { WriterParts } from './writer.js';

/** Codes of rules that a write can break; others are faults of the moment or of the key. */
const RULE_CODE_MIN = 2_000;
const RULE_CODE_MAX = 8_999;
/** Room for the parts of a record that do not grow with the body. */
const RECORD_ROOM_BYTES = 4_096;

/** A write as its record and its answer need it. */
interface Step {
  readonly step: ScriptStep;
  readonly batches: readonly RecordBatch[];
  readonly dimensionIds: readonly number[];
  /** Entities that it may touch, before it is evaluated. */
  readonly insertedCount: number;
  readonly updatedCount: number;
  readonly bytes: number;
  /** Version of the model that it was parsed against. */
  readonly modelVersion: number;
}

export class ScriptWriter {
  readonly #parts: WriterParts;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** See EngineApi.script. */
  async write(request: ScriptRequest): Promise<readonly number[]> {
    const { once, options, checkWritable } = this.#parts;
    const named = request.once;
    const nowMs = options.clock.nowMs();
    if (named === null) {
      checkWritable();
      return this.#write(request);
    }
    const known = once.find(named.id, () => named.bodyHash, nowMs);
    if (known !== null) return known;
    checkWritable();
    return once.run(
      named.id,
      () => named.bodyHash,
      nowMs,
      () => this.#write(request),
    );
  }

  async #write(request: ScriptRequest): Promise<readonly number[]> {
    const { order, options, memory, checkWritable } = this.#parts;
    const { databaseId } = request;
    for (let charged = false; ; charged = true) {
      const model = this.#model(databaseId);
      const steps = await this.#parse(request, request.bind(model), model);
      const insertedCount = sum(steps, ({ insertedCount }) => insertedCount);
      if (!charged)
        request.charge(
          insertedCount,
          sum(steps, ({ updatedCount }) => updatedCount),
        );
      const record = {
        type: 'script',
        timeMs: options.clock.nowMs(),
        databaseId,
        shardCount: this.#parts.lanes.shardCount,
        once: request.once,
        steps: steps.map(({ step }) => step),
        batches: steps.flatMap(({ batches }) => batches),
      } as const;
      const payload = encodeRecordPayload(record);
      while (!order.log.hasCapacity(payload.length)) await order.log.waitForCapacity(payload.length);
      checkWritable();
      const bytes = sum(steps, (step) => step.bytes);
      memory.check(bytes);
      const { shrinkVersion } = this.#model(databaseId);
      if (steps.some(({ modelVersion }) => modelVersion < shrinkVersion)) continue;
      const counts = await memory.while(bytes, () => this.#append(record, payload, steps));
      return scriptAnswer(record.steps, counts);
    }
  }

  #append(
    record: Parameters<typeof encodeRecordPayload>[0] & { readonly type: 'script' },
    payload: Uint8Array,
    steps: readonly Step[],
  ): Promise<StepCounts> {
    const { order, notes, lanes } = this.#parts;
    return order.append(payload, {
      touches: {
        databaseId: record.databaseId,
        dimensionIds: [...new Set(steps.flatMap(({ dimensionIds }) => dimensionIds))],
      },
      changes: [],
      deletes: record.steps.some(({ step }) => step === 'delete'),
      evaluates: record.steps.some(({ step }) => step !== 'insert'),
      send: (lane: LaneApi) => sendRecord(lane, record, lanes.inserts),
      applied: (lsn, counts) => notes.note(lsn, record, counts),
    });
  }

  /** All writes parsed; the first that breaks a rule is told. */
  async #parse(
    request: ScriptRequest,
    writes: readonly ScriptWrite[],
    model: DatabaseModel,
  ): Promise<readonly Step[]> {
    const steps: Step[] = [];
    for (const [index, write] of writes.entries()) {
      const before = sum(steps, ({ insertedCount }) => insertedCount);
      steps.push(
        write.write === 'insert'
          ? await this.#parseInsert(request, index, write)
          : await this.#parseChange(request, index, write, model, before),
      );
    }
    return steps;
  }

  async #parseInsert(
    request: ScriptRequest,
    index: number,
    { rowCount, body }: Extract<ScriptWrite, { write: 'insert' }>,
  ): Promise<Step> {
    try {
      return await this.#parsedInsert(request, body(rowCount));
    } catch (error) {
      if (!isRule(error)) throw error;
      throw new StepRefused(index, await this.#firstBadRow(request, rowCount, body), error);
    }
  }

  /** Which row the refusal of the first one is about: an insert is refused for its first error. */
  async #firstBadRow(
    request: ScriptRequest,
    rowCount: number,
    body: (rows: number) => Uint8Array,
  ): Promise<number> {
    // The first `good` rows are let in, the first `bad` are not.
    let good = 0;
    let bad = rowCount;
    while (bad - good > 1) {
      const middle = (good + bad) >>> 1;
      try {
        await this.#parsedInsert(request, body(middle));
        good = middle;
      } catch (error) {
        if (!isRule(error)) throw error;
        bad = middle;
      }
    }
    return bad - 1;
  }

  async #parsedInsert(request: ScriptRequest, body: Uint8Array): Promise<Step> {
    const { lanes, memory } = this.#parts;
    const { databaseId, customKey, columnIds, nowMs } = request;
    memory.check(body.byteLength * MEMORY_PER_BATCH_BYTE);
    const shared = new SharedArrayBuffer(body.byteLength * 2 + RECORD_ROOM_BYTES);
    new Uint8Array(shared).set(body);
    const settings = { databaseId, lines: null, nowMs, customKey, columnIds, onceId: null };
    const parsed = await memory.while(shared.byteLength, () =>
      lanes.ask(lanes.nextParser().send('parse', { ...settings, shared, bodyBytes: body.byteLength })),
    );
    if (parsed.changes.length > 0) throw new QuarryError(6000, 'INSERT cannot create columns');
    const record = decodeRecordPayload(
      new Uint8Array(parsed.buffer ?? shared, parsed.recordAt, parsed.recordBytes),
    );
    const { entityCount, valueCount } = parsed;
    const batches = 'batches' in record ? record.batches : [];
    return {
      step: { step: 'insert', batchCount: batches.length, entityCount, valueCount },
      batches,
      dimensionIds: parsed.dimensionIds,
      insertedCount: entityCount,
      updatedCount: 0,
      bytes: parsed.recordBytes * MEMORY_PER_BATCH_BYTE,
      modelVersion: parsed.modelVersion,
    };
  }

  async #parseChange(
    request: ScriptRequest,
    index: number,
    mutation: Mutation,
    model: DatabaseModel,
    insertedBefore: number,
  ): Promise<Step> {
    const { lanes } = this.#parts;
    const { dimensionId, condition } = mutation;
    const batch = await parseSet(lanes, request, mutation, model).catch((error) => {
      throw isRule(error) ? new StepRefused(index, null, error) : error;
    });
    const touched = await findTouched(lanes, { databaseId: request.databaseId, dimensionId, condition });
    // What is inserted before it may be met too.
    const entityCount = touched.entityCount + insertedBefore;
    const segmentCount = Math.min(touched.segmentCount + insertedBefore, entityCount);
    return {
      step: {
        step: batch === null ? 'delete' : 'update',
        batchCount: batch === null ? 0 : 1,
        dimensionId,
        condition: conditionToPlain(condition),
      },
      batches: batch === null ? [] : [{ shard: 0, dimensionId, bytes: batch }],
      dimensionIds: [dimensionId],
      insertedCount: 0,
      updatedCount: batch === null ? 0 : entityCount,
      bytes: batch === null ? 0 : updateBytes(batch, { entityCount, segmentCount }),
      modelVersion: model.version,
    };
  }

  #model(databaseId: number): DatabaseModel {
    const model = this.#parts.order.head.databases.get(databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    return model;
  }
}

const isRule = (error: unknown): error is QuarryError =>
  error instanceof QuarryError && error.code >= RULE_CODE_MIN && error.code <= RULE_CODE_MAX;

function sum<T>(each: readonly T[], of: (one: T) => number): number {
  return each.reduce((total, one) => total + of(one), 0);
}
