/**
 * The state that the engine derives from records in addition to their data: usage, and the IDs of writes that take effect once.
 * Invariant: every record is noted once, when all workers have applied it, in normal operation and in replay.
 */
import { changeFromPlain } from '../../catalog/index.js';
import type { LogRecord, ScriptStep } from '../../format/index.js';
import type { StepCounts } from '../lifecycle/replay.js';
import type { DeduplicationTable } from './deduplication.js';
import type { NotedWrite, UsageBook } from './usage.js';

type Noted<Type extends LogRecord['type'], Field extends string = never> = Pick<
  Extract<LogRecord, { readonly type: Type }>,
  Extract<
    keyof Extract<LogRecord, { readonly type: Type }>,
    'type' | 'databaseId' | 'timeMs' | 'once' | Field
  >
>;

/** The fields of a record that `note` reads. */
export type NotedRecord =
  | Noted<'insert', 'entityCount' | 'valueCount' | 'quarantinedCount' | 'duplicateCount'>
  | Noted<'update' | 'delete'>
  | Noted<'script', 'steps'>
  | Noted<'catalog', 'changes'>
  | { readonly type: 'expire' };

/** The counts of a record: rows inserted and changed, and the numbers of its answer. */
interface Written {
  readonly insertedEntityCount: number;
  readonly insertedValueCount: number;
  readonly updatedEntityCount: number;
  readonly answer: readonly number[];
}

export class RecordNotes {
  readonly #usage: UsageBook;
  readonly #deduplication: DeduplicationTable;

  constructor(usage: UsageBook, deduplication: DeduplicationTable) {
    this.#usage = usage;
    this.#deduplication = deduplication;
  }

  /** `counts`: number of entities that each step of the record changed. */
  note(lsn: number, record: NotedRecord, counts: StepCounts): void {
    if (record.type === 'expire') return;
    if (record.type === 'catalog') {
      for (const change of record.changes.map(changeFromPlain)) {
        if (change.change === 'database-deleted') this.#usage.drop(change.databaseId);
      }
      return;
    }
    const { databaseId, timeMs, once: idempotency } = record;
    const { answer, ...written } = writtenBy(record, counts);
    this.#usage.noteWrite(lsn, { databaseId, timeMs, ...written } satisfies NotedWrite);
    if (idempotency !== null) this.#deduplication.add({ ...idempotency, timeMs, lsn, answer });
  }
}

function writtenBy(
  record: Exclude<NotedRecord, { readonly type: 'expire' | 'catalog' }>,
  counts: StepCounts,
): Written {
  if (record.type === 'insert') return inserted(record);
  if (record.type !== 'script') return changed(record.type, counts[0] ?? 0);
  return writtenByScript(record.steps, counts);
}

/** The numbers of a script's answer: those of its steps, concatenated. */
export const scriptAnswer = (steps: readonly ScriptStep[], counts: StepCounts): readonly number[] =>
  writtenByScript(steps, counts).answer;

const NOTHING: Written = {
  insertedEntityCount: 0,
  insertedValueCount: 0,
  updatedEntityCount: 0,
  answer: [],
};

function writtenByScript(steps: readonly ScriptStep[], counts: StepCounts): Written {
  return steps.reduce<Written>((sum, step, index) => {
    const one = writtenByStep(step, counts[index] ?? 0);
    return {
      insertedEntityCount: sum.insertedEntityCount + one.insertedEntityCount,
      insertedValueCount: sum.insertedValueCount + one.insertedValueCount,
      updatedEntityCount: sum.updatedEntityCount + one.updatedEntityCount,
      answer:
        step.step === 'insert' && step.continues === true
          ? withLast(sum.answer, one.answer)
          : [...sum.answer, ...one.answer],
    };
  }, NOTHING);
}

function writtenByStep(step: ScriptStep, count: number): Written {
  if (step.step !== 'insert') return changed(step.step, count);
  const { updates, entityCount, valueCount } = step;
  return updates === true ? changed('update', entityCount) : inserted({ entityCount, valueCount });
}

/** Adds `more` to the last numbers of an answer. */
function withLast(answer: readonly number[], more: readonly number[]): readonly number[] {
  const from = answer.length - more.length;
  return answer.map((number, index) => (index < from ? number : number + more[index - from]));
}

interface InsertedCounts {
  readonly entityCount: number;
  readonly valueCount: number;
  readonly quarantinedCount?: number;
  readonly duplicateCount?: number;
}

/** The numbers of an insert's answer, without zeros after the first two. */
export const insertedNumbers = ({
  entityCount,
  valueCount,
  quarantinedCount = 0,
  duplicateCount = 0,
}: InsertedCounts): number[] => {
  if (duplicateCount > 0) return [entityCount, valueCount, quarantinedCount, duplicateCount];
  return quarantinedCount === 0 ? [entityCount, valueCount] : [entityCount, valueCount, quarantinedCount];
};

const inserted = (counts: InsertedCounts): Written => ({
  insertedEntityCount: counts.entityCount,
  insertedValueCount: counts.valueCount,
  updatedEntityCount: 0,
  answer: insertedNumbers(counts),
});

const changed = (kind: 'update' | 'delete', count: number): Written => ({
  insertedEntityCount: 0,
  insertedValueCount: 0,
  updatedEntityCount: kind === 'update' ? count : 0,
  answer: [count],
});
