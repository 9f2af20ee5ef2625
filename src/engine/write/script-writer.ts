/**
 * Writes the several writes of one request as one record: parses and charges them, checks them against memory, the disk and the
 * newest model, appends the record and returns the answer.
 * Invariant: a refused script changes nothing. Updates and deletes are evaluated after the writes before them, at the record's
 * LSN.
 */
import { QuarryError } from '../../base/index.js';
import { applyChanges, type Catalog, type CatalogChange, changeToPlain } from '../../catalog/index.js';
import { decodeBatch } from '../../column/index.js';
import {
  decodeRecordPayload,
  encodeRecordPayload,
  type LogRecord,
  type RecordBatch,
  type ScriptStep,
} from '../../format/index.js';
import { conditionToPlain } from '../../ir/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import {
  type ScriptInsert,
  type ScriptReader,
  type ScriptRequest,
  type ScriptWrite,
  StepRefused,
} from '../api.js';
import { type StepCounts, sendRecord } from '../lifecycle/replay.js';
import type { WorkerApi } from '../workers/worker-client.js';
import { findTouched, parseSet, type TouchedRows, updateBytes } from './mutation.js';
import { scriptAnswer } from './record-notes.js';
import { DataChanged, refuseConflicts, refuseLarge, ScriptReads, type SelectRows } from './script-query.js';
import { MEMORY_PER_BATCH_BYTE } from './write-memory.js';
import type { WriterDependencies } from './writer.js';

/** Error codes from this one on are violations of rules by a write; others are temporary conditions or errors of the key. */
const RULE_CODE_MIN = 2_000;
const RULE_CODE_MAX = 8_999;
/** Scripts whose data others changed during as many attempts are attempted while no other writer appends. */
const ATTEMPTS_BESIDE_OTHERS = 2;
/** Bytes for the fields of a record that do not grow with the body. */
const RECORD_RESERVE_BYTES = 4_096;

/** A parsed write: its fields in the record and in the answer. */
interface Step {
  readonly step: ScriptStep;
  readonly batches: readonly RecordBatch[];
  readonly dimensionIds: readonly number[];
  /** Maximum number of entities that it inserts, known before it is evaluated. */
  readonly insertedCount: number;
  readonly updatedCount: number;
  readonly bytes: number;
  /** Version of the model that the write was parsed against. */
  readonly modelVersion: number;
}

interface Attempt extends ScriptRequest {
  /** No other writer appends. */
  readonly isAlone: boolean;
}

/** A request whose inserts are parsed against a changed model of this version. */
type ParseRequest = ScriptRequest & {
  readonly creation?: {
    readonly changes: readonly CatalogChange[];
    /** The version of the model before the changes. */
    readonly version: number;
  } | null;
};

interface AppendedSteps {
  readonly databaseId: number;
  readonly steps: readonly Step[];
  readonly changes: readonly CatalogChange[];
}

type RowRecord = Extract<LogRecord, { readonly type: 'script' | 'insert' }>;
type WrittenRecord = RowRecord | Extract<LogRecord, { readonly type: 'catalog' }>;

export interface ScriptWriterDependencies extends WriterDependencies {
  readonly select: SelectRows;
}

export class ScriptWriter {
  readonly #dependencies: ScriptWriterDependencies;

  constructor(dependencies: ScriptWriterDependencies) {
    this.#dependencies = dependencies;
  }

  /** See EngineApi.script. */
  async write(request: ScriptRequest): Promise<readonly number[]> {
    const { deduplication, options, checkWritable } = this.#dependencies;
    const named = request.idempotency;
    const nowMs = options.clock.nowMs();
    if (named === null) {
      checkWritable();
      return this.#write(request);
    }
    const known = deduplication.find(named.id, () => named.bodyHash, nowMs);
    if (known !== null) return known;
    checkWritable();
    return deduplication.run(
      named.id,
      () => named.bodyHash,
      nowMs,
      () => this.#write(request),
    );
  }

  async #write(request: ScriptRequest): Promise<readonly number[]> {
    let isCharged = false;
    const charge: ScriptRequest['charge'] = (insertedCount, updatedCount) => {
      if (!isCharged) request.charge(insertedCount, updatedCount);
      isCharged = true;
    };
    for (let attemptCount = 1; ; attemptCount++) {
      const isAlone = attemptCount > ATTEMPTS_BESIDE_OTHERS;
      const attempt = (): Promise<readonly number[] | null> =>
        this.#readAndAttempt({ ...request, charge, isAlone });
      const numbers = await (isAlone ? this.#dependencies.order.alone(attempt) : attempt()).catch((error) => {
        if (error instanceof DataChanged) return null;
        throw error;
      });
      if (numbers !== null) return numbers;
      if (request.prepare != null || request.creates !== undefined) refuseConflicts(attemptCount);
    }
  }

  /** Returns null or rejects with DataChanged, with nothing written, if data that was read changed. */
  async #readAndAttempt(request: Attempt): Promise<readonly number[] | null> {
    const { memory } = this.#dependencies;
    if (request.prepare == null) return this.#attempt(request, null);
    const reads = new ScriptReads(request.databaseId, request.cancellation ?? null, this.#dependencies);
    const reader: ScriptReader = {
      lines: (plan) => reads.lines(plan),
      answer: (plan, format) => reads.answer(plan, format),
      stored: async (write) => {
        const { batches } = await this.#parseInsert(request, write, 0);
        return batches.map(({ bytes }) => decodeBatch(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      },
    };
    const bind = await request.prepare(reader);
    memory.check(reads.bytes);
    return memory.while(reads.bytes, () => this.#attempt({ ...request, bind }, reads));
  }

  /**
   * Returns null, with nothing written, if the model shrank or data that was read changed; the caller then reads and binds the
   * request again.
   */
  async #attempt(request: Attempt, read: ScriptReads | null): Promise<readonly number[] | null> {
    const { order, options, memory, checkWritable } = this.#dependencies;
    const { databaseId } = request;
    const catalog = order.head;
    const head = this.#model(databaseId);
    const changes = request.creates?.(head, catalog) ?? [];
    const model = changedModel(catalog, changes, databaseId);
    const creation = changes.length === 0 ? null : { changes, version: head.version };
    const steps = await this.#parse({ ...request, creation }, request.bind(model, head), model);
    if (read?.isCurrent() === false) return null;
    request.charge(
      sum(steps, ({ insertedCount }) => insertedCount),
      sum(steps, ({ updatedCount }) => updatedCount),
    );
    const record = recordOf(steps, changes, {
      timeMs: options.clock.nowMs(),
      databaseId,
      shardCount: this.#dependencies.workers.shardCount,
      once: request.idempotency,
    });
    const payload = encodeRecordPayload(record);
    refuseLarge(payload);
    const log = request.isAlone ? order.log : order;
    while (!log.hasCapacity(payload.length)) await log.waitForCapacity(payload.length);
    checkWritable();
    const bytes = sum(steps, (step) => step.bytes);
    memory.check(bytes);
    const { version, shrinkVersion } = this.#model(databaseId);
    if (steps.some(({ modelVersion }) => modelVersion < shrinkVersion)) return null;
    // The changes depend on the version of the catalog, and those of the workers on that of the model.
    if (creation !== null && (creation.version !== version || order.head !== catalog)) return null;
    // From here on the record is appended in the same turn.
    if (read?.isCurrent() === false) return null;
    const counts = await memory.while(bytes, () =>
      this.#append(record, payload, { databaseId, steps, changes }),
    );
    return scriptAnswer(
      steps.map(({ step }) => step),
      counts,
    );
  }

  #append(
    record: WrittenRecord,
    payload: Uint8Array,
    { databaseId, steps, changes }: AppendedSteps,
  ): Promise<StepCounts> {
    const { order, notes, workers } = this.#dependencies;
    return order.append(payload, {
      touches: {
        databaseId,
        dimensionIds: [...new Set(steps.flatMap(({ dimensionIds }) => dimensionIds))],
      },
      changes,
      deletes: steps.some(({ step }) => step.step === 'delete'),
      evaluates: steps.some(({ step }) => step.step !== 'insert'),
      send: (worker: WorkerApi) => sendRecord(worker, record, workers.inserts),
      applied: (lsn, counts) => notes.note(lsn, record, counts),
    });
  }

  /** Parses all writes. Rejects for the first write that violates a rule. */
  async #parse(
    request: ParseRequest,
    writes: readonly ScriptWrite[],
    model: DatabaseModel,
  ): Promise<readonly Step[]> {
    const steps: Step[] = [];
    let rowsBefore = 0;
    for (const [index, write] of writes.entries()) {
      if (write.write === 'change') {
        const insertedBefore = sum(steps, ({ insertedCount }) => insertedCount);
        steps.push(await this.#parseChange(request, write, model, insertedBefore));
        continue;
      }
      const continues = index > 0 && writes[index - 1].statement === write.statement;
      if (!continues) rowsBefore = 0;
      const parsed = await this.#parseInsert(request, write, rowsBefore);
      steps.push(continues ? { ...parsed, step: { ...parsed.step, continues } as ScriptStep } : parsed);
      rowsBefore += write.rowCount;
    }
    return steps;
  }

  /** `rowsBefore`: the rows of the same statement in earlier writes. */
  async #parseInsert(request: ParseRequest, write: ScriptInsert, rowsBefore: number): Promise<Step> {
    const { rowCount, updates = false } = write;
    try {
      const parsed = await this.#parsedInsert(request, write, rowCount);
      if (!updates) return parsed;
      const step = { ...parsed.step, updates } as ScriptStep;
      return { ...parsed, step, insertedCount: 0, updatedCount: parsed.insertedCount };
    } catch (error) {
      if (!isRule(error)) throw error;
      const row = rowsBefore + (await this.#firstBadRow(request, write));
      throw new StepRefused(write.statement, row, error);
    }
  }

  /** Index of the row that causes the refusal. An insert is refused for its first error, so a binary search finds the row. */
  async #firstBadRow(request: ParseRequest, write: ScriptInsert): Promise<number> {
    // The first `good` rows are accepted, the first `bad` rows are refused.
    let good = 0;
    let bad = write.rowCount;
    while (bad - good > 1) {
      const middle = (good + bad) >>> 1;
      try {
        await this.#parsedInsert(request, write, middle);
        good = middle;
      } catch (error) {
        if (!isRule(error)) throw error;
        bad = middle;
      }
    }
    return bad - 1;
  }

  /** Parses the first `rowCount` rows. */
  async #parsedInsert(request: ParseRequest, write: ScriptInsert, rowCount: number): Promise<Step> {
    const { lines } = write;
    const body = write.body(rowCount);
    const { workers, memory } = this.#dependencies;
    const { databaseId, customKey, columnIds, nowMs, creation = null } = request;
    // The worker applies the changes to the model that it has when it gets the request.
    if (creation !== null && creation.version !== this.#model(databaseId).version) throw new DataChanged();
    memory.check(body.byteLength * MEMORY_PER_BATCH_BYTE);
    const shared = new SharedArrayBuffer(body.byteLength * 2 + RECORD_RESERVE_BYTES);
    new Uint8Array(shared).set(body);
    const form = { lines: lines?.numbers ?? null, records: lines?.records ?? null };
    const settings = {
      ...{ databaseId, ...form, customKey, columnIds, idempotencyId: null },
      nowMs: lines?.receivedMs ?? nowMs,
    };
    const parsed = await memory.while(shared.byteLength, () =>
      workers.orUnavailable(
        workers.nextParser().send('parse', {
          ...{ ...settings, shared, bodyBytes: body.byteLength },
          ...(creation === null ? {} : { changes: creation.changes }),
        }),
      ),
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
    request: ParseRequest,
    mutation: Extract<ScriptWrite, { readonly write: 'change' }>,
    model: DatabaseModel,
    insertedBefore: number,
  ): Promise<Step> {
    const { workers } = this.#dependencies;
    const { dimensionId, condition } = mutation;
    const { databaseId, creation = null } = request;
    const changes = creation?.changes ?? [];
    // The worker applies the changes to the model that it has when it gets the request.
    if (creation !== null && creation.version !== this.#model(databaseId).version) throw new DataChanged();
    const batch = await parseSet(workers, { ...request, changes }, mutation, model).catch((error) => {
      throw isRule(error) ? new StepRefused(mutation.statement, null, error) : error;
    });
    // The workers do not know the dimensions that the script creates.
    const isNew = changes.some(
      (one) => one.change === 'dimension-created' && one.dimension.id === dimensionId,
    );
    const touched = isNew ? NO_ROWS : await findTouched(workers, { databaseId, dimensionId, condition });
    // Entities inserted by earlier writes may match too.
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
    const model = this.#dependencies.order.head.databases.get(databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    return model;
  }
}

const NO_VALUES = { entityCount: 0, valueCount: 0 };
const NO_ROWS: TouchedRows = { entityCount: 0, segmentCount: 0 };

/** The record of a script; one of plain inserts that changes the model is that of an insert with auto-create. */
function recordOf(
  steps: readonly Step[],
  changes: readonly CatalogChange[],
  head: Pick<RowRecord, 'timeMs' | 'databaseId' | 'shardCount' | 'once'>,
): WrittenRecord {
  const plain = changes.map(changeToPlain);
  if (steps.length === 0 && plain.length > 0) return { type: 'catalog', timeMs: head.timeMs, changes: plain };
  const batches = steps.flatMap((step) => step.batches);
  const isInsert =
    plain.length > 0 && steps.every(({ step }) => step.step === 'insert' && step.updates !== true);
  if (!isInsert) {
    const own = plain.length === 0 ? {} : { changes: plain };
    return { type: 'script', ...head, ...own, steps: steps.map(({ step }) => step), batches };
  }
  const numbers = steps.map(({ step }) => (step.step === 'insert' ? step : NO_VALUES));
  const [entityCount, valueCount] = [
    sum(numbers, (one) => one.entityCount),
    sum(numbers, (one) => one.valueCount),
  ];
  return { type: 'insert', ...head, changes: plain, entityCount, valueCount, batches };
}

function changedModel(
  catalog: Catalog,
  changes: readonly CatalogChange[],
  databaseId: number,
): DatabaseModel {
  const model = applyChanges(catalog, changes).databases.get(databaseId);
  if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
  return model;
}

const isRule = (error: unknown): error is QuarryError =>
  error instanceof QuarryError && error.code >= RULE_CODE_MIN && error.code <= RULE_CODE_MAX;

function sum<T>(each: readonly T[], of: (one: T) => number): number {
  return each.reduce((total, one) => total + of(one), 0);
}
